#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/arguments.hpp>

namespace tegula {

/// A tile of a list: the entry whose block it is part of, and its first row in that block. Tiles are visited in order, so
/// that no division is needed to find the next one.
struct listed_place
{
    index_t entry = 0;
    index_t within = 0;

    /// Goes to the next tile of `rows` rows.
    TEGULA_INLINE void advance(index_t rows, index_t block_length)
    {
        within += rows;
        if (within >= block_length) {
            within = 0;
            ++entry;
        }
    }
};

/// The tiles of the blocks that one list of attention_block_lists names: those that have a row of the sequence.
///
///   Rows  rows of a tile; divides the length of a block
template <index_t Rows>
struct listed_tiles
{
    const index_t* blocks; ///< block numbers of the list
    index_t block_length;  ///< rows of a block
    index_t count;         ///< number of tiles

    /// The tiles of list `row` of head `head` of sequence `batch`.
    ///
    ///   block_length  rows of a block that the list names
    ///   rows          rows of the sequence; the last block may be partial
    static TEGULA_INLINE listed_tiles of(const attention_block_lists& lists, index_t batch, index_t head, index_t row,
                                         index_t block_length, index_t rows)
    {
        const long_index_t list = batch * lists.batch_stride + head * lists.head_stride + row;
        const index_t* const blocks = lists.blocks + list * lists.capacity;
        const index_t named = lists.counts[list];
        if (named == 0)
            return {blocks, block_length, 0};
        // Numbers increase: only the last block can reach past the rows.
        const index_t left = min(max(rows - blocks[named - 1] * block_length, 0), block_length);
        return {blocks, block_length, (named - 1) * (block_length / Rows) + ceil_div(left, Rows)};
    }

    /// First row of a tile.
    TEGULA_INLINE index_t first_row(const listed_place& at) const
    {
        return blocks[at.entry] * block_length + at.within;
    }
};

namespace detail {

/// The tiles of Rows queries that a head's list for block `key_block` of keys names.
template <class Target, index_t Rows, class Arguments>
TEGULA_INLINE listed_tiles<Rows> listed_queries(const Arguments& args, index_t batch, index_t head, index_t key_block,
                                                index_t queries)
{
    // Reloaded in each step: neither they nor values that depend on them are held across the loop.
    attention_block_lists lists = internal::reload_arguments(args).problem.lists_by_keys;
    internal::make_scalars_opaque<Target>(lists.batch_stride, lists.head_stride, lists.capacity, lists.query_length);
    auto tiles = listed_tiles<Rows>::of(lists, batch, head, key_block, lists.query_length, queries);
    // Loads by a reloaded pointer are vector loads. After a loop with such a limit LLVM treats nothing as uniform.
    if constexpr (Target::vendor == vendor::amd)
        tiles.count = Target::uniform(tiles.count);
    return tiles;
}

/// Whether the lists, by queries, name block `block` of keys for block `query_block` of queries.
TEGULA_INLINE bool lists_block(const attention_block_lists& lists, index_t batch, index_t head, index_t query_block,
                               index_t block)
{
    const long_index_t list = batch * lists.batch_stride + head * lists.head_stride + query_block;
    const index_t* const blocks = lists.blocks + list * lists.capacity;
    const index_t count = lists.counts[list];
    index_t i = 0;
    TEGULA_ROLLED
    while (i < count && blocks[i] < block) // numbers increase
        ++i;
    return i < count && blocks[i] == block;
}

} // namespace detail

} // namespace tegula
