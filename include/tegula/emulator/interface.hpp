#pragma once

#include <tegula/core/status.hpp>
#include <tegula/emulator/state.hpp>

#include <cstring>

/// The requests of a kernel to the emulated GPU, as free functions of the lane that calls them. They may be called only
/// inside a kernel that emulator/launch.hpp runs. Misuse ends the launch with a report; it never comes back here.

namespace tegula::emulator {

// Identity of the thread

inline bool inside_kernel() { return detail::current_lane != nullptr; }
inline int thread_id() { return detail::current_lane->thread; }
inline int lane_id() { return detail::current_lane->lane; }
inline int wave_id() { return detail::current_lane->wave->index; }
inline int block_threads() { return detail::current_lane->block->threads; }
inline extent3 block_id() { return detail::current_lane->block->id; }
inline extent3 grid() { return detail::current_lane->block->grid; }
inline const chip_info& current_chip() { return *detail::current_lane->block->chip; }

// Operations of a whole wave or block

/// One instruction of the whole wave. Every lane calls it with its own arguments; the last one to arrive runs
/// `body(Args* const* lane_arguments, int lanes)` once, lane_arguments[i] being lane i's `mine`; then all go on.
///
/// name  equal in all lanes, and with it the type Args; lanes that meet under different names are an error that reports
///       both. It must outlive the launch (a literal).
/// kind  `matrix` requires a full wave
template <class Args, class Body>
[[gnu::always_inline]] inline void wave_operation(const char* name, operation_kind kind, Args& mine, Body&& body,
                                                  call_site where = call_site::here())
{
    detail::lane_state& me = *detail::current_lane;
    detail::wave_state& wave = *me.wave;
    wave.arguments[me.lane] = &mine;
    if (!detail::gather(me, name, kind, where))
        return;
    Args* lane_arguments[detail::max_lanes];
    for (int lane = 0; lane < wave.lanes; ++lane)
        lane_arguments[lane] = static_cast<Args*>(wave.arguments[lane]);
    body(static_cast<Args* const*>(lane_arguments), wave.lanes);
    ++(kind == operation_kind::matrix ? wave.matrix_operations : wave.shuffles);
    detail::release_wave(me);
}

/// A barrier of the wave: its lanes then see each other's earlier accesses to shared memory.
[[gnu::always_inline]] inline void wave_barrier(call_site where = call_site::here())
{
    detail::lane_state& me = *detail::current_lane;
    if (detail::gather(me, "wave_barrier", operation_kind::wave_barrier, where))
        me.run->wave_barrier(me);
}

/// A barrier of all threads of the block.
[[gnu::always_inline]] inline void block_barrier(call_site where = call_site::here())
{
    detail::lane_state& me = *detail::current_lane;
    if (detail::gather(me, "block_barrier", operation_kind::block_barrier, where))
        me.run->block_barrier(me, false);
}
/// A barrier of the block for accesses to shared memory alone: global ones may still be in flight.
[[gnu::always_inline]] inline void shared_barrier(call_site where = call_site::here())
{
    detail::lane_state& me = *detail::current_lane;
    if (detail::gather(me, "shared_barrier", operation_kind::block_barrier, where))
        me.run->block_barrier(me, true);
}

namespace detail {
inline const char* name_of_barrier(int id)
{
    static constexpr const char* names[] = {
        "named_barrier",    "named_barrier 1",  "named_barrier 2",  "named_barrier 3",
        "named_barrier 4",  "named_barrier 5",  "named_barrier 6",  "named_barrier 7",
        "named_barrier 8",  "named_barrier 9",  "named_barrier 10", "named_barrier 11",
        "named_barrier 12", "named_barrier 13", "named_barrier 14", "named_barrier 15"};
    return names[id < 1 || id > 15 ? 0 : id];
}
} // namespace detail

/// Named barrier `id` (1 to 15) of `threads` threads: whole waves, which all name the same count.
inline void named_barrier(int id, int threads, call_site where = call_site::here())
{
    detail::lane_state& me = *detail::current_lane;
    if (detail::gather(me, detail::name_of_barrier(id), operation_kind::block_barrier, where))
        me.run->named_barrier(me, id, threads);
}
/// The wave arrives at the named barrier and does not wait. It must not arrive there again before the barrier opened.
inline void named_barrier_arrive(int id, int threads, call_site where = call_site::here())
{
    detail::lane_state& me = *detail::current_lane;
    if (detail::gather(me, detail::name_of_barrier(id), operation_kind::block_barrier, where))
        me.run->named_barrier_arrive(me, id, threads);
}

/// Copies `bytes` bytes from lane `source` of the wave; every lane of the wave takes part. A source outside the wave is
/// an error.
inline void shuffle(void* to, const void* from, int bytes, int source, call_site where = call_site::here())
{
    struct arguments
    {
        void* to;
        const void* from;
        int source;
        unsigned char value[64];
    };
    detail::lane_state& me = detail::lane_at(where);
    if (source < 0 || source >= me.wave->lanes)
        me.run->shuffle_source_missing(me, source);
    if (me.checks)
        me.run->check_value(me, from, bytes, "shuffle");
    while (bytes > 0) {
        const int part = bytes < 64 ? bytes : 64;
        arguments mine{to, from, source, {}};
        wave_operation(
            "shuffle", operation_kind::shuffle, mine,
            [part](arguments* const* lanes, int count) {
                for (int lane = 0; lane < count; ++lane)
                    std::memcpy(lanes[lane]->value, lanes[lane]->from, static_cast<unsigned>(part));
                for (int lane = 0; lane < count; ++lane)
                    std::memcpy(lanes[lane]->to, lanes[lanes[lane]->source]->value, static_cast<unsigned>(part));
            },
            where);
        to = static_cast<unsigned char*>(to) + part;
        from = static_cast<const unsigned char*>(from) + part;
        bytes -= part;
    }
}

/// Bit i is `vote` of lane i of the wave; every lane of the wave takes part.
inline std::uint64_t ballot(bool vote, call_site where = call_site::here())
{
    struct arguments
    {
        bool vote;
        std::uint64_t votes;
    };
    arguments mine{vote, 0};
    wave_operation(
        "ballot", operation_kind::shuffle, mine,
        [](arguments* const* lanes, int count) {
            std::uint64_t votes = 0;
            for (int lane = 0; lane < count; ++lane)
                votes |= static_cast<std::uint64_t>(lanes[lane]->vote) << lane;
            for (int lane = 0; lane < count; ++lane)
                lanes[lane]->votes = votes;
        },
        where);
    return mine.votes;
}

// Memory. If `active` is false, this lane is masked off in an access of its wave: nothing is touched (a load gives
// zeros), but the access is matched with those of the other lanes when conflicts and sectors are counted.

/// First byte of the block's shared memory, aligned to 1024 bytes. Filled with 0xff bytes (NaN in every floating-point
/// type) when a block starts.
inline std::byte* shared_memory() { return detail::current_lane->block->shared; }

/// Whether accesses are checked in this launch, so that a label is worth computing.
inline bool checks_enabled() { return detail::current_lane->checks; }

/// Says which element of `tensor` the next access of this lane touches; reports name it. Up to 8 dimensions are kept.
/// The name must outlive the access.
///
/// data  an element of the tensor: if memory that the launch was given holds it, the access must lie there too, even
///       if another array of the launch follows without a gap; null: the access may lie in any
/// element_bytes  bytes per element; 0 if not known
inline void set_element(const char* tensor, const index_t* x, int dims, const void* data = nullptr,
                        int element_bytes = 0)
{
    detail::lane_state& me = *detail::current_lane;
    if (!me.checks)
        return;
    me.label.tensor = tensor;
    me.label.data = data;
    me.label.element_bytes = element_bytes;
    me.label.dims = dims < detail::max_label_dims ? dims : detail::max_label_dims;
    for (int i = 0; i < me.label.dims; ++i)
        me.label.x[i] = x[i];
}

namespace detail {
template <memory_access Access, int Bytes>
inline void check_access(const void* address, bool active, const void* value, const call_site& where)
{
    static_assert(Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8 || Bytes == 16);
    lane_state& me = *current_lane;
    if (!me.watched)
        return;
    me.where = where;
    me.run->check_access(me, Access, address, Bytes, active, value);
}

template <memory_access Access, int Bytes>
inline void load(void* to, const void* from, bool active, const call_site& where)
{
    check_access<Access, Bytes>(from, active, nullptr, where);
    if (active)
        std::memcpy(to, from, Bytes);
    else
        std::memset(to, 0, Bytes);
}

template <memory_access Access, int Bytes>
inline void store(void* to, const void* from, bool active, const call_site& where)
{
    check_access<Access, Bytes>(to, active, from, where);
    if (active)
        std::memcpy(to, from, Bytes);
}
} // namespace detail

template <int Bytes>
inline void load_global(void* to, const void* from, bool active = true, call_site where = call_site::here())
{
    detail::load<memory_access::global_load, Bytes>(to, from, active, where);
}
template <int Bytes>
inline void store_global(void* to, const void* from, bool active = true, call_site where = call_site::here())
{
    detail::store<memory_access::global_store, Bytes>(to, from, active, where);
}
template <int Bytes>
inline void load_shared(void* to, const void* from, bool active = true, call_site where = call_site::here())
{
    detail::load<memory_access::shared_load, Bytes>(to, from, active, where);
}
template <int Bytes>
inline void store_shared(void* to, const void* from, bool active = true, call_site where = call_site::here())
{
    detail::store<memory_access::shared_store, Bytes>(to, from, active, where);
}

/// Starts a copy from global to shared memory. If `valid` is false it writes zeros and does not read the source. With
/// checks on, the bytes arrive at the wait. Until then it is an error to access the destination or to change the
/// source. With checks off, the bytes arrive at once.
template <int Bytes>
inline void async_copy(void* shared, const void* global, bool valid = true, call_site where = call_site::here())
{
    static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
    detail::lane_state& me = detail::lane_at(where);
    me.additions = 0;
    if (me.checks)
        me.run->async_copy(me, shared, global, Bytes, valid, copy_queue::lanes);
    else if (valid)
        std::memcpy(shared, global, Bytes);
    else
        std::memset(shared, 0, Bytes);
}

/// Takes the place of async_copy in a lane that is masked off, on chips whose instruction can mask lanes: nothing is
/// copied or zeroed.
template <int Bytes>
inline void skip_async_copy(call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    if (me.checks)
        me.run->skip_async_copy(me, Bytes);
}

/// Closes a group: the copies this lane started since the last commit.
inline void async_commit()
{
    detail::lane_state& me = *detail::current_lane;
    if (me.checks)
        me.run->async_commit(me, copy_queue::lanes);
}

/// Returns when at most `Groups` of this lane's newest groups are still in flight. Other lanes see the bytes only after
/// a barrier.
template <int Groups>
inline void async_wait(call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    if (me.checks)
        me.run->async_wait(me, Groups, copy_queue::lanes);
}

/// Waits for copies on a chip that counts the copy instructions of a wave, not of a lane: the newest `Instructions` of
/// them may still be in flight. Additions: how many atomic additions to global memory behind the last copy are counted,
/// too. If there are fewer, as many more copies may be in flight.
template <int Instructions, int Additions = 0>
inline void async_wait_newest(call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    if (me.checks)
        me.run->async_wait_newest(me, Instructions + (Additions > me.additions ? Additions - me.additions : 0));
}

/// Adds to global memory, or to the block's shared memory. Additions to global memory are done in the order of block
/// numbers, so that the sum does not depend on how blocks are scheduled. Other blocks see the sum when the launch ends;
/// the block itself sees it after a barrier.
inline void atomic_add(float* to, float value, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    me.run->atomic_add(me, to, value);
}
inline void atomic_add(int* to, int value, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    me.run->atomic_add(me, to, value);
}

/// Orders the lane's accesses before the fence with those after it, as lanes of the scope see them. It takes effect
/// only between lanes that synchronise by atomic operations on one address (thread_fences.hpp).
inline void thread_fence(thread_scope scope, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    if (me.checks)
        me.run->thread_fence(me, scope);
}
namespace detail {
/// Ends an atomic operation that has read `old`: *at = value. `looks`: see shared_atomic.
template <class T>
inline void finish_atomic(lane_state& me, T* at, const T& old, const T& value, const char* action, bool looks)
{
    if (me.checks)
        me.run->check_value(me, &value, static_cast<int>(sizeof(T)), action);
    *at = value;
    me.run->end_atomic(me, at, std::memcmp(&old, &value, sizeof(T)) != 0, looks);
}
/// The contents of a register that was never written.
template <class T>
T unset_value(lane_state& me)
{
    me.wave->unset |= unset_kind_of<T>;
    const std::uint32_t word = unset_word<T>(*me.poison);
    T value;
    for (std::size_t i = 0; i < sizeof(T); i += 4)
        std::memcpy(reinterpret_cast<std::byte*>(&value) + i, &word, 4);
    return value;
}
} // namespace detail

/// *at = change(*at) in the block's shared memory, as one operation; returns the value before. Lanes take their turns
/// in the order in which they run. A barrier or fences must separate it from accesses to `at` that are not atomic.
///
/// looks  whether an operation that changes nothing is polling: other lanes then run, so that they can change the value
template <class T, class F>
T shared_atomic(T* at, const F& change, call_site where = call_site::here(), bool looks = true)
{
    detail::lane_state& me = detail::lane_at(where);
    if (me.checks)
        me.run->check_shared_atomic(me, at, static_cast<int>(sizeof(T)), false);
    const T old = *at;
    detail::finish_atomic(me, at, old, change(old), "shared atomic", looks);
    return old;
}
/// An atomic exchange: *at = value. If `at` has no value yet, it returns the contents of an unwritten register.
template <class T>
T shared_exchange(T* at, T value, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    const bool held = !me.checks || me.run->check_shared_atomic(me, at, static_cast<int>(sizeof(T)), true);
    const T old = held ? *at : detail::unset_value<T>(me);
    detail::finish_atomic(me, at, old, value, "shared atomic", true);
    return old;
}

/// *at = change(*at) in global memory, as one operation; returns the value before. Unless the launch is cooperative, a
/// block waits here until all blocks of lower numbers have ended. So the result is the same from run to run. Deferred
/// additions to `at` (atomic_add) are applied before.
template <class T, class F>
T global_atomic(T* at, const F& change, call_site where = call_site::here(), bool looks = true)
{
    detail::lane_state& me = detail::lane_at(where);
    me.run->begin_global_atomic(me, at, static_cast<int>(sizeof(T)), false);
    const T old = *at;
    detail::finish_atomic(me, at, old, change(old), "global atomic", looks);
    return old;
}
template <class T>
T global_exchange(T* at, T value, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    const bool held = me.run->begin_global_atomic(me, at, static_cast<int>(sizeof(T)), true);
    const T old = held ? *at : detail::unset_value<T>(me);
    detail::finish_atomic(me, at, old, value, "global atomic", true);
    return old;
}

/// Returns `value`. Precondition: it is the same in every calling lane of the wave; on NVIDIA every lane calls. With
/// checks on, the wave's next common operation verifies this.
inline int uniform(int value, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    if (me.checks)
        me.run->uniform(me, value, "uniform");
    return value;
}

/// Loads Bytes bytes at byte `offset` of the buffer [base, base + buffer_bytes). Every 4 bytes are compared with its
/// end and are zeros past it. `base` and `buffer_bytes` are the same in every lane. The whole buffer lies in memory
/// that the launch was given.
template <int Bytes>
inline void load_buffer(void* to, const void* base, std::uint32_t buffer_bytes, std::uint32_t offset,
                        call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    if (me.checks)
        me.run->check_buffer(me, base, buffer_bytes);
    const auto* from = static_cast<const std::byte*>(base) + offset;
    const bool inside = offset < buffer_bytes && Bytes <= buffer_bytes - offset;
    load_global<Bytes>(to, from, inside, where);
    if (!inside && offset < buffer_bytes)
        for (std::uint32_t at = 0; offset + at + 4 <= buffer_bytes; at += 4)
            load_global<4>(static_cast<std::byte*>(to) + at, from + at, true, where);
}

/// Checks the scalar registers of a whole wave's load into shared memory: its buffer must lie in memory that the launch
/// was given; buffer and place of the first lane's bytes must be the same in every lane.
inline void check_direct_load(const void* base, std::uint32_t buffer_bytes, const void* place,
                              call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    if (!me.checks)
        return;
    me.run->check_buffer(me, base, buffer_bytes);
    me.run->uniform(me, static_cast<const std::byte*>(place) - me.block->shared, "the place of a direct load");
}

/// The contents of registers before they are written. With checks on they are poison_words, and the emulator reports
/// where a lane stores or shares a value made from them; else they are zeros.
template <class Registers>
constexpr Registers unset_registers()
{
    Registers registers{};
    if (std::is_constant_evaluated() || !inside_kernel() || !checks_enabled())
        return registers;
    using element = typename detail::innermost<Registers>::type;
    detail::lane_state& me = *detail::current_lane;
    me.wave->unset |= detail::unset_kind_of<element>;
    const std::uint32_t word = detail::unset_word<element>(*me.poison);
    auto* const bytes = reinterpret_cast<std::byte*>(&registers);
    constexpr std::size_t tail = sizeof(Registers) % 4;
    for (std::size_t i = 0; i + 4 <= sizeof(Registers); i += 4)
        std::memcpy(bytes + i, &word, 4);
    if constexpr (tail != 0)
        std::memcpy(bytes + sizeof(Registers) - tail, &word, tail);
    return registers;
}

/// Returns `chosen`, the maximum of x and y on a GPU whose instruction drops a NaN, and records a dropped NaN.
inline float note_dropped_nan(float x, float y, float chosen)
{
    if ((x != x || y != y) && inside_kernel() && checks_enabled())
        detail::current_lane->run->note_hidden_nan();
    return chosen;
}

/// Ends the launch with a report about this lane.
[[noreturn]] inline void fail(const char* what, const char* remedy, call_site where = call_site::here())
{
    detail::lane_state& me = detail::lane_at(where);
    me.run->fail(me, what, remedy);
    __builtin_unreachable();
}

/// Ends the launch unless the block has `threads` threads, the number that a distribution over a whole block requires.
inline void require_block_threads(int threads, call_site where = call_site::here())
{
    if (block_threads() == threads)
        return;
    const auto text = [](const char* start, int value) { return status(status_code::device_error, start) << value; };
    fail((text("a tile distribution over ", threads) << " threads is used in a block of " << block_threads()).message(),
         text("launch blocks of ", threads).message(), where);
}

} // namespace tegula::emulator
