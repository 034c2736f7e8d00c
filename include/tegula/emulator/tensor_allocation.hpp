#pragma once

#include <tegula/core/math.hpp>
#include <tegula/emulator/mbarrier_unit.hpp>
#include <tegula/emulator/tensor_order.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace tegula::emulator::detail {

/// The tensor memory of the blocks that run together: allocation, and what the two blocks of a pair owe each other.
class tensor_allocation : protected tensor_order
{
public:
    static constexpr const char* waiting_at = "tcgen05.alloc";

    /// Begins a cluster of a chip without tensor memory: drops the counts of an earlier launch, perhaps of fewer waves.
    void begin_without()
    {
        arrived_.clear();
        passed_.clear();
    }
    /// The wave came through a cluster barrier: its peers are there.
    void meet_cluster(const wave_state& wave)
    {
        if (!passed_.empty())
            ++passed_[static_cast<std::size_t>(wave.timeline)];
    }
    /// The wave arrives at a cluster barrier.
    void arrive_at_cluster(const wave_state& wave)
    {
        if (!arrived_.empty())
            ++arrived_[static_cast<std::size_t>(wave.timeline)];
    }

    void allocate(lane_state& last, int columns, int blocks)
    {
        run_.end_on_fault(last, check_allocation(last, columns, blocks));
        note_pair(last, blocks, columns);
        if (grant(last, columns))
            return release_wave(last);
        requests_.push_back({&last, columns});
        release_wave(last);
        last.wave->ready = 0;
        last.wave->waits_at = waiting_at;
        last.wave->waits_id = 0;
        run_.suspend(last);
    }

    void deallocate(lane_state& last, std::uint32_t address, int columns, int blocks)
    {
        run_.end_on_fault(last, release(last, address, columns, blocks));
        note_pair(last, blocks, -columns);
        run_.note_progress();
        for (auto request = requests_.begin(); request != requests_.end();) {
            wave_state& wave = *request->lane->wave;
            if (request->lane->block != last.block || !grant(*request->lane, request->columns)) {
                ++request;
                continue;
            }
            wave.ready = wave.all;
            wave.waits_at = nullptr;
            request = requests_.erase(request);
        }
    }

    const fault* relinquish(lane_state& last, int blocks)
    {
        memory_of(last).relinquished = true;
        note_pair(last, blocks, 0);
        return check_group(last, blocks, "tcgen05.relinquish_alloc_permit");
    }

    std::string describe_wait(const wave_state& wave) const
    {
        for (const request& r : requests_)
            if (r.lane->wave == &wave)
                return std::to_string(r.columns) + " columns of tensor memory";
        return "";
    }

protected:
    tensor_allocation(cluster_state& cluster, mbarrier_unit& mbarriers, runtime& run)
        : tensor_order(cluster), mbarriers_(mbarriers), run_(run)
    {}
    void begin_allocations()
    {
        memories_.assign(cluster_.blocks.size(), {});
        arrived_.assign(cluster_.waves.size(), 0);
        passed_.assign(cluster_.waves.size(), 0);
        partners_.assign(cluster_.blocks.size(), std::vector<int>(cluster_.waves.size()));
        of_pairs_.assign(cluster_.blocks.size(), {});
        requests_.clear();
    }

    tensor_block& memory_of(const lane_state& me) { return memories_[static_cast<std::size_t>(me.block->rank)]; }

    /// One kernel uses one .cta_group; with 2, the peer must be there.
    const fault* check_group(lane_state& me, int blocks, const char* name)
    {
        tensor_block& memory = memory_of(me);
        if (memory.blocks == 0)
            memory.blocks = blocks;
        if (memory.blocks != blocks)
            return blame(std::string(name) + " with cta_group::" + std::to_string(blocks) +
                             " in a kernel that uses ::" + std::to_string(memory.blocks),
                         "use one of the two in all tcgen05 instructions of a kernel");
        if (blocks == 1)
            return nullptr;
        if (cluster_.blocks.size() % 2 != 0)
            return blame(std::string(name) + " with cta_group::2 in a cluster of " +
                             std::to_string(cluster_.blocks.size()) + " blocks",
                         "launch clusters of an even number of blocks");
        const auto wave = static_cast<std::size_t>(me.wave->timeline);
        if (passed_[wave] == 0)
            return blame(std::string(name) + " with cta_group::2 before the peer block is known to run",
                         "put a cluster barrier before the first of them");
        const int peer = me.block->rank ^ 1;
        partners_[static_cast<std::size_t>(peer)][wave] = arrived_[wave] + 1;
        return mbarriers_.require_present(me, cluster_.blocks[static_cast<std::size_t>(peer)], name);
    }

    /// When every thread of the block has returned: everything is given back, and the peer needs the block no more.
    const fault* check_end(const block_state& block)
    {
        const tensor_block& memory = memories_[static_cast<std::size_t>(block.rank)];
        if (!memory.allocations.empty())
            return blame("the block returned with " + std::to_string(memory.allocations.front().columns) +
                             " columns of tensor memory from column " +
                             std::to_string(memory.allocations.front().column) + " on allocated",
                         "deallocate everything before the block returns: keep a tensor_memory_scope");
        const auto rank = static_cast<std::size_t>(block.rank);
        if (const std::size_t peer = rank ^ 1; peer < of_pairs_.size() && cluster_.blocks[peer].left) {
            const std::vector<int>& own = of_pairs_[rank];
            const std::vector<int>& other = of_pairs_[peer];
            if (own != other)
                return blame("tcgen05.alloc, dealloc and relinquish_alloc_permit with cta_group::2: " +
                                 std::to_string(own.size()) + " of them by this block and " +
                                 std::to_string(other.size()) + " by its peer, or others; each waits for the peer's",
                             "let one warp of each block of the pair execute them, in the same order");
        }
        int passed = 0;
        for (const wave_state& wave : cluster_.waves)
            if (cluster_.lanes_of(wave)->block == &block)
                passed = std::max(passed, passed_[static_cast<std::size_t>(wave.timeline)]);
        for (const int needed : partners_[static_cast<std::size_t>(block.rank)])
            if (needed > passed)
                return blame("the block leaves the cluster while its peer may still issue tcgen05 instructions with "
                             "cta_group::2",
                             "put a cluster barrier behind the last of them, deallocation included");
        return nullptr;
    }

    mbarrier_unit& mbarriers_;
    std::vector<tensor_block> memories_; // by block

private:
    struct request
    {
        lane_state* lane;
        int columns;
    };

    /// Notes an action that both blocks of a pair must do: an allocation as its columns, a deallocation as their
    /// negative, the permit as 0.
    void note_pair(const lane_state& me, int blocks, int what)
    {
        if (blocks == 2)
            of_pairs_[static_cast<std::size_t>(me.block->rank)].push_back(what);
    }

    const fault* check_allocation(lane_state& last, int columns, int blocks)
    {
        tensor_block& memory = memory_of(last);
        if (const fault* f = check_group(last, blocks, "tcgen05.alloc"))
            return f;
        const int all = last.block->chip->tensor_columns;
        if (columns < 32 || columns > all || !is_power_of_two(columns))
            return blame("tcgen05.alloc of " + std::to_string(columns) + " columns",
                         "ask for a power of two from 32 to " + std::to_string(all));
        if (memory.relinquished)
            return blame("tcgen05.alloc behind relinquish_alloc_permit of the block",
                         "allocate everything before the block gives the permit up");
        if (memory.least != 0 && columns > memory.least)
            return blame("tcgen05.alloc of " + std::to_string(columns) + " columns after one of " +
                             std::to_string(memory.least),
                         "allocate the largest part first");
        return nullptr;
    }

    bool grant(lane_state& lane, int columns)
    {
        tensor_block& memory = memory_of(lane);
        memory.prepare(lane.block->chip->tensor_columns, lane.block->threads / 32 + 1);
        const int column = memory.find_room(columns, lane.block->chip->tensor_columns);
        if (column < 0)
            return false;
        const observer now = cluster_.observer_at_line(lane);
        memory.take(column, columns, now.stamp);
        cluster_.tick(*lane.wave);
        for (int l = 0; l < lane.wave->lanes; ++l)
            *static_cast<std::uint32_t*>(lane.wave->arguments[l]) = tensor_memory_address(0, column);
        return true;
    }

    const fault* release(lane_state& last, std::uint32_t address, int columns, int blocks)
    {
        tensor_block& memory = memory_of(last);
        if (const fault* f = check_group(last, blocks, "tcgen05.dealloc"))
            return f;
        const tensor_memory_place at = place_of(address);
        const tensor_block::allocation* a = memory.find(at.column);
        if (a == nullptr || at.lane != 0 || a->column != at.column || a->columns != columns)
            return blame("tcgen05.dealloc of " + std::to_string(columns) + " columns at column " +
                             std::to_string(at.column) + ", which were not allocated so",
                         "give the address and the columns of the allocation");
        if (last.checks)
            for (int half = 0; half < tensor_block::halves; ++half)
                for (int c = at.column; c < at.column + columns; ++c) {
                    const tensor_cell& cell = memory.cell(half, c);
                    if (!is_over(last, cell.writer))
                        return blame_cell(last, "tcgen05.dealloc", cell.writer, half, c);
                    for (const int reader : cell.readers)
                        if (!is_over(last, reader))
                            return blame_cell(last, "tcgen05.dealloc", reader, half, c);
                }
        memory.give_back(at.column);
        return nullptr;
    }

    runtime& run_;
    std::vector<int> arrived_;               // by wave: at cluster barriers
    std::vector<int> passed_;                // by wave: cluster barriers
    std::vector<std::vector<int>> partners_; // by block and wave of its peer: the cluster barrier it must stay for
    std::vector<std::vector<int>> of_pairs_; // by block: see note_pair()
    std::vector<request> requests_;
};

} // namespace tegula::emulator::detail
