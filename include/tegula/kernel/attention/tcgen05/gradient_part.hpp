#pragma once

#include <tegula/chip/tensor_map.hpp>
#include <tegula/kernel/attention/backward/workspace.hpp>
#include <tegula/kernel/attention/variant.hpp>

namespace tegula {

/// The tensor maps of one kernel: boxes are of the rows that a block keeps, or that go by at a time.
struct tcgen05_gradient_maps
{
    tensor_map q, d_o, k, v; ///< [batch, heads, rows, columns]
};

/// Which rows a block of tcgen05_attention_gradients keeps, and so which gradients it has.
enum class tcgen05_kept_rows {
    keys,    ///< K and V: dK and dV, over the queries of all heads that share them
    queries, ///< Q and dO: dQ, over the keys, and what the bias's gradient gets
};

/// The arguments that both kernels are launched with.
template <class T, class Gradient, class Score>
struct tcgen05_gradient_arguments : attention_gradient_arguments<T, T, Gradient, Score>
{
    tcgen05_gradient_maps by_keys;    ///< of the kernel that keeps keys
    tcgen05_gradient_maps by_queries; ///< of the one that keeps queries

    template <tcgen05_kept_rows Kept>
    constexpr TEGULA_HOST_DEVICE const tcgen05_gradient_maps& maps() const
    {
        if constexpr (Kept == tcgen05_kept_rows::keys)
            return by_keys;
        else
            return by_queries;
    }
};

/// The work of the block: `steps` tiles of rows that go by, those of each head `tiles` in a row. A role finds it again:
/// values from before the roles part cost registers in all.
///
///   Tile     a tcgen05_gradient_tile
///   Variant  an attention_variant
template <tcgen05_kept_rows Kept, class Tile, class Variant>
struct tcgen05_gradient_part
{
    static constexpr bool keeps_keys = Kept == tcgen05_kept_rows::keys;

    index_t batch, kv_head;
    index_t first_head; ///< of Q
    index_t row;        ///< first kept
    index_t first;      ///< first row that goes by
    index_t tiles;
    index_t steps;
    attention_sequence sequence;

    /// Tiles of kept rows of a head.
    template <class Forward>
    static constexpr TEGULA_HOST_DEVICE index_t kept_tiles(const Forward& forward)
    {
        return ceil_div(keeps_keys ? forward.seq_k : forward.seq_q, Tile::rows);
    }

    template <class Forward>
    TEGULA_INLINE explicit tcgen05_gradient_part(const Forward& forward)
    {
        const index_t all = kept_tiles(forward), number = Tile::target::block_id()[0];
        const index_t heads = keeps_keys ? forward.kv_heads : forward.heads;
        const index_t group = forward.heads / forward.kv_heads, head = number / all % heads;
        batch = number / all / heads;
        kv_head = keeps_keys ? head : head / group;
        first_head = keeps_keys ? head * group : head;
        row = number % all * Tile::rows;
        sequence = attention_sequence::of_one_length(forward, batch);
        if constexpr (Variant::mask == attention_mask::none)
            sequence.band = {};
        const key_range seen = keeps_keys ? sequence.queries_of(row, min(row + Tile::rows, sequence.keys))
                                          : sequence.keys_of(row, min(row + Tile::rows, sequence.queries));
        first = seen.first / Tile::columns * Tile::columns;
        tiles = ceil_div(max(seen.last - first, 0), Tile::columns);
        steps = keeps_keys ? group * tiles : tiles;
    }

    /// The tile of scores of a step.
    TEGULA_INLINE attention_place place(index_t step) const
    {
        if constexpr (keeps_keys) {
            const index_t head = step / tiles;
            return {batch, first_head + head, first + (step - head * tiles) * Tile::columns, row};
        } else {
            return {batch, first_head, row, first + step * Tile::columns};
        }
    }
};

} // namespace tegula
