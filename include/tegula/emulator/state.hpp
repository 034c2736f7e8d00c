#pragma once

#include <tegula/chip/chip_info.hpp>
#include <tegula/core/call_site.hpp>
#include <tegula/core/thread_scope.hpp>
#include <tegula/emulator/poison.hpp>

/// The records that the primitives and the engine share: one for each lane, wave and block. Kernels use interface.hpp.

namespace tegula::emulator {

/// The operations that the lanes of a wave do together.
enum class operation_kind { wave_barrier, block_barrier, shuffle, matrix };

enum class memory_access { global_load, global_store, shared_load, shared_store, async_read, async_write };

/// Three counts or three positions, x fastest.
struct extent3
{
    int x = 1;
    int y = 1;
    int z = 1;
    friend bool operator==(const extent3&, const extent3&) = default;
};

/// Copies that are counted apart: those of the lanes, and gfx1250's tiles, which a wave starts.
enum class copy_queue { lanes, tiles };
inline constexpr int num_copy_queues = 2;

/// Name of the operation for every lane that starts a tile of gfx1250's tensor data mover.
inline constexpr char start_of_tile[] = "load_tile"; // an array: its address is one in all files

struct async_matrix; // emulator/async_matrix.hpp
struct fault;        // emulator/report.hpp

namespace detail {

inline constexpr int max_lanes = 64; ///< lanes per wave
inline constexpr int max_waves = 32; ///< waves per block
inline constexpr int max_label_dims = 8;

/// Which element of which tensor the next access touches; only kept with checks on.
struct element_label
{
    const char* tensor = nullptr;
    const void* data = nullptr; ///< an element of it, null if not known
    int element_bytes = 0;      ///< 0 if not known
    int dims = 0;
    index_t x[max_label_dims]{};
};

/// A suspended flow of control: where it goes on, and the stack it has.
struct fiber
{
    void* context = nullptr;
    const void* stack_bottom = nullptr;
    std::size_t stack_bytes = 0;
    void* sanitizer_stack = nullptr;
};

class runtime;
class async_runtime;
struct wave_state;

struct block_state
{
    extent3 id{};
    extent3 grid{};
    int threads = 0;
    std::byte* shared = nullptr;
    long shared_bytes = 0;
    const chip_info* chip = nullptr;
    extent3 cluster{};                  ///< blocks of its cluster
    int rank = 0;                       ///< rank of the block in its cluster, x fastest
    const block_state* peers = nullptr; ///< the blocks of the cluster by rank
    bool left = false;                  ///< every thread returned from the kernel

    int cluster_blocks() const { return cluster.x * cluster.y * cluster.z; }
    bool holds(const void* address) const
    {
        const auto at = static_cast<const std::byte*>(address) - shared;
        return at >= 0 && at < shared_bytes;
    }
};

struct lane_state
{
    bool checks = false;
    bool watched = false; ///< the runtime sees the memory accesses; always with checks on
    int lane = 0;         ///< number in its wave
    int thread = 0;       ///< number in its block
    wave_state* wave = nullptr;
    const block_state* block = nullptr;
    runtime* run = nullptr;
    fiber flow{};
    int accesses = 0; ///< memory accesses since the wave last met
    int uniforms = 0; ///< uniform values since then
    /// Its own time if it is past its wave's: each release of a lane alone ends a span of its accesses.
    std::uint32_t time = 0;
    const poison_words* poison = nullptr;
    int atomic_after = -1; ///< wave_state::met at its last atomic operation
    element_label label{};
    call_site where{};         ///< line of its last call of a primitive
    std::uint32_t touches = 0; ///< ordinary accesses so far
    int additions = 0;         ///< atomic ones to global memory since its last asynchronous copy
    // Its last atomic operation that changed nothing:
    const void* looked_at = nullptr;
    call_site looked_from{};
    std::uint32_t looked_after = 0; ///< accesses

    std::uint64_t bit() const { return std::uint64_t{1} << lane; }
};

/// The lane this CPU thread is executing; null outside a launch.
inline constinit thread_local lane_state* current_lane = nullptr;

/// A wave and the operation its lanes are gathering for.
struct wave_state
{
    std::uint64_t ready = 0;    ///< lanes that can run
    std::uint64_t paused = 0;   ///< lanes that wait for the others to catch up (access log full)
    std::uint64_t finished = 0; ///< lanes that returned from the kernel
    std::uint64_t blocked = 0;  ///< lanes that wait at an mbarrier
    std::uint64_t all = 0;
    int missing = 0; ///< lanes that have not reached the open operation; `lanes` when none is open
    int lanes = 0;
    int index = 0;              ///< number in its block
    int timeline = 0;           ///< number in its cluster
    std::uint32_t latest = 0;   ///< time of the lane that is furthest ahead
    std::uint64_t stepping = 0; ///< lanes that wait until the others of the wave have done the same
    std::uint64_t polling = 0;  ///< lanes that look again when no other can run
    bool polls_memory = false;  ///< the last of them at a place in memory, not at an mbarrier
    operation_kind kind{};
    const char* operation = nullptr;
    call_site where{};              ///< line of the open operation
    const char* waits_at = nullptr; ///< barrier at which the whole wave waits for other waves
    int waits_id = 0;               ///< number of that barrier
    std::uint32_t meetings = 0;     ///< operations that it has done
    std::uint64_t trail = 0;        ///< what its lanes touched since something of the wave was noted: see event_log
    int met = 0;                    ///< number of barriers so far
    std::uint8_t unset = 0;         ///< bits of unset_kind: what its lanes have declared and not written
    std::int64_t matrix_operations = 0;
    std::int64_t shuffles = 0;
    void* arguments[max_lanes]{};

    bool open() const { return missing != lanes; }
};

/// The functions that need more than the records above; emulator/launch.hpp has the one implementation. Behind an
/// interface, so that a kernel's translation unit neither includes nor links the engine.
class runtime
{
public:
    virtual void suspend(lane_state& me) = 0;
    virtual void open_operation(lane_state& me, const char* name, operation_kind kind) = 0;
    virtual void join_operation(lane_state& me, const char* name, operation_kind kind) = 0;
    virtual void wave_met(lane_state& last) = 0;
    virtual void wave_barrier(lane_state& last) = 0;
    /// From then on each lane knows what the others did.
    virtual void order_lanes(lane_state& last) = 0;
    /// `shared_only`: for accesses to shared memory alone.
    virtual void block_barrier(lane_state& last, bool shared_only) = 0;
    virtual void named_barrier(lane_state& last, int id, int threads) = 0;
    virtual void named_barrier_arrive(lane_state& last, int id, int threads) = 0;
    /// `value`: the value of a store.
    virtual void check_access(lane_state& me, memory_access access, const void* address, int bytes, bool active,
                              const void* value) = 0;
    virtual void check_value(lane_state& me, const void* value, int bytes, const char* action) = 0;
    /// A NaN was dropped and left no trace in a value.
    virtual void note_hidden_nan() = 0;
    /// Something has happened that others may wait for.
    virtual void note_progress() = 0;
    /// Notes an event if the lane's wave has not done it before, with accesses to the same places.
    virtual void note_event(lane_state& me) = 0;
    /// Lets others run first.
    virtual void yield(lane_state& me) = 0;
    virtual void async_copy(lane_state& me, void* to, const void* from, int bytes, bool valid, copy_queue queue) = 0;
    virtual void skip_async_copy(lane_state& me, int bytes) = 0;
    virtual void async_commit(lane_state& me, copy_queue queue) = 0;
    virtual void async_wait(lane_state& me, int groups_in_flight, copy_queue queue) = 0;
    virtual void async_wait_newest(lane_state& me, int instructions) = 0;
    virtual void note_fenced(lane_state& me, const void* registers, int bytes) = 0;
    virtual void fence_async_matrix(lane_state& last) = 0;
    virtual void begin_async_matrix(lane_state& last, async_matrix& operation) = 0;
    virtual void end_async_matrix(lane_state& last, const async_matrix& operation, const std::byte* results) = 0;
    virtual void commit_async_matrix(lane_state& last) = 0;
    virtual void wait_async_matrix(lane_state& last, int groups_in_flight) = 0;
    virtual void atomic_add(lane_state& me, float* to, float value) = 0;
    virtual void atomic_add(lane_state& me, int* to, int value) = 0;
    /// False if the place holds nothing yet, which only an exchange may find.
    virtual bool check_shared_atomic(lane_state& me, const void* address, int bytes, bool exchange) = 0;
    virtual bool begin_global_atomic(lane_state& me, const void* address, int bytes, bool exchange) = 0;
    /// Ends either. `wrote`: memory has changed. `looks`: if it has not, the lane may be polling.
    virtual void end_atomic(lane_state& me, const void* address, bool wrote, bool looks) = 0;
    /// The part of it that concerns fences.
    virtual void note_atomic(lane_state& me, const void* address, bool wrote) = 0;
    virtual void note_atomics(const wave_state& wave, const void* address, bool wrote) = 0;
    virtual void thread_fence(lane_state& me, thread_scope scope) = 0;
    virtual void uniform(lane_state& me, std::int64_t value, const char* what) = 0;
    virtual void check_buffer(lane_state& me, const void* base, std::uint32_t bytes) = 0;
    virtual void shuffle_source_missing(lane_state& me, int source) = 0;
    /// Ends the launch with a report about the lane if there is a fault.
    virtual void end_on_fault(lane_state& me, const fault* verdict) = 0;
    virtual async_runtime& async() = 0;
    [[noreturn]] virtual void fail(lane_state& me, const char* what, const char* remedy) = 0;

protected:
    ~runtime() = default;
};

/// The running lane, which is at that line of the program.
inline lane_state& lane_at(const call_site& where)
{
    current_lane->where = where;
    return *current_lane;
}

/// Takes the lane to the operation its wave gathers for. True for the last lane, which then does the work and calls
/// release_wave(); the others come back once that is done. Inlined, as are its callers: after a switch of stacks the
/// processor mispredicts every return.
[[gnu::always_inline]] inline bool gather(lane_state& me, const char* name, operation_kind kind, const call_site& where)
{
    wave_state& wave = *me.wave;
    me.where = where;
    if (!wave.open())
        me.run->open_operation(me, name, kind);
    else if (wave.operation != name || wave.kind != kind || !(wave.where == where))
        me.run->join_operation(me, name, kind);
    if (--wave.missing == 0)
        return true;
    wave.ready &= ~me.bit();
    me.run->suspend(me);
    return false;
}

/// Lets the lanes that gathered go on.
inline void release_wave(lane_state& last)
{
    wave_state& wave = *last.wave;
    wave.missing = wave.lanes;
    wave.ready = wave.all;
    ++wave.meetings;
    if (last.checks)
        last.run->wave_met(last);
}

} // namespace detail
} // namespace tegula::emulator

/// Names that other folders use.
namespace tegula::emulator::internal {
using tegula::emulator::detail::current_lane;
using tegula::emulator::detail::lane_state;
} // namespace tegula::emulator::internal
