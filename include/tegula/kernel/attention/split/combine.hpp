#pragma once

#include <tegula/arch/target.hpp>
#include <tegula/block/softmax_rows.hpp>
#include <tegula/kernel/attention/split/arguments.hpp>
#include <tegula/kernel/attention/work.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/coalesced.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/sweep.hpp>
#include <tegula/tensor/tile_window.hpp>

namespace tegula {

/// The second kernel of an attention whose keys were split: with O_s and lse_s of share s
///
///     lse = log(sum_s exp(lse_s) + exp(sink)),  O = sum_s exp(lse_s - lse) O_s
///
/// Rows that no share has a key for are zeros and -inf. The shares are added in their order: results are the same from
/// run to run.
///
///   Target     the GPU
///   Arguments  the attention_split_kernel's
///   ValueDim   most columns of O
///
/// A block is a wave and takes rows of one head; each lane holds four columns of them.
template <class Target, class Arguments, index_t ValueDim>
struct combine_splits
{
    using target = Target;
    using arguments = Arguments;
    using output_type = std::remove_cvref_t<decltype(*std::declval<Arguments>().attention.o.data)>;

    static constexpr int block_threads = Target::wave_size;
    static constexpr index_t shared_bytes = 0;
    static constexpr index_t rows = max(index_t{4} * Target::wave_size / ValueDim, index_t{1});

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return args.attention.batch * args.attention.heads * tiles(args);
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        const index_t number = target::block_id()[0];
        const index_t item = number / tiles(args);
        const work at = work::at(args.attention, item, (number - item * tiles(args)) * rows);
        const attention_sequence sequence = attention_sequence::at(args.attention, at.batch);
        if (at.row >= sequence.queries)
            return;

        // The greatest lse, in two parts, that the sum and the output are relative to.
        auto shift = make_distributed_tensor<float, row_distribution>(-greatest_float);
        auto logarithm = make_distributed_tensor<float, row_distribution>(0);
        auto sum = make_distributed_tensor<float, row_distribution>(0);
        auto output = make_distributed_tensor<float, distribution>(0); // [rows, value_dim]
        TEGULA_ROLLED
        for (index_t split = 0; split < args.splits; ++split) {
            auto weight = load(row_window(args.lse(split), sequence, at, "lse of a share"));
            const auto own_shift = load(row_window(args.shift(split), sequence, at, "shift of a share"));
            const auto part = load(window(args.o(split), sequence, at, args.attention.value_dim, "O of a share"));
            row_tensor factor;
            static_for<row_tensor::num_registers>([&](auto r) {
                const float above = ((own_shift[r] - shift[r]) + (weight[r] - logarithm[r])) * log2_of_e;
                const bool raises = above > 0;
                shift[r] = raises ? own_shift[r] : shift[r];
                logarithm[r] = raises ? weight[r] : logarithm[r];
                factor[r] = raises ? target::exp2(-above) : 1.0f;
                weight[r] = raises ? 1.0f : target::exp2(above);
                sum[r] = multiply_add(sum[r], factor[r], weight[r]);
            });
            transform_with_reduced<1>(output, factor, [](float x, float by) { return x * by; });
            add(output, part, weight);
        }

        const float sink = args.attention.sinks == nullptr ? -__builtin_inff() : args.attention.sinks[at.own_head];
        row_tensor lse, factor;
        static_for<row_tensor::num_registers>([&](auto r) {
            const softmax_row_end end = end_softmax_row<target>(shift[r], logarithm[r] * log2_of_e, sum[r], sink);
            factor[r] = end.factor;
            lse[r] = end.lse();
        });
        transform_with_reduced<1>(output, factor, [](float x, float by) { return x * by; });
        store(window(args.attention.o, sequence, at, args.attention.value_dim, "O"), cast<output_type>(output));
        if (args.attention.lse.data != nullptr)
            store(row_window(args.attention.lse, sequence, at, "lse"), lse);
    }

private:
    using work = attention_work<attention_heads::apart>;
    using distribution = coalesced<Target, float, rows, ValueDim, 1>;
    using row_distribution = reduced_distribution<distribution, 1>;
    using row_tensor = distributed_tensor<float, row_distribution>;

    static constexpr TEGULA_HOST_DEVICE index_t tiles(const arguments& args)
    {
        return ceil_div(args.attention.seq_q, rows);
    }

    template <class T>
    static TEGULA_INLINE auto window(const attention_tensor<T>& x, const attention_sequence& s, const work& at,
                                     index_t columns, const char* name)
    {
        return make_tile_window<distribution>(make_query_view<target>(x, s, at, columns, name), {at.row, 0});
    }
    static TEGULA_INLINE auto row_window(const attention_rows<float>& x, const attention_sequence& s, const work& at,
                                         const char* name)
    {
        return make_tile_window<row_distribution>(make_query_view<target>(x, s, at, name), {at.row});
    }

    /// output += part * weight, row by row.
    static TEGULA_INLINE void add(distributed_tensor<float, distribution>& output,
                                  const distributed_tensor<float, distribution>& part, const row_tensor& weight)
    {
        using registers = internal::reduced_registers<distribution, 1>;
        static_for<distribution::num_elements>([&](auto n) {
            constexpr int r = registers::source_of(n), row = registers::target_of(n);
            output[r] = multiply_add(part[r], weight[row], output[r]);
        });
    }
};

} // namespace tegula
