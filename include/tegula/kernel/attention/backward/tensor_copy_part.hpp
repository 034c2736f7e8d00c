#pragma once

#include <tegula/chip/tensor_map.hpp>
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
};

/// The work of a block: `steps` tiles of rows that go by, `tiles` of them for each head. Each role computes it by
/// itself: values from before the roles part would take registers in all of them.
///
///   Tile     a tcgen05_gradient_tile or warp_specialized_gradient_tile
///   Variant  an attention_variant
template <attention_kept_rows Kept, class Tile, class Variant>
struct tensor_copy_gradient_part
{
    static constexpr bool keeps_keys = Kept == attention_kept_rows::keys;

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
        sequence = attention_sequence::of_one_length(forward, batch);
        if constexpr (Variant::mask == attention_mask::none)
            sequence.band = {};
        const key_range seen = keeps_keys ? sequence.queries_of(row, min(row + Tile::rows, sequence.keys))
                                          : sequence.keys_of(row, min(row + Tile::rows, sequence.queries));
        first = seen.first / Tile::columns * Tile::columns;
        tiles = ceil_div(max(seen.last - first, 0), Tile::columns);
        steps = keeps_keys ? group * tiles : tiles;
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

    /// dK or dQ of the head whose rows are kept.
    template <class Target, class Problem>
    TEGULA_INLINE auto head_gradient(const Problem& problem) const
    {
        const index_t columns = problem.forward.head_dim;
        if constexpr (keeps_keys)
            return view<Target>(problem.dk, kv_head, sequence.keys, columns, "dK");
        else
            return view<Target>(problem.dq, first_head, sequence.queries, columns, "dQ");
    }
    /// dV of the head whose rows are kept.
    template <class Target, class Problem>
    TEGULA_INLINE auto value_gradient(const Problem& problem) const
    {
        return view<Target>(problem.dv, kv_head, sequence.keys, problem.forward.value_dim, "dV");
    }

private:
    template <class Target, class T>
    TEGULA_INLINE auto view(const attention_tensor<T>& x, index_t head, index_t rows, index_t columns,
                            const char* name) const
    {
        const auto of_head = internal::head_of(x, batch, head, 0);
        return make_tensor_view<Target, address_space::global>(
            of_head.data,
            make_strided_descriptor(make_tuple(rows, columns), make_tuple(of_head.row_stride, constant<1>{}),
                                    constant<16 / static_cast<index_t>(sizeof(T))>{}),
            name);
    }
};

} // namespace tegula
