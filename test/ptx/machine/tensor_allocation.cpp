// PTX ISA 9.0, 9.7.16.7.1 "Tensor Memory Allocation and Management Instructions": tcgen05.alloc, dealloc,
// relinquish_alloc_permit.

#include "tensor_core.hpp"

#include <algorithm>

namespace ptx {

action allocate(decoder& d)
{
    const int group = take_group(d);
    d.take("sync");
    d.result().aligned = d.take("aligned");
    const address to = d.memory(0, d.take_space("shared::cta"));
    d.take("b32");
    const source count = d.from(1, 32);
    return [=](warp& w, lane_mask mask) {
        blocks_of(w, group);
        tensor_memory& t = w.of->tensors;
        const int columns = static_cast<int>(uniform(w, mask, count, "the columns of an allocation"));
        if (columns < 32 || columns > tensor_memory::columns || (columns & (columns - 1)) != 0)
            throw fault("tcgen05.alloc of " + std::to_string(columns) + " columns");
        if (t.relinquished)
            throw fault("tcgen05.alloc behind relinquish_alloc_permit");
        if (t.least != 0 && columns > t.least)
            throw fault("tcgen05.alloc of more columns than an allocation before");
        t.words.resize(std::size_t{tensor_memory::lanes} * tensor_memory::columns);
        t.warps_of_a_lane = static_cast<int>((w.of->warps.size() + 3) / 4);
        t.load_clocks.resize(t.words.size() * static_cast<std::size_t>(t.warps_of_a_lane));
        // Where is left open; both blocks of a pair find the same place.
        const int places = tensor_memory::columns / columns;
        const auto first = static_cast<int>((w.in().options.seed + w.of->of->id) % static_cast<unsigned>(places));
        for (int i = 0; i < places; ++i) {
            const int column = (first + i) % places * columns;
            bool free = true;
            for (const auto& a : t.allocations)
                free = free && (a.column + a.count <= column || column + columns <= a.column);
            if (!free)
                continue;
            t.allocations.push_back({column, columns});
            t.least = columns;
            for (int lane = 0; lane < tensor_memory::lanes; ++lane)
                for (int c = column; c < column + columns; ++c) {
                    t.at(lane, c) = {};
                    std::fill_n(t.loads_of(lane, c), t.warps_of_a_lane, 0u);
                }
            const int leader = __builtin_ctz(mask);
            write_bytes(w, leader, to.resolve(w, leader, 4), 4, static_cast<std::uint64_t>(column), 0);
            ++w.in().progress;
            return outcome::next;
        }
        return outcome::retry;
    };
}

action deallocate(decoder& d)
{
    const int group = take_group(d);
    d.take("sync");
    d.result().aligned = d.take("aligned");
    d.take("b32");
    const source at = d.from(0, 32), count = d.from(1, 32);
    return [=](warp& w, lane_mask mask) {
        blocks_of(w, group, true);
        tensor_memory& t = w.of->tensors;
        const tensor_place p = place_of(uniform(w, mask, at, "the address of an allocation"));
        const auto columns = static_cast<int>(uniform(w, mask, count, "the columns of an allocation"));
        const auto found = std::find_if(t.allocations.begin(), t.allocations.end(),
                                        [&](const auto& a) { return a.column == p.column && a.count == columns; });
        if (p.lane != 0 || found == t.allocations.end())
            throw fault("tcgen05.dealloc of " + std::to_string(columns) + " columns at " + std::to_string(p.column) +
                        ", which were not allocated so");
        for (int lane = 0; lane < tensor_memory::lanes; ++lane)
            for (int c = p.column; c < p.column + columns; ++c)
                if (const tensor_memory::word& x = t.at(lane, c);
                    x.writers != 0 || x.loads != 0 || x.operands != 0 || x.storing)
                    throw fault("tcgen05.dealloc of " + name_of(lane, c) + ", which is still in use");
        t.allocations.erase(found);
        ++w.in().progress;
        return outcome::next;
    };
}

action relinquish(decoder& d)
{
    const int group = take_group(d);
    d.take("sync");
    d.result().aligned = d.take("aligned");
    return [=](warp& w, lane_mask) {
        blocks_of(w, group, true);
        w.of->tensors.relinquished = true;
        return outcome::next;
    };
}

} // namespace ptx
