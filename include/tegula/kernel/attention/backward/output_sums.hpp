#pragma once

#include <tegula/block/operand_load.hpp>
#include <tegula/block/softmax_rows.hpp>
#include <tegula/core/constants.hpp>
#include <tegula/core/rounding.hpp>
#include <tegula/kernel/attention/backward/workspace.hpp>
#include <tegula/layout/descriptor/coordinate.hpp>
#include <tegula/layout/descriptor/descriptor.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/reduce.hpp>

namespace tegula {

/// The first kernel of the backward pass: delta = rowsum(dO * O) and the normalizers of P for all queries, with those
/// past the last of each sequence. A block takes Rows queries of a head.
///
///   ValueDim  most columns of O
///   DqColumns columns of the workspace's sums of dQ, which it sets to 0; 0 if there are none
///   Rows      fewer past 128 columns if a wave has 32 lanes: 64 rows of 256 spill a register on gfx1100 and gfx1201
template <class Target, class Element, index_t ValueDim, class Gradient, class Score = unchanged_score,
          index_t DqColumns = 0, index_t Rows = (ValueDim > 128 && Target::wave_size == 32 ? 32 : 64), int Waves = 4>
struct attention_output_sums
{
    using target = Target;
    using arguments = attention_gradient_arguments<Element, Element, Gradient, Score>;
    using distribution =
        tile_distribution<operand_load_source<Target, Element, Rows, ValueDim, Waves, operand_order::k_contiguous>>;
    using row_distribution = reduced_distribution<distribution, 1>;
    static_assert(attention_backward_workspace::alignment % Rows == 0);

    static constexpr int block_threads = Waves * Target::wave_size;
    static constexpr index_t shared_bytes = 0;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return args.workspace.padded_rows / Rows * args.problem.forward.batch * args.problem.forward.heads;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const auto& problem = args.problem;
        const auto& forward = problem.forward;
        const index_t tiles = args.workspace.padded_rows / Rows, block = target::block_id()[0];
        const index_t query = block % tiles * Rows;
        const index_t head = block / tiles % forward.heads, batch = block / tiles / forward.heads;
        const auto sequence = attention_sequence::at(forward, batch);

        const auto rows = [&](const auto& x, const char* name) {
            const auto of_head = detail::head_of(x, sequence.query_batch, head, sequence.first_query);
            const auto view = make_tensor_view<target, address_space::global>(
                of_head.data,
                make_strided_descriptor(make_tuple(sequence.queries, forward.value_dim),
                                        make_tuple(of_head.row_stride, constant<1>{}),
                                        constant<16 / static_cast<index_t>(sizeof(Element))>{}),
                name);
            return load(make_tile_window<distribution>(view, {query, 0}));
        };
        const auto products =
            elementwise([](Element x, Element y) { return rounded_product(convert<float>(x), convert<float>(y)); },
                        rows(forward.o, "O"), rows(problem.d_o, "dO"));
        const auto deltas = reduce<target, 1>(products, [](float x, float y) { return x + y; });

        const auto lse_view = make_tensor_view<target, address_space::global>(
            forward.lse.data + sequence.query_batch * forward.lse.batch_stride + head * forward.lse.head_stride +
                sequence.first_query,
            make_packed_descriptor(make_tuple(sequence.queries)), "lse");
        auto logarithms = load(make_tile_window<row_distribution>(lse_view, {query}), -internal::infinity);
        transform(logarithms, [](float lse) { return lse == -internal::infinity ? internal::infinity : lse; });
        // Where tensor memory holds scores, tcgen05_exponentials may take polynomials in the forward pass.
        constexpr bool polynomials = target::chip().tensor_columns > 0 && !target::chip().has_fast_exponentials;
        constexpr float error = polynomials ? 0x1p-18f : 0x1p-23f;
        const auto normalizers = elementwise([](float lse) { return exponent_of_lse(lse, error); }, logarithms);

        const auto write = [&](float* numbers, const auto& tile, const char* name) {
            const auto view = make_tensor_view<target, address_space::global>(
                numbers + args.workspace.offset(batch, forward.heads, head),
                make_packed_descriptor(make_tuple(args.workspace.padded_rows)), name);
            store(make_tile_window<row_distribution>(view, {query}), tile);
        };
        if constexpr (DqColumns > 0) {
            using zeros = coalesced_vector<target, float, Rows * DqColumns, Waves>;
            const auto view = make_tensor_view<target, address_space::global>(
                args.workspace.dq + (args.workspace.offset(batch, forward.heads, head) + query) * DqColumns,
                make_packed_descriptor(make_tuple(constant<Rows * DqColumns>{}), constant<4>{}), "sums of dQ");
            store<bounds::unchecked>(make_tile_window<zeros>(view, {0}), make_distributed_tensor<float, zeros>(0.0f));
        }
        write(args.workspace.normalizers, normalizers, "normalizers");
        write(args.workspace.deltas, deltas, "deltas");
        write(args.workspace.logarithms, logarithms, "logarithms");
    }
};

} // namespace tegula
