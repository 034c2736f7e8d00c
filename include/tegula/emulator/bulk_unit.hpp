#pragma once

#include <tegula/emulator/async_runtime.hpp>
#include <tegula/emulator/mbarrier_unit.hpp>
#include <tegula/emulator/tensor_box.hpp>

namespace tegula::emulator::detail {

/// Bulk copies: boxes of tensors, or contiguous bytes, between global memory and the shared memory of a cluster. With
/// checks on, loads arrive when their mbarrier's phase has been waited for. Stores arrive when their group has been
/// waited for, or when the lane returns. With checks off everything arrives at once.
class bulk_unit : private fault_holder
{
public:
    bulk_unit(cluster_state& cluster, mbarrier_unit& mbarriers) : cluster_(cluster), mbarriers_(mbarriers) {}

    void begin_cluster()
    {
        stores_.resize(cluster_.lanes.size());
        for (lane_stores& lane : stores_) {
            lane.groups = 0;
            lane.pending.clear();
        }
        acquired_.clear();
    }

    /// From now on the block may use this map, which lies in memory.
    void acquire(const lane_state& me, const tensor_map& map)
    {
        if (!has_acquired(me, &map))
            acquired_.push_back({me.block, &map});
    }

    // Each returns a fault, or null when all is well.

    const fault* load(lane_state& me, void* shared, const bulk_place& from, void* barrier, std::uint32_t blocks)
    {
        copy c;
        if (const fault* f = prepare(me, from, "bulk load", c))
            return f;
        if (const fault* f = walk(me, c, traffic_kind::read))
            return f;
        const auto count = static_cast<int>(cluster_.blocks.size());
        if (blocks >> count != 0)
            return blame("bulk load to blocks " + std::to_string(blocks) + " of a cluster of " + std::to_string(count),
                         "name only blocks of the cluster in the mask");
        if (blocks == 0)
            return deliver(me, shared, barrier, *me.block, c, true);
        bool first = true;
        for (int rank = 0; rank < count; ++rank)
            if ((blocks >> rank & 1) != 0) {
                const block_state& block = cluster_.blocks[static_cast<std::size_t>(rank)];
                if (const fault* f =
                        deliver(me, in_block(me, shared, block), in_block(me, barrier, block), block, c, first))
                    return f;
                first = false;
            }
        return nullptr;
    }

    /// The response to a request for another cluster's launch: 16 bytes, for this block or all of the cluster.
    const fault* respond(lane_state& me, void* shared, void* barrier, const std::byte (&response)[16], bool all)
    {
        copy c;
        c.action = "response to try_cancel";
        c.bytes = 16;
        c.image.assign(response, response + 16);
        if (!all)
            return deliver(me, shared, barrier, *me.block, c, true);
        for (const block_state& block : cluster_.blocks)
            if (const fault* f =
                    deliver(me, in_block(me, shared, block), in_block(me, barrier, block), block, c, false))
                return f;
        return nullptr;
    }

    /// A lane's 16 bytes for a place of the cluster's shared memory, counted by an mbarrier of the same block.
    const fault* store_async(lane_state& me, void* shared, const void* value, void* barrier)
    {
        const block_state* const block = cluster_.holder_of(me, shared);
        if (block == nullptr || !block->holds(barrier))
            return blame("remote store to a place and an mbarrier that are not in the shared memory of one block "
                         "of the cluster",
                         "map both addresses to the same rank by address_in_peer()");
        copy c;
        c.action = "remote store";
        c.bytes = 16;
        c.image.assign(static_cast<const std::byte*>(value), static_cast<const std::byte*>(value) + 16);
        return deliver(me, shared, barrier, *block, c, true);
    }

    const fault* store(lane_state& me, const bulk_place& to, const void* shared, bulk_action action)
    {
        copy c;
        if (const fault* f = prepare(me, to, action == bulk_action::add ? "bulk add" : "bulk store", c))
            return f;
        if (to.map == nullptr)
            c.box.type = tensor_element::f32; // of an addition; a copy moves bytes
        if (slot_bytes(c.box.type) != 16)
            return blame("bulk store of elements of 4 or 6 bits in slots of 16 bytes", "store them as packed bytes");
        if (action == bulk_action::add && !can_be_added(c.box.type))
            return blame("bulk add of elements that the copy engine does not add",
                         "use a tensor map of f32, f16, bf16, u32, i32 or u64");
        if (to.map != nullptr) {
            // Seen on an H200; loads have no such rule.
            if (const int multiple = 16 / bytes_of(c.box.type); to.x[0] < 0 || to.x[0] % multiple != 0)
                return blame(std::string(c.action) + " from coordinate " + std::to_string(to.x[0]) +
                                 " of the innermost dimension on: hardware takes multiples of 16 bytes, 0 or more",
                             "start at a multiple of " + std::to_string(multiple) + " elements");
            store_whole_chunks(c);
        }
        if (me.checks) {
            shared_checker& checker = cluster_.checker_of(me).shared();
            if (const fault* f = checker.check_bulk_place(shared, size_of(c), alignment_of(c), c.action))
                return f;
            if (const fault* f =
                    checker.begin_async_read(me, cluster_.observer_at_line(me), shared, size_of(c), c.action))
                return f;
        }
        c.image.resize(static_cast<std::size_t>(c.bytes));
        unswizzle_box(c.box.swizzle, offset_of(me, shared), static_cast<const std::byte*>(shared), c.image.data(),
                      c.bytes);
        if (const fault* f = walk(me, c, action == bulk_action::add ? traffic_kind::atomic : traffic_kind::write))
            return f;
        lane_stores& mine = stores_[static_cast<std::size_t>(cluster_.number_of(me))];
        if (action == bulk_action::add)
            add_all(c);
        else if (!me.checks)
            write_all(c);
        if (me.checks)
            mine.pending.push_back({std::move(c), shared, mine.groups, false, action == bulk_action::add});
        return nullptr;
    }

    void commit(const lane_state& me) { ++stores_[static_cast<std::size_t>(cluster_.number_of(me))].groups; }

    void wait(lane_state& me, int groups_in_flight, bool read_only)
    {
        lane_stores& mine = stores_[static_cast<std::size_t>(cluster_.number_of(me))];
        for (pending_store& store : mine.pending) {
            if (store.group >= mine.groups - groups_in_flight)
                continue;
            const observer now = cluster_.observer_at_line(me);
            if (!store.read)
                cluster_.checker_of(me).shared().end_async_read(now, store.shared, size_of(store.what));
            store.read = true;
            store.done = !read_only;
            if (read_only)
                continue;
            for (const run_of_bytes& run : store.what.runs)
                if (store.added)
                    cluster_.global.end_add(now, run.place, run.bytes);
                else
                    cluster_.global.end_write(now, run.place, run.bytes);
            if (!store.added)
                write_back(store.what);
        }
        std::erase_if(mine.pending, [](const pending_store& store) { return store.done; });
    }

    /// Called when a lane returns from the kernel: its stores arrive later, but the shared memory is gone then.
    const fault* finish(lane_state& me)
    {
        lane_stores& mine = stores_[static_cast<std::size_t>(cluster_.number_of(me))];
        for (pending_store& store : mine.pending) {
            if (!store.read)
                return blame("the lane returned while a " + std::string(store.what.action) +
                                 " of its was still reading shared memory",
                             "commit it and wait for its group, at least until it has read");
            if (!store.added)
                write_back(store.what);
        }
        mine.pending.clear();
        return nullptr;
    }

private:
    struct run_of_bytes
    {
        std::byte* global;
        int offset; // in the box
        int bytes;
        global_place place{}; // with checks on
    };
    /// A copy with its rows as they lie in global memory.
    struct copy
    {
        const char* action = "";
        tensor_map_parameters box;
        long bytes = 0;
        std::vector<run_of_bytes> runs;
        std::vector<std::byte> image; // of the box, its rows one after the other
    };
    struct pending_store
    {
        copy what;
        const void* shared;
        int group;
        bool read;
        bool added;
        bool done = false;
    };
    struct lane_stores
    {
        int groups = 0; // committed so far
        std::vector<pending_store> pending;
    };

    static int size_of(const copy& c) { return static_cast<int>(c.bytes); }
    static long offset_of(const lane_state& me, const void* shared)
    {
        return static_cast<const std::byte*>(shared) - me.block->shared;
    }
    /// The address of `shared` in another block's shared memory.
    static void* in_block(const lane_state& me, void* shared, const block_state& block)
    {
        return block.shared + offset_of(me, shared);
    }

    bool has_acquired(const lane_state& me, const tensor_map* map) const
    {
        for (auto one = acquired_.rbegin(); one != acquired_.rend(); ++one)
            if (one->first == me.block && one->second == map)
                return true;
        return false;
    }

    /// The rows of a copy.
    const fault* prepare(const lane_state& me, const bulk_place& place, const char* action, copy& c)
    {
        c.action = action;
        if (place.map == nullptr) {
            if (place.bytes <= 0 || place.bytes % 16 != 0 || reinterpret_cast<std::uintptr_t>(place.global) % 16 != 0)
                return blame(std::string(action) + " of " + std::to_string(place.bytes) +
                                 " bytes in a row: the size and both addresses must be "
                                 "multiples of 16",
                             "align the memory, or copy by ordinary loads and stores");
            c.bytes = place.bytes;
            c.runs.push_back({const_cast<std::byte*>(static_cast<const std::byte*>(place.global)), 0, place.bytes, {}});
            return nullptr;
        }
        if (!read_tensor_map(*place.map, c.box))
            return blame(std::string(action) + " by a tensor map that was not made for the emulator",
                         "make it with describe_tensor_map() of host/tensor_map.hpp, "
                         "and pass it as an argument");
        if (me.checks && cluster_.plan->ranges->find(place.map, sizeof(tensor_map)) >= 0 &&
            !has_acquired(me, place.map))
            return blame(std::string(action) + " by a tensor map in memory that no lane of the block has acquired",
                         "call acquire_tensor_map() before the block's first copy by it, or pass the map as an "
                         "argument");
        if (c.box.rank != place.rank)
            return blame(std::string(action) + " at " + std::to_string(place.rank) +
                             " coordinates by a tensor map of " + std::to_string(c.box.rank) + " dimensions",
                         "give one coordinate a dimension");
        if (slot_bytes(c.box.type) != 16 && place.x[0] % 128 != 0)
            return blame(std::string(action) + " of elements of 4 or 6 bits from coordinate " +
                             std::to_string(place.x[0]) + " on",
                         "start boxes of such elements at multiples of 128");
        c.bytes = c.box.box_bytes();
        for_each_row(c.box, place.x, [&c](const box_row& row) {
            if (row.inside > 0)
                c.runs.push_back({const_cast<std::byte*>(row.global), row.offset + row.skipped, row.inside, {}});
        });
        return nullptr;
    }

    /// Hardware writes and adds whole chunks of 16 bytes, also past the end of a row of the tensor: seen on an H200;
    /// triton-lang/triton#11583 says so of stores on H100 and B200.
    static void store_whole_chunks(copy& c)
    {
        for (run_of_bytes& run : c.runs)
            run.bytes = ceil_div(run.bytes, 16) * 16;
    }

    /// Checks and counts the global memory of a copy; gathers it if it is read.
    const fault* walk(lane_state& me, copy& c, traffic_kind kind)
    {
        const bool load = kind == traffic_kind::read;
        memory_checker& checker = cluster_.checker_of(me);
        counters& totals = cluster_.totals;
        ++(load ? totals.bulk_loads : totals.bulk_stores);
        (load ? totals.bulk_load_bytes : totals.bulk_store_bytes) += c.bytes;
        if (load)
            c.image.assign(static_cast<std::size_t>(c.bytes), std::byte{0});
        for (run_of_bytes& run : c.runs) {
            if (me.checks) {
                if (const fault* f =
                        checker.check_bulk_global(cluster_.observer_of(me), kind, run.global,
                                                  static_cast<std::size_t>(run.bytes), c.action, run.place))
                    return f;
                (load ? totals.global_load_sectors : totals.global_store_sectors) +=
                    checker.sectors(run.place, run.bytes);
                if (cluster_.global.tracks(run.place))
                    if (const fault* f = begin_global(me, kind, run, c.action))
                        return f;
            }
            if (load)
                spread_row(c.box.type, c.image.data() + run.offset, run.global, run.bytes);
        }
        return nullptr;
    }

    const fault* begin_global(lane_state& me, traffic_kind kind, const run_of_bytes& run, const char* action)
    {
        const observer now = cluster_.observer_at_line(me);
        global_checker& global = cluster_.global;
        return kind == traffic_kind::read    ? global.begin_read(me, now, run.place, run.bytes, action, true)
               : kind == traffic_kind::write ? global.begin_write(me, now, run.place, run.bytes, action)
                                             : global.begin_add(me, now, run.place, run.bytes, action);
    }

    /// A load into one block's shared memory, the first or a further one, and its transactions at the mbarrier there.
    const fault* deliver(lane_state& me, void* shared, void* barrier, const block_state& block, const copy& c,
                         bool first)
    {
        if (&block != me.block)
            if (const fault* f = mbarriers_.require_present(me, block, c.action))
                return f;
        mbarrier* b = nullptr;
        if (const fault* f = mbarriers_.find(me, barrier, c.action, b))
            return f;
        if (const fault* f = mbarriers_.require_published(me, *b, c.action))
            return f;
        if (!block.holds(barrier)) // the first block of a pair counts the bytes of both
            if (const fault* f = mbarriers_.require_present(me, *cluster_.holder_of(me, barrier), c.action))
                return f;
        const long offset = static_cast<std::byte*>(shared) - block.shared;
        if (me.checks) {
            memory_checker& checker = cluster_.checker_of(block);
            if (const fault* f = checker.shared().begin_async_write(me, cluster_.observer_at_line(me), shared,
                                                                    size_of(c), alignment_of(c), c.action))
                return f;
            bulk_flight& flight = b->flights.emplace_back();
            flight.action = c.action;
            flight.to = static_cast<std::byte*>(shared);
            flight.issuer = &me;
            flight.phase = b->phase;
            flight.bytes.resize(static_cast<std::size_t>(c.bytes));
            swizzle_box(c.box.swizzle, offset, c.image.data(), flight.bytes.data(), c.bytes);
            flight.site = cluster_.sites.number_of(me.where);
            if (first) // the others read nothing more
                remember_sources(c, flight);
            std::memset(shared, 0xff, static_cast<std::size_t>(c.bytes));
        } else {
            swizzle_box(c.box.swizzle, offset, c.image.data(), static_cast<std::byte*>(shared), c.bytes);
        }
        return mbarriers_.transact(*b, c.bytes);
    }

    static int alignment_of(const copy& c) { return c.box.base == nullptr ? 16 : box_alignment(c.box.swizzle); }

    /// Only memory that a kernel may write can change while it is read.
    void remember_sources(const copy& c, bulk_flight& flight) const
    {
        for (const run_of_bytes& run : c.runs)
            if (cluster_.global.tracks(run.place))
                flight.sources.push_back({run.place, run.bytes});
    }

    void write_back(const copy& c)
    {
        for (const run_of_bytes& run : c.runs)
            cluster_.global.undo().note(run.global, static_cast<std::size_t>(run.bytes));
        write_all(c);
    }
    static void write_all(const copy& c)
    {
        for (const run_of_bytes& run : c.runs)
            std::memcpy(run.global, c.image.data() + run.offset, static_cast<std::size_t>(run.bytes));
    }

    /// Additions wait for the end of the launch, as all do, so that sums do not depend on the order of blocks.
    void add_all(const copy& c)
    {
        for (const run_of_bytes& run : c.runs)
            for (int at = 0; at < run.bytes; at += bytes_of(c.box.type))
                cluster_.global.keep(make_deferred_add(c.box.type, run.global + at, c.image.data() + run.offset + at));
    }

    cluster_state& cluster_;
    mbarrier_unit& mbarriers_;
    std::vector<lane_stores> stores_; // by lane of the cluster
    std::vector<std::pair<const block_state*, const tensor_map*>> acquired_;
};

} // namespace tegula::emulator::detail
