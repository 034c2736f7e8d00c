#pragma once

#include <tegula/block/softmax_rows.hpp>
#include <tegula/kernel/attention/backward/workspace.hpp>
#include <tegula/layout/descriptor/coordinate.hpp>
#include <tegula/layout/descriptor/descriptor.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/reduce.hpp>

namespace tegula {

/// Adds -sum(P_sink * delta) over all queries of a head to the gradient of its sink, P_sink = exp(min(sink - lse, 0)).
/// Each head has one block, so that the sum is the same from run to run.
template <class Target, class Element, class Gradient, class Score = unchanged_score>
struct attention_sink_gradients
{
    using target = Target;
    using arguments = attention_gradient_arguments<Element, Element, Gradient, Score>;

    static constexpr index_t rows = attention_backward_workspace::alignment;
    static constexpr int block_threads = rows;
    using distribution = tile_distribution<tile_distribution_encoding<
        sequence<>, tuple<sequence<1>, sequence<rows / Target::wave_size, Target::wave_size>>,
        tuple<sequence<2>, sequence<2>>, tuple<sequence<0>, sequence<1>>, sequence<1>,
        sequence<0>>>; // [1 sequence, rows]
    static constexpr index_t shared_bytes = reduce_scratch_bytes<Target, float, distribution, 1>;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return args.problem.forward.heads;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const auto& forward = args.problem.forward;
        const attention_backward_workspace& workspace = args.workspace;
        const index_t head = target::block_id()[0];
        const float sink = forward.sinks[head];
        auto sums = make_distributed_tensor<float, distribution>(0.0f);
        TEGULA_ROLLED
        for (long_index_t batch = 0; batch < forward.batch; ++batch) {
            const auto window = [&](const float* numbers, const char* name) {
                const auto view = make_tensor_view<target, address_space::global>(
                    numbers + workspace.offset(batch, forward.heads, head),
                    make_packed_descriptor(make_tuple(constant<1>{}, workspace.padded_rows)), name);
                return make_tile_window<distribution>(view, {0, 0});
            };
            auto logarithms = window(workspace.logarithms, "logarithms");
            auto deltas = window(workspace.deltas, "deltas");
            TEGULA_ROLLED
            for (index_t row = 0; row < workspace.padded_rows; row += rows) {
                sums = elementwise(
                    [&](float sum, float lse, float delta) {
                        return multiply_add(-far_probability<target>(sink, lse), delta, sum);
                    },
                    sums, load(logarithms), load(deltas));
                logarithms.move({0, rows});
                deltas.move({0, rows});
            }
        }
        const auto total = reduce<target, 1>(sums, [](float x, float y) { return x + y; }, target::shared_memory());
        if (target::thread_id() == 0)
            target::atomic_add(args.problem.d_sinks + head, total[0]);
    }
};

} // namespace tegula
