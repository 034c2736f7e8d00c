#pragma once

#include <tegula/emulator/tensor_allocation.hpp>

namespace tegula::emulator::detail {

/// The tensor memory of the blocks that run together, and the tensor cores' instructions on it: allocation,
/// asynchronous products and copies, loads and stores of waves, fences (PTX ISA 9.0, 9.7.16).
///
/// Order: an operation is over for lanes that know the phase of an mbarrier at which a later commit arrived; loads and
/// stores are over at their wait. Another thread needs fence::after_thread_sync before it relies on either. For a load
/// or store the first thread needs fence::before_thread_sync before it tells the other.
class tensor_memory_unit : public tensor_allocation
{
public:
    tensor_memory_unit(cluster_state& cluster, mbarrier_unit& mbarriers, runtime& run)
        : tensor_allocation(cluster, mbarriers, run)
    {}

    void begin_cluster()
    {
        begin_allocations();
        history_.begin(cluster_.waves.size());
        pipes_.clear();
        seen_.assign(cluster_.lanes.size(), {});
        for (vector_clock& clock : seen_)
            clock.reset(max_timelines);
        fine_earlier_ = fine_later_ = -1;
    }

    // Fences

    void fence(lane_state& me, bool before)
    {
        if (!me.checks)
            return;
        if (before) {
            history_.release(me, cluster_.time_of(me));
            cluster_.tick(me);
            return;
        }
        vector_clock& clock = seen_[static_cast<std::size_t>(cluster_.number_of(me))];
        // An arrival from another block releases accesses to tensor memory as it releases reads.
        const auto join = [&clock](const knowledge& known) {
            clock.join(known.happened);
            clock.join(known.reads);
        };
        join(cluster_.known_to(me));
        for_own_acquisitions(me, join);
    }

    // Products and copies

    const fault* issue(lane_state& me, tensor_operation& operation)
    {
        if (const fault* f = check_group(me, operation.blocks, operation.name))
            return f;
        const int first = operation.blocks == 2 ? me.block->rank & ~1 : me.block->rank;
        if (operation.blocks == 2 && me.block->rank != first)
            return blame(std::string(operation.name) + " with cta_group::2 by the second block of its pair",
                         "let the block of even rank issue what both do");
        for (int b = 0; b < operation.blocks; ++b) {
            const block_state& block = cluster_.blocks[static_cast<std::size_t>(first + b)];
            tensor_block& memory = memories_[static_cast<std::size_t>(block.rank)];
            operation.shared[b] = block.shared;
            memory.integers = memory.integers || operation.integers;
            if (const fault* f = check_region(me, memory, operation.written, operation.name))
                return f;
            operation.words[b] = memory.words.data();
            for (int i = 0; i < operation.reads; ++i)
                if (const fault* f = check_region(me, memory, operation.read[i], operation.name))
                    return f;
        }
        tensor_pipe* pipe = pipe_of(me);
        if (pipe == nullptr)
            return too_many_pipes();
        ++pipe->issued;
        return me.checks ? begin(me, operation, *pipe, first) : nullptr;
    }

    const fault* commit(lane_state& me, void* barrier, std::uint32_t ranks, int blocks)
    {
        constexpr const char* name = "tcgen05.commit";
        if (const fault* f = check_group(me, blocks, name))
            return f;
        tensor_pipe* pipe = pipe_of(me);
        if (pipe == nullptr)
            return too_many_pipes();
        const int timeline = pipe_timeline(*pipe);
        if (ranks == 0)
            return mbarriers_.arrive_by_commit(me, barrier, name, timeline, pipe->issued);
        const auto count = static_cast<int>(cluster_.blocks.size());
        if (ranks >> count != 0)
            return blame("tcgen05.commit to blocks " + std::to_string(ranks) + " of a cluster of " +
                             std::to_string(count),
                         "name only blocks of the cluster in the mask");
        const auto offset = static_cast<std::byte*>(barrier) - me.block->shared;
        for (int rank = 0; rank < count; ++rank)
            if ((ranks >> rank & 1) != 0)
                if (const fault* f =
                        mbarriers_.arrive_by_commit(me, cluster_.blocks[static_cast<std::size_t>(rank)].shared + offset,
                                                    name, timeline, pipe->issued))
                    return f;
        return nullptr;
    }

    /// The lane has waited at an mbarrier: what it now knows to be over no longer reads shared memory.
    void retire(lane_state& me)
    {
        for (tensor_pipe& pipe : pipes_) {
            if (pipe.reads.empty())
                continue;
            const int timeline = pipe_timeline(pipe);
            std::uint32_t over = cluster_.known_to(me).happened.at(timeline);
            for_own_acquisitions(me, [&](const knowledge& k) { over = std::max(over, k.happened.at(timeline)); });
            observer end = cluster_.observer_of(me);
            for (const tensor_pipe::read& r : pipe.reads) {
                if (r.number > over)
                    continue;
                end.stamp = {r.number, static_cast<std::uint8_t>(timeline), 0};
                end.site = r.site;
                cluster_.checkers[static_cast<std::size_t>(r.rank)].shared().end_operands(end, r.chunks);
            }
            std::erase_if(pipe.reads, [over](const auto& r) { return r.number <= over; });
        }
    }

    // Loads and stores

    const fault* access(lane_state& last, bool stores, tegula::tensor_access shape, int registers, int second)
    {
        const char* name = stores ? "tcgen05.st" : "tcgen05.ld";
        tensor_block& memory = memory_of(last);
        const auto of = [&](int lane) { return static_cast<const tensor_transfer*>(last.wave->arguments[lane]); };
        const std::uint32_t address = of(0)->address;
        for (int lane = 1; lane < last.wave->lanes; ++lane)
            if (of(lane)->address != address)
                return blame(std::string(name) + " by lanes that give different addresses",
                             "give one address in all lanes of the warp");
        tensor_operation::region region{place_of(address), lanes_of(shape),
                                        registers / registers_of(shape) * columns_of(shape)};
        const int slab = last.wave->index % 4 * 32;
        if (region.first.lane < slab || region.first.lane + region.lanes > slab + 32 || region.first.lane % 16 != 0)
            return blame(std::string(name) + " of lanes " + std::to_string(region.first.lane) + " to " +
                             std::to_string(region.first.lane + region.lanes - 1) + " by wave " +
                             std::to_string(last.wave->index) + ", which reaches lanes " + std::to_string(slab) +
                             " to " + std::to_string(slab + 31),
                         "add 32 (wave % 4) lanes to the address");
        tensor_operation::region other = region;
        other.first.column += second;
        const bool two = shape == tegula::tensor_access::lanes_16x32bx2 && second != 0;
        for (const auto& r : {region, other})
            if (const fault* f = check_region(last, memory, r, name))
                return f;
        if (last.checks) {
            const int number = history_.add_transfer(last, stores, cluster_.sites.number_of(last.where));
            for (const auto* r : {&region, two ? &other : nullptr})
                if (r != nullptr)
                    if (const fault* f = touch(last, memory, *r, number, stores, false, name))
                        return f;
        }
        if (!stores && memory.integers)
            last.wave->unset |= integers_in_flight;
        transfer(last, memory, region.first, stores, shape, registers, second);
        return nullptr;
    }

    const fault* wait(lane_state& last, bool stores)
    {
        if (!stores && last.checks)
            for (const withheld_registers& w : memory_of(last).withheld[static_cast<std::size_t>(last.wave->index)])
                if (!w.deliver())
                    return blame("the registers of a tcgen05.ld were written while it was in flight",
                                 "call tcgen05.wait::ld before they are touched");
        memory_of(last).withheld[static_cast<std::size_t>(last.wave->index)].clear();
        history_.wait(*last.wave, stores, cluster_.time_of(last));
        return nullptr;
    }

    /// Called when every thread of the block has returned.
    const fault* check_block_exit(const block_state& block)
    {
        if (const fault* f = check_end(block))
            return f;
        for (const tensor_pipe& pipe : pipes_)
            for (const tensor_pipe::read& r : pipe.reads)
                if (r.rank == block.rank)
                    return blame(
                        "the block returned while a tcgen05 instruction may still be reading its shared memory",
                        "commit it and wait at the mbarrier before the block returns");
        return nullptr;
    }

private:
    tensor_pipe* pipe_of(const lane_state& me)
    {
        for (tensor_pipe& pipe : pipes_)
            if (pipe.issuer == &me)
                return &pipe;
        if (pipes_.size() == tensor_pipes)
            return nullptr;
        tensor_pipe& pipe = pipes_.emplace_back();
        pipe.issuer = &me;
        pipe.number = static_cast<int>(pipes_.size()) - 1;
        return &pipe;
    }

    // Accesses

    const fault* check_region(lane_state& me, tensor_block& memory, const tensor_operation::region& r, const char* name)
    {
        if (r.columns == 0)
            return nullptr;
        const int last = r.first.column + r.columns - 1;
        const tensor_block::allocation* a = memory.find(r.first.column);
        if (r.first.lane + r.lanes > tensor_memory_lanes)
            return blame(std::string(name) + " of tensor memory lanes " + std::to_string(r.first.lane) + " to " +
                             std::to_string(r.first.lane + r.lanes - 1) + "; there are 128",
                         "mind the lane in the upper half of the address");
        if (a == nullptr || last >= a->column + a->columns)
            return blame(std::string(name) + " of tensor memory columns " + std::to_string(r.first.column) + " to " +
                             std::to_string(last) + ", which are not all in one allocation",
                         "allocate more columns, or keep to those of the allocation");
        if (me.checks && &memory == &memory_of(me) && !cluster_.observer_of(me).in_order(a->stamp))
            return blame(std::string(name) + " of tensor memory races with its allocation",
                         "put a barrier between tcgen05.alloc and the first use");
        return nullptr;
    }

    const fault* begin(lane_state& me, const tensor_operation& operation, tensor_pipe& pipe, int first)
    {
        const std::uint16_t site = cluster_.sites.number_of(me.where);
        const int number = history_.add_operation(me, operation, pipe, site);
        const observer now = cluster_.observer_at_line(me);
        for (int b = 0; b < operation.blocks; ++b) {
            const auto rank = static_cast<std::size_t>(first + b);
            for (int i = 0; i < operation.reads; ++i)
                if (const fault* f =
                        touch(me, memories_[rank], operation.read[i], number, false, false, operation.name))
                    return f;
            if (const fault* f = touch(me, memories_[rank], operation.written, number, true, operation.reads_written,
                                       operation.name))
                return f;
            const tensor_operation::chunks& c = operation.operands[b];
            if (const fault* f = cluster_.checkers[rank].shared().begin_operands(me, now, c.first, c.count))
                return f;
            pipe.reads.push_back({pipe.issued, static_cast<int>(rank), site, {c.first, c.first + c.count}});
        }
        return nullptr;
    }

    /// Access `number` of the history reads or writes the region.
    const fault* touch(lane_state& me, tensor_block& memory, const tensor_operation::region& r, int number, bool writes,
                       bool reads_first, const char* name)
    {
        const int first_half = r.first.lane / 16;
        const int end_half = (r.first.lane + r.lanes + 15) / 16;
        for (int half = first_half; half < end_half; ++half) {
            if (r.every_second_half && (half - first_half) % 2 != 0)
                continue;
            for (int c = r.first.column; c < r.first.column + r.columns; ++c) {
                tensor_cell& cell = memory.cell(half, c);
                if ((!writes || reads_first) && cell.writer < 0)
                    return blame(std::string(name) + " reads tensor memory lane " + std::to_string(16 * half) +
                                     ", column " + std::to_string(c) + ", which nobody wrote",
                                 "let the first product of a tile overwrite its accumulators, not add to them");
                if (!in_order(me, cell.writer, number))
                    return blame_cell(me, name, cell.writer, half, c);
                if (!writes) {
                    history_.note_reader(cell, number);
                    continue;
                }
                for (const int reader : cell.readers)
                    if (reader != number && !in_order(me, reader, number))
                        return blame_cell(me, name, reader, half, c);
                cell.writer = number;
                cell.readers.clear();
            }
        }
        return nullptr;
    }

    void transfer(lane_state& last, tensor_block& memory, tensor_memory_place first, bool stores,
                  tegula::tensor_access shape, int registers, int second)
    {
        for (int t = 0; t < last.wave->lanes; ++t) {
            std::uint32_t* const own = static_cast<const tensor_transfer*>(last.wave->arguments[t])->registers;
            std::vector<std::uint32_t> values(static_cast<std::size_t>(registers));
            for (int i = 0; i < registers; ++i) {
                const tensor_memory_place at = accessed_place(shape, t, i, second);
                std::uint32_t& word = memory.word(first.lane + at.lane, first.column + at.column);
                if (stores)
                    word = own[i];
                else
                    values[static_cast<std::size_t>(i)] = word;
            }
            if (stores)
                continue;
            withheld_registers w{own, std::move(values), memory.integers};
            if (last.checks)
                memory.withheld[static_cast<std::size_t>(last.wave->index)].push_back(w.withhold());
            else
                std::memcpy(own, w.values.data(), w.values.size() * 4);
        }
    }

    const fault* too_many_pipes()
    {
        return blame("tensor instructions of more than " + std::to_string(tensor_pipes) + " lanes of a cluster",
                     "let one lane of a block issue them");
    }

    std::vector<tensor_pipe> pipes_;
};

} // namespace tegula::emulator::detail
