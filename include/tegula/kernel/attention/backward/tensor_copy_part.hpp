#pragma once

#include <tegula/arch/nvidia/tma.hpp>
#include <tegula/kernel/attention/backward/workspace.hpp>
#include <tegula/kernel/attention/variant.hpp>
#include <tegula/layout/descriptor/descriptor.hpp>
#include <tegula/tensor/tensor_view.hpp>

namespace tegula {

/// The tensor maps of one kernel of a backward pass by tensor copies. A box has the rows that a block keeps, or those
/// that go by at a time.
struct tensor_copy_gradient_maps
{
    tensor_map q = {}, d_o = {}, k = {}, v = {}; ///< [batch, heads, rows, columns]
};

/// Which rows a block of such a kernel keeps, and so which gradients it computes.
enum class attention_kept_rows {
    keys,    ///< K and V: dK and dV, over the queries of all heads that share them
    queries, ///< Q and dO: dQ, over the keys, and what the bias's gradient gets
};

/// The arguments of both kernels: attention_gradient_arguments, then the maps, filled in by prepare().
template <class T, class Gradient, class Score>
struct tensor_copy_gradient_arguments
{
    attention_backward_arguments<T, T, Gradient, Score> problem = {};
    attention_backward_workspace workspace = {};
    tensor_copy_gradient_maps by_keys = {};    ///< for the kernel that keeps keys
    tensor_copy_gradient_maps by_queries = {}; ///< for the kernel that keeps queries

    /// The arguments of the kernels without maps.
    constexpr operator attention_gradient_arguments<T, T, Gradient, Score>() const { return {problem, workspace}; }

    template <attention_kept_rows Kept>
    constexpr TEGULA_HOST_DEVICE const tensor_copy_gradient_maps& maps() const
    {
        if constexpr (Kept == attention_kept_rows::keys)
            return by_keys;
        else
            return by_queries;
    }
    /// Called by one thread of the block.
    template <attention_kept_rows Kept>
    TEGULA_INLINE void prefetch_maps() const
    {
        if (problem.forward.seq_q > 0 && problem.forward.seq_k > 0) { // else there are none
            const tensor_copy_gradient_maps& own = maps<Kept>();
            for (const tensor_map* map : {&own.q, &own.d_o, &own.k, &own.v})
                arch::nvidia::prefetch_tensor_map(*map);
        }
    }
};

/// The work of a block: `steps` tiles of rows that go by, `tiles` of them for each head. Each role computes it by
/// itself: values from before the roles part would take registers in all of them.
///
///   Tile     a tcgen05_gradient_tile or warp_specialized_gradient_tile
///   Variant  an attention_variant
template <attention_kept_rows Kept, class Tile, class Variant, attention_sequences Sequences>
struct tensor_copy_gradient_part
{
    static constexpr bool keeps_keys = Kept == attention_kept_rows::keys;
    static constexpr bool any_length = Sequences == attention_sequences::of_any_length;

    index_t batch, kv_head;
    index_t first_head; ///< first head of Q
    index_t row;        ///< first row that is kept
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

    /// Blocks to launch.
    template <class Forward>
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const Forward& forward)
    {
        return kept_tiles(forward) * forward.batch * (keeps_keys ? forward.kv_heads : forward.heads);
    }

    template <class Forward>
    TEGULA_INLINE explicit tensor_copy_gradient_part(const Forward& forward)
    {
        const index_t all = kept_tiles(forward), number = Tile::target::block_id()[0];
        const index_t heads = keeps_keys ? forward.kv_heads : forward.heads;
        const index_t group = forward.heads / forward.kv_heads, head = number / all % heads;
        batch = number / all / heads;
        kv_head = keeps_keys ? head : head / group;
        first_head = keeps_keys ? head * group : head;
        // If there is a band, the rows that see the most come first: the first keys, the last queries.
        const bool last_first = !keeps_keys && Variant::mask != attention_mask::none;
        row = (last_first ? all - 1 - number % all : number % all) * Tile::rows;
        sequence = attention_sequence::of<Sequences>(forward, batch);
        if constexpr (Variant::mask == attention_mask::none)
            sequence.band = {};
        const key_range seen = keeps_keys ? sequence.queries_of(row, min(row + Tile::rows, sequence.keys))
                                          : sequence.keys_of(row, min(row + Tile::rows, sequence.queries));
        first = seen.first / Tile::columns * Tile::columns;
        tiles = ceil_div(max(seen.last - first, 0), Tile::columns);
        steps = keeps_keys ? group * tiles : tiles;
        if constexpr (any_length && !keeps_keys) // the grid is the longest sequence's
            steps = row < sequence.queries ? steps : 0;
    }

    /// The tile of scores of the first step.
    TEGULA_INLINE attention_place first_place() const
    {
        return keeps_keys ? attention_place{batch, first_head, first, row}
                          : attention_place{batch, first_head, row, first};
    }
    /// Goes to the tile of the next step. To find it from the step's number would take a division.
    TEGULA_INLINE void advance(attention_place& at) const
    {
        if constexpr (keeps_keys) {
            at.query += Tile::columns;
            if (at.query == first + tiles * Tile::columns) {
                at.query = first;
                ++at.head;
            }
        } else {
            at.key += Tile::columns;
        }
    }

    /// Rows of the kept tile that are the sequence's, if others may follow; 0: all are.
    TEGULA_INLINE index_t kept_before_others() const
    {
        return before_others(keeps_keys ? sequence.keys : sequence.queries, row, Tile::rows);
    }
    /// Rows of the tile that goes by from row `passing` on that are the sequence's, if others may follow; 0: all are.
    TEGULA_INLINE index_t passing_before_others(index_t passing) const
    {
        return before_others(keeps_keys ? sequence.queries : sequence.keys, passing, Tile::columns);
    }

    /// dK or dQ of the head whose rows are kept.
    template <class Target, class Problem>
    TEGULA_INLINE auto head_gradient(const Problem& problem) const
    {
        const auto& forward = problem.forward;
        if constexpr (keeps_keys) {
            return view_of_keys<Target>(problem.dk, forward, forward.head_dim, "dK");
        } else {
            const auto again = attention_sequence::of<Sequences>(forward, batch); // its places are not held until then
            return view<Target>(problem.dq, again.query_batch, first_head, again.first_query, again.queries,
                                forward.head_dim, "dQ");
        }
    }
    /// dV of the head whose rows are kept.
    template <class Target, class Problem>
    TEGULA_INLINE auto value_gradient(const Problem& problem) const
    {
        return view_of_keys<Target>(problem.dv, problem.forward, problem.forward.value_dim, "dV");
    }

private:
    static TEGULA_INLINE index_t before_others(index_t length, index_t first_row, index_t tile_rows)
    {
        return any_length && length - first_row < tile_rows ? length - first_row : 0;
    }
    /// Rows past the sequence's last key, for which there is memory, get zeros.
    template <class Target, class T, class Forward>
    TEGULA_INLINE auto view_of_keys(const attention_tensor<T>& x, const Forward& forward, index_t columns,
                                    const char* name) const
    {
        const auto again = attention_sequence::of<Sequences>(forward, batch);
        const index_t rows = any_length ? internal::key_rows(forward, batch) : again.keys;
        return view<Target>(x, again.key_batch, kv_head, again.first_key, rows, columns, name);
    }
    template <class Target, class T>
    static TEGULA_INLINE auto view(const attention_tensor<T>& x, long_index_t entry, index_t head, index_t first_row,
                                   index_t rows, index_t columns, const char* name)
    {
        const auto of_head = internal::head_of(x, entry, head, first_row);
        return make_tensor_view<Target, address_space::global>(
            of_head.data,
            make_strided_descriptor(make_tuple(rows, columns), make_tuple(of_head.row_stride, constant<1>{}),
                                    constant<16 / static_cast<index_t>(sizeof(T))>{}),
            name);
    }
};

} // namespace tegula
