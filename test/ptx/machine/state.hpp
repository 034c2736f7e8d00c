#pragma once

// State of a running launch: warps, blocks, clusters, and asynchronous operations.

#include "memory.hpp"
#include "tensor_memory.hpp"

#include <array>
#include <deque>
#include <functional>
#include <random>
#include <set>

namespace ptx {

inline constexpr int lanes = 32;
using lane_mask = std::uint32_t;
inline constexpr lane_mask all_lanes = ~lane_mask{0};

/// The carry flag of a lane that nothing has written.
inline constexpr std::uint8_t no_carry = 2;

struct warp;
struct block;
struct cluster;
struct machine;

/// The next step of the lanes that executed an instruction.
enum class outcome {
    next,    ///< they go on
    parked,  ///< they wait until release() lets them go on
    retry,   ///< they execute it again when others had their turn
    yielded, ///< they go on after others had their turn
};

using action = std::function<outcome(warp&, lane_mask)>;

struct instruction
{
    action run; ///< empty for a branch
    const statement* source = nullptr;
    const function* of = nullptr;
    int guard = -1;
    bool guard_negated = false;
    bool aligned = false; ///< all lanes of the warp execute it together
    int members = -1;     ///< register of the mask of lanes that execute it together, or -1
    lane_mask fixed_members = 0;
    int target = -1;      ///< of a branch
    bool is_exit = false; ///< ret and exit of a kernel
    std::vector<int> reads, writes;
};

/// Lanes at one place of the program.
struct group
{
    int pc = 0;
    lane_mask mask = 0;
    enum class kind { running, gathering, parked } state = kind::running; ///< gathering: for others of its warp
    bool yielded = false;
};

struct cp_async_copy
{
    place to;
    place from;
    int bytes, source_bytes;
};

/// Phase, arrivals and bytes of an mbarrier object. PTX ISA: "mbarrier".
struct mbarrier_object
{
    std::uint32_t expected = 0, pending = 0;
    std::int64_t transactions = 0;
    std::uint64_t phase = 0;
    std::uint32_t initialised_at = 0;
    int initialised_by = 0;       ///< thread
    std::uint32_t written_at = 0; ///< the clock of its warp then
    knowledge arriving, complete; ///< of those who came in this phase, and in the ones before
};

enum class register_use : std::uint8_t { none, accumulator, operand_a };

/// A wgmma whose registers and shared memory belong to the tensor core.
struct wgmma_operation
{
    std::function<void(warp&)> run;
    std::vector<int> accumulators, operands;
    bool done = false;
};

struct warp
{
    block* of = nullptr;
    int index = 0;
    lane_mask live = 0;                ///< lanes that have not ended
    std::vector<std::uint64_t> values; ///< [register][lane]
    std::vector<std::uint8_t> poison;  ///< [register][lane], a bit a byte
    std::vector<register_use> uses;
    std::vector<std::uint32_t> accessed_in; ///< count of wgmma.fence when something else last accessed the register
    std::uint32_t fences = 0;
    std::vector<group> groups;
    int current = -1;
    std::array<std::uint64_t, lanes> cluster_arrival{}; ///< generation + 1 of an arrival without its wait, else 0

    // cp.async: by lane, copies since the last commit, and groups of them.
    std::array<std::vector<cp_async_copy>, lanes> uncommitted;
    std::array<std::deque<std::vector<cp_async_copy>>, lanes> committed;
    // wgmma
    std::vector<wgmma_operation> open_wgmma;
    std::deque<std::vector<wgmma_operation>> wgmma_groups;
    int in_flight = 0;
    std::uint64_t wgmma_count = 0;
    std::array<std::uint8_t, lanes> carry; ///< CC.CF of each lane, or no_carry
    int register_limit = 0;                ///< setmaxnreg; 0: not known
    // tcgen05: when it last executed fence::before_thread_sync and after, and loads and stores without their wait.
    std::uint32_t tensor_before = 0, tensor_after = 0;
    std::vector<std::function<void(warp&)>> tensor_loads, tensor_stores;

    std::vector<std::unique_ptr<region>> local; ///< of each lane

    int number = 0;               ///< in the cluster
    knowledge clock;              ///< what it knows of the others, and how far it is
    std::uint32_t core_clock = 1; ///< how far the tensor core's work for it is
    bool strong = false;          ///< the access that it makes is one (race_record)
    knowledge fenced;             ///< what it knew at its last fence
    knowledge heard; ///< what its strong reads since then have told it, which counts from the next fence on

    std::uint64_t* value(int r) { return values.data() + std::size_t(r) * lanes; }
    std::uint8_t* poisoned(int r) { return poison.data() + std::size_t(r) * lanes; }
    machine& in() const;
    int thread(int lane) const { return index * lanes + lane; }
};

inline constexpr int uncommitted_group = -2;

/// A bulk copy or reduction under way.
struct bulk_operation
{
    std::function<void()> read;  ///< of a store: takes the shared memory; null when done
    std::function<void()> write; ///< what makes it complete
    block* issued_by = nullptr;
    int thread = 0;
    int group = -1; ///< bulk group of its thread; -1: it completes on an mbarrier
};

struct named_barrier
{
    int expected = 0; ///< threads; 0 when nobody has come
    int arrived = 0;
    std::vector<std::pair<warp*, lane_mask>> waiting;
    std::vector<std::function<void(int, int)>> results; ///< of barrier.red: f(true predicates, threads)
    int voters = 0;
    int true_count = 0;
    knowledge arriving;
};

struct thread_order
{
    std::uint32_t fenced = 0;       ///< time of its last fence.proxy.async
    std::uint32_t init_fenced = 0;  ///< the same, or of fence.mbarrier_init
    std::uint32_t synchronised = 0; ///< time when it last waited for others
    int bulk_groups = 0;            ///< committed so far
};

struct block
{
    cluster* of = nullptr;
    int rank = 0; ///< in the cluster
    std::array<std::uint32_t, 3> id{};
    std::vector<warp> warps;
    std::unique_ptr<region> shared;
    std::map<std::uint64_t, mbarrier_object> mbarriers; ///< by offset
    std::array<named_barrier, 16> barriers;
    std::set<std::uint64_t> acquired_maps; ///< in global memory, by fence.proxy.tensormap
    tensor_memory tensors;
    std::vector<thread_order> threads;
    std::uint32_t cleaned_before = 0; ///< generic writes older than this are seen by the async proxy
    int running = 0;                  ///< threads
    bool refused = false;             ///< it has seen a clusterlaunchcontrol.try_cancel fail
    struct wgmma_record
    {
        const statement* what;
        std::uint64_t a, b;
    };
    std::array<std::map<std::uint64_t, wgmma_record>, 8> wgmma_log; ///< by warpgroup and number
};

struct cluster
{
    machine* of = nullptr;
    std::uint32_t id = 0;
    std::vector<std::unique_ptr<block>> blocks;
    int cluster_arrived = 0;
    std::uint64_t cluster_generation = 0;
    knowledge cluster_arriving, cluster_complete;
    std::vector<std::pair<warp*, lane_mask>> cluster_waiting;
    int running = 0; ///< threads
};

/// How free choices are made.
enum class completion { early, late, random };

/// Levels of reports. `error`: the program computes something else or is undefined. `portability`: it also relies on today's
/// hardware where the document leaves it open. `pedantic`: it also breaks a rule that no hardware is known to need.
enum class level : std::uint8_t { error, portability, pedantic };

struct launch_options
{
    std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
    std::uint64_t shared_bytes = 0;
    std::uint64_t seed = 0;
    std::uint64_t limit = 0; ///< instructions of warps; 0: none
    bool behind = false;     ///< another launch, whose end griddepcontrol.wait waits for
    level reports = level::pedantic;

    std::uint32_t cluster_blocks() const { return cluster[0] * cluster[1] * cluster[2]; }
};

/// Coordinates of a cluster, and of its first block, by its number.
inline std::array<std::uint32_t, 3> cluster_at(const launch_options& o, std::uint64_t id)
{
    const std::uint64_t across = o.grid[0] / o.cluster[0], down = o.grid[1] / o.cluster[1];
    return {static_cast<std::uint32_t>(id % across), static_cast<std::uint32_t>(id / across % down),
            static_cast<std::uint32_t>(id / across / down)};
}
inline std::array<std::uint32_t, 3> first_block(const launch_options& o, std::uint64_t id)
{
    const std::array<std::uint32_t, 3> at = cluster_at(o, id);
    return {at[0] * o.cluster[0], at[1] * o.cluster[1], at[2] * o.cluster[2]};
}

struct tensor_map_record
{
    std::uint64_t base = 0;
    int type = 0, rank = 0, interleave = 0, swizzle = 0, fill = 0;
    std::array<std::uint64_t, 5> lengths{}, strides{}; ///< strides[i]: bytes of dimension i; [0] is unused
    std::array<std::uint32_t, 5> box{}, element_strides{};
    int pixels = 0; ///< of a column in im2col mode, whose channels are box[0]; 0: a map of tiled mode
    std::array<int, 3> lower{}, upper{}; ///< corners of the bounding box of W, H and D in im2col mode
    int atomicity = 0;    ///< what tensormap.replace set; 1, with a swizzle of 128 bytes, makes the swizzle 4
    bool changed = false; ///< by tensormap.replace; its parameters are not checked yet
};

struct machine
{
    module program;
    global_memory memory;
    std::map<std::string, std::uint64_t> globals; ///< addresses of the module's variables
    std::vector<tensor_map_record> tensor_maps;
    std::map<std::uint64_t, const warp*> unreleased_maps; ///< in global memory, and who has changed them

    // State of the launch
    const function* kernel = nullptr;
    std::vector<instruction> code;
    std::vector<register_type> registers;
    std::unique_ptr<region> parameters;
    std::uint64_t static_shared = 0, local_bytes = 0;
    std::map<std::uint64_t, int> shared_addresses; ///< the register that holds an address of the own block
    int most_registers = 0;                        ///< that a setmaxnreg of the kernel asks for
    launch_options options;
    completion when = completion::late;
    std::mt19937_64 random;
    /// Memory that the launch in front still uses: it holds no value and may not be written, and what it was.
    struct held_memory
    {
        region* where;
        bool writable;
        std::vector<byte_state> states;
    };
    std::vector<held_memory> held;
    void hold_memory();
    /// The launch in front has ended.
    void release_memory();
    std::vector<std::unique_ptr<cluster>> resident;
    std::vector<bulk_operation> bulk;
    std::deque<tensor_pipe> pipes; ///< of threads that have the tensor core work
    std::uint32_t time = 1;
    std::uint64_t executed = 0;
    std::uint64_t progress = 0; ///< grows with everything that another warp could wait for
    std::vector<std::uint64_t> counts_by_pc;
    std::map<std::string, std::uint64_t> counts; ///< executed, by opcode with modifiers

    /// A cluster that has not started and never will; below 0 if there is none.
    std::function<std::int64_t()> next_launch;

    std::uint64_t pick(std::uint64_t n) { return random() % n; }
    bool reports(level l) const { return options.reports >= l; }

    /// Takes the text of a .ptx file, and adds its variables to the memory. Errors: fault, naming the line.
    void load(const std::string& source);
    void launch(const std::string& kernel_name, const std::vector<std::uint8_t>& arguments, const launch_options& o);

    /// The place of an address for a lane.
    place resolve(warp& w, int lane, state_space space, std::uint64_t address, std::uint64_t size);
    block& block_of_rank(warp& w, std::uint64_t rank);

    /// Lets lanes go on that were parked.
    void release(warp& w, lane_mask mask);
    void note_synchronised(warp& w, lane_mask mask);
    /// Lets a barrier's waiters go on where all have come.
    void check_barrier(block& b, named_barrier& barrier);
    void check_cluster_barrier(cluster& c);

    /// Completes bulk operations, and does the tensor core's, as the policy says; `idle`: nothing else can run.
    bool complete_bulk(bool idle);
    /// The next operation of a pipe, or a copy that overtakes products; false where there is none.
    bool work_tensor_core(tensor_pipe& pipe);
    void finish_bulk(std::size_t index);

private:
    friend struct scheduler;
};

inline machine& warp::in() const { return *of->of->of; }

template <class F>
void each_lane(lane_mask mask, F f)
{
    if (mask == all_lanes) {
        for (int lane = 0; lane < lanes; ++lane)
            f(lane);
        return;
    }
    for (; mask != 0; mask &= mask - 1)
        f(__builtin_ctz(mask));
}

} // namespace ptx
