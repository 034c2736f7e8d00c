#pragma once

#include <tegula/kernel/attention/variant.hpp>
#include <tegula/tensor/atomic.hpp>
#include <tegula/tensor/reduce.hpp>
#include <tegula/tensor/tile_window.hpp>

namespace tegula {

/// Shared memory of a block that add_bias_sums uses, in bytes.
template <class Target, class Distribution>
inline constexpr index_t bias_sum_bytes =
    max(reduce_scratch_bytes<Target, float, Distribution, 0>, reduce_scratch_bytes<Target, float, Distribution, 0, 1>);

/// Adds the sums [queries, keys] of a block to the bias's gradient. Elements that repeat in a tile are summed first.
///
///   at  the tile's first query and key, and the sequence and head of the bias
template <class Target, class Distribution, class Problem>
TEGULA_INLINE void add_bias_sums(const distributed_tensor<float, Distribution>& sum, const Problem& problem,
                                 const attention_place& at)
{
    const auto& d_bias = problem.d_bias;
    float* const to = d_bias.data + at.batch * d_bias.batch_stride + at.head * d_bias.head_stride;
    const auto add = [](float x, float y) { return x + y; };
    const auto view = [&](index_t rows, index_t columns) {
        return make_tensor_view<Target, address_space::global>(
            to, make_strided_descriptor(make_tuple(rows, columns), make_tuple(d_bias.query_stride, d_bias.key_stride)),
            "dbias");
    };
    const index_t queries = problem.forward.seq_q, keys = problem.forward.seq_k;
    std::byte* const memory = Target::shared_memory();
    if (d_bias.query_stride != 0 && d_bias.key_stride != 0) {
        atomic_add(make_tile_window<Distribution>(view(queries, keys), {at.query, at.key}), sum);
        return;
    }
    Target::shared_barrier();
    if (d_bias.key_stride != 0) {
        const auto of_keys = reduce<Target, 0>(sum, add, memory);
        using reduced = typename decltype(of_keys)::distribution;
        const auto row = make_tensor_view<Target, address_space::global>(
            to, make_strided_descriptor(make_tuple(keys), make_tuple(d_bias.key_stride)), "dbias");
        atomic_add(make_tile_window<reduced>(row, {at.key}), of_keys);
    } else {
        const auto of_queries = reduce<Target, 1>(sum, add);
        using reduced = typename decltype(of_queries)::distribution;
        if (d_bias.query_stride != 0) {
            const auto column = make_tensor_view<Target, address_space::global>(
                to, make_strided_descriptor(make_tuple(queries), make_tuple(d_bias.query_stride)), "dbias");
            atomic_add(make_tile_window<reduced>(column, {at.query}), of_queries);
        } else {
            const auto all = reduce<Target, 0, 1>(sum, add, memory);
            if (Target::thread_id() == 0)
                Target::atomic_add(to, all[0]);
        }
    }
}

} // namespace tegula
