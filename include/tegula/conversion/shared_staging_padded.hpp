#pragma once

#include <tegula/conversion/padded_search.hpp>

#include <initializer_list>

namespace tegula {

namespace detail {

/// A block: the first registers of both sides, then parts that are registers of one side, and perhaps a part that
/// begins with registers.
struct padded_block
{
    int common = 0;
    vector_caps caps;
    static_vector<int, 6> added; ///< places of the other parts, each before it moves to the block
    long_index_t cost = 0;       ///< lower bound
    bool is_done = false;        ///< no layout costs less than the least known
};

/// Registers of both sides in a block of at most `limit` elements, short parts first.
constexpr padded_layout make_common_block(const conversion_digits& both, index_t limit)
{
    padded_layout layout(both, {limit, limit});
    while (layout.vector(true) < limit) {
        int next = -1;
        for (int i = layout.block_parts; i < layout.parts.size(); ++i)
            if (layout.parts[i].is_held_by_both() && layout.parts[i].length % 2 == 0 &&
                (next < 0 || layout.parts[i].length < layout.parts[next].length))
                next = i;
        if (next < 0)
            break;
        layout.add_to_block(next);
    }
    return layout;
}

constexpr bool is_next_of_block(const padded_part& part, bool source)
{
    return part.is_held(source) && part.length % 2 == 0 && !part.is_held(!source);
}

/// The next whole part for the block: preferably one that begins a run of the other side too, else the one with the
/// least stride in that side's threads. -1: none.
constexpr int find_next_of_block(const padded_layout& layout, bool source)
{
    const auto key = [&](const padded_part& part) {
        return part.of(!source).run % 2 == 0 ? 0 : 1 + part.of(!source).thread;
    };
    int next = -1;
    for (int i = layout.block_parts; i < layout.parts.size(); ++i)
        if (is_next_of_block(layout.parts[i], source) && (next < 0 || key(layout.parts[i]) < key(layout.parts[next])))
            next = i;
    return next;
}

using padded_blocks = static_vector<padded_block, 192>;

/// The orders of the parts in which a block is looked at.
constexpr int order_count = 4;
constexpr padded_layout::order block_orders[order_count] = {padded_layout::order::both, padded_layout::order::source,
                                                            padded_layout::order::destination,
                                                            padded_layout::order::tensor};

/// Adds the block if it may be worth a look and is not in the list.
constexpr void add_block(padded_blocks& blocks, padded_search& search, const padded_layout& layout, padded_block block)
{
    search.left -= 20;
    if (blocks.size() == padded_blocks::capacity() || search.least_of_vectors(layout) >= search.aim())
        return;
    if (!layout.needs_caps(128 / search.slot_bits))
        return; // it is in the list with larger caps
    for (const padded_block& other : blocks)
        if (other.common == block.common && other.caps == block.caps && other.added == block.added)
            return;
    search.left -= 100;
    block.cost = search.least_cost(layout);
    if (block.cost < search.aim())
        blocks.push_back(block);
}

/// Adds blocks that continue `from` with each part that may come next, or with that of find_next_of_block().
constexpr void add_longer_blocks(padded_blocks& blocks, padded_search& search, const padded_layout& layout,
                                 const padded_block& from, bool source, bool each)
{
    if (layout.vector(source) == layout.caps.of(source) || search.is_over())
        return;
    const int next = each ? -1 : find_next_of_block(layout, source);
    for (int i = layout.block_parts; i < layout.parts.size(); ++i) {
        const padded_part& part = layout.parts[i];
        const bool is_whole = each ? is_next_of_block(part, source) : i == next;
        if (!is_whole && !part.begins_with_registers(source))
            continue;
        padded_layout longer = layout;
        longer.add_to_block(i);
        padded_block block = from;
        block.added.push_back(i);
        add_block(blocks, search, longer, block);
        if (is_whole)
            add_longer_blocks(blocks, search, longer, block, source, each);
    }
}

constexpr padded_layout make_block_layout(const padded_layout& common, const padded_block& block)
{
    padded_layout layout = common;
    layout.block_parts = block.common;
    layout.caps = block.caps;
    for (int i : block.added)
        layout.add_to_block(i);
    return layout;
}

/// Looks at the block with its parts in every order that is left. `order` counts those that this evaluation finishes.
constexpr void look_at_block(padded_search& search, const padded_layout& common, padded_block& block, int choices,
                             int statements, int& order)
{
    static_vector<padded_layout, order_count> looked_at;
    for (int i = 0; i < order_count; ++i) {
        if (search.is_over())
            return;
        if (block.is_done || block.cost >= (choices == 0 ? search.known() : search.aim()))
            break;
        padded_layout layout = make_block_layout(common, block);
        layout.sort(block_orders[i], search.chip.wave_size);
        bool is_new = true;
        for (const padded_layout& other : looked_at)
            is_new = is_new && !layout.has_order_of(other);
        if (!is_new)
            continue;
        looked_at.push_back(layout);
        if (i < order)
            continue;
        block.is_done = search.consider(layout, choices, statements);
        if (search.is_interrupted)
            return;
        order = i + 1;
    }
    order = order_count;
}

} // namespace detail

/// A search for padded rows between two constant evaluations. Compilers limit how long one may be.
struct padded_progress
{
    static_vector<detail::padded_block, 16> blocks; ///< that may hold a layout worth looking for
    int pass = 0;                                   ///< over all blocks, with longer looks each time
    int block = 0;                                  ///< the next to look at
    int order = 0;                                  ///< of its parts, the next to look at
    detail::padded_path path;                       ///< of the look at that block in that order
    int evaluations = 7;                            ///< that the search may still take
    int slot_bits = 0;
    long_index_t fixed = 0; ///< of plan_padded_staging()
    long_index_t rival = INT64_MAX;
    shared_staging best;
    long_index_t best_cost = INT64_MAX;

    constexpr bool is_over() const { return blocks.size() == 0 || evaluations == 0; }
};

namespace detail {

/// The search for padded rows with the least that is known.
constexpr padded_search make_padded_search(const chip_info& chip, const conversion_digits& both,
                                           const padded_layout& common, const padded_progress& progress)
{
    const int slot_bits = progress.slot_bits;
    long_index_t bits = slot_bits;
    for (const padded_part& part : common.parts)
        bits *= part.length;
    const bool passes_whole = bits / 8 <= chip.shared_bytes;
    padded_search search{chip,           both,          slot_bits, passes_whole ? chip.shared_bytes : INT64_MAX,
                         progress.fixed, progress.rival};
    search.best = progress.best;
    search.best_cost = progress.best_cost;
    search.path = progress.path;
    return search;
}

} // namespace detail

/// Rows padded so that lanes use different banks: for sides whose digits are no powers of two. Elements
/// of one lane's registers stand together, at most 16 bytes.
///
/// Few of all offsets are tried, for a fixed amount of work. One constant evaluation finishes the search of 99 in 100
/// pairs; continue_padded_staging() goes on with those of the others that may get a tenth cheaper.
///
/// fixed  cost of every layout in addition to its accesses
/// rival  cost of the conversion without shared memory. If no layout is found that costs less, the result may have no
///        elements. INT64_MAX: there is no such way.
constexpr padded_progress plan_padded_staging(const chip_info& chip, const conversion_digits& both, int slot_bits,
                                              long_index_t fixed, long_index_t rival)
{
    padded_progress progress;
    progress.slot_bits = slot_bits;
    progress.fixed = fixed;
    progress.rival = rival;
    const detail::padded_layout common = detail::make_common_block(both, 128 / slot_bits);
    detail::padded_search search = make_padded_search(chip, both, common, progress);
    detail::padded_blocks blocks;
    const auto add = [&](bool each, detail::vector_caps caps) {
        for (int n = common.block_parts; n >= (slot_bits < 8 ? 1 : 0); --n) {
            const detail::padded_block block{n, caps, {}, 0};
            const detail::padded_layout layout = make_block_layout(common, block);
            add_block(blocks, search, layout, block);
            for (const bool source : {true, false})
                add_longer_blocks(blocks, search, layout, block, source, each);
        }
    };
    const auto sort = [&](int first) {
        for (int i = first + 1; i < blocks.size(); ++i)
            for (int k = i; k > first && blocks[k].cost < blocks[k - 1].cost; --k) {
                const detail::padded_block exchanged = blocks[k];
                blocks[k] = blocks[k - 1];
                blocks[k - 1] = exchanged;
            }
    };
    const auto look = [&](detail::padded_block& block, int choices, int statements) {
        int order = 0;
        look_at_block(search, common, block, choices, min(statements, search.left), order);
    };
    const auto look_in_order = [&](int statements) {
        for (detail::padded_block& block : blocks)
            if (blocks[0].cost < search.aim())
                look(block, 0, statements);
    };
    // A short search of every block, then longer ones of those that may still be better. Shorter vectors come
    // late, when most are known to cost too much without conflicts.
    add(false, common.caps);
    sort(0);
    for (detail::padded_block& block : blocks)
        look(block, 2, 20'000);
    int first = blocks.size();
    const auto add_and_look = [&](detail::vector_caps caps) {
        add(true, caps);
        sort(first);
        for (; first < blocks.size(); ++first)
            look(blocks[first], 2, 20'000);
    };
    add_and_look(common.caps);
    sort(0);
    look_in_order(12'000);
    const index_t limit = common.caps.store, least = max(1, 8 / slot_bits);
    for (detail::vector_caps caps = common.caps; caps.store >= least; caps.store /= 2)
        for (caps.load = limit; caps.load >= least; caps.load /= 2)
            if (caps != common.caps && search.cost_without_conflicts(caps.store, caps.load) < search.aim())
                add_and_look(caps);
    look_in_order(12'000);
    for (detail::padded_block& block : blocks)
        look(block, 16, 48'000);
    look_in_order(48'000);
    for (detail::padded_block& block : blocks)
        look(block, 32, INT32_MAX);
    progress.best = search.best;
    progress.best_cost = search.best_cost;
    for (const detail::padded_block& block : blocks)
        if (!block.is_done && block.cost < search.aim() && progress.blocks.size() < progress.blocks.capacity())
            progress.blocks.push_back(block);
    return progress;
}

/// Goes on for one constant evaluation: longer looks at the blocks that may hold a layout of less than about 0.9 times
/// the cost. Call it until is_over(). About 1 in 100,000 random pairs still costs more than 1.1 times the best layout of
/// rows.
constexpr void continue_padded_staging(const chip_info& chip, const conversion_digits& both, padded_progress& progress)
{
    struct look
    {
        int choices;
        int statements;
    };
    constexpr look passes[] = {{32, 512'000}, {0, 512'000}, {32, 1'000'000}};
    const detail::padded_layout common = detail::make_common_block(both, 128 / progress.slot_bits);
    detail::padded_search search = make_padded_search(chip, both, common, progress);
    --progress.evaluations;
    while (search.left > 0 && progress.pass < 3) {
        const look of = passes[progress.pass];
        look_at_block(search, common, progress.blocks[progress.block], of.choices, of.statements, progress.order);
        if (progress.order < detail::order_count)
            break;
        search.path.statements = 0;
        progress.order = 0;
        progress.block = (progress.block + 1) % progress.blocks.size();
        progress.pass += progress.block == 0;
    }
    progress.path = search.path;
    progress.best = search.best;
    progress.best_cost = search.best_cost;
    for (int i = 0; i < progress.blocks.size() && progress.pass < 3; ++i)
        if (!progress.blocks[i].is_done && progress.blocks[i].cost < search.aim())
            return;
    progress.blocks = {};
}

} // namespace tegula
