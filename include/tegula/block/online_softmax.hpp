#pragma once

#include <tegula/block/exponentials.hpp>
#include <tegula/tensor/elementwise.hpp>
#include <tegula/tensor/sweep.hpp>

namespace tegula {

namespace detail {

/// Which register of a tile's rows an accumulator's element belongs to.
template <class Distribution>
struct row_registers
{
    using rows = reduced_distribution<Distribution, 1>;

    static consteval array<int, Distribution::num_registers> find_all()
    {
        using registers = reduced_registers<Distribution, 1>;
        array<int, Distribution::num_registers> all{};
        for (int n = 0; n < Distribution::num_elements; ++n)
            all[registers::source_of(n)] = registers::target_of(n);
        return all;
    }
    static constexpr auto all = computed_once<find_all()>;
    static consteval int of(int element) { return all[element]; }
};

/// Whether lanes hold the same rows in the same registers of both.
template <class A, class B>
consteval bool same_rows()
{
    if (A::num_registers != B::num_registers || A::p_length(0) != B::p_length(0) || A::p_length(1) != B::p_length(1))
        return false;
    for (int r = 0; r < A::num_registers; ++r)
        if (A::step(r)[0] != B::step(r)[0])
            return false;
    for (index_t wave = 0; wave < A::p_length(0); ++wave)
        for (index_t lane = 0; lane < A::p_length(1); ++lane)
            if (A::origin({wave, lane})[0] != B::origin({wave, lane})[0])
                return false;
    return true;
}

} // namespace detail

/// The softmax of rows that come a tile of columns at a time (Milakov, Gimelshein, "Online normalizer calculation for
/// softmax", 2018): exponentials against a reference, their sum, and the product with what the columns carry.
///
///   Scores  distribution {wave, lane} of a tile [rows, columns]; a row lies in one wave
///   Output  a mma_tile of the same rows, whose accumulators sum up the products
///   Exponentials  how those of the scores are computed: hardware_exponentials or mixed_exponentials
///
/// The reference of a row is not its maximum but at most `slack` below it, in powers of two: as long as no row of a
/// wave outgrows that, nothing is rescaled and lanes do not meet. Exponentials are then at most 2^slack, which the sums
/// and the 16-bit types hold as exactly as numbers below 1.
///
/// Rows without a score above -inf have the sum 0. A NaN or a +inf gives a row of NaN, as the formula does. Scores
/// below -2^23, times `scale` to base 2, count as -inf, as masks by a bias of -1e9 want: the reference is a float, and
/// what its rounding leaves would be an exponent of its own.
template <class Target, class Scores, class Output, class Exponentials = hardware_exponentials>
struct online_softmax
{
    using row_distribution = reduced_distribution<Scores, 1>;
    using rows = distributed_tensor<float, row_distribution>;
    using accumulators = typename Output::accumulators;
    using output_rows = detail::row_registers<typename Output::c_distribution>;
    static_assert(detail::same_rows<row_distribution, typename output_rows::rows>());

    using registers = internal::reduced_registers<Scores, 1>;
    static_assert(Scores::num_elements >= 4 * rows::num_registers);

    /// The reference of an operand of 8 bits lies `lift` below the maximum: its largest number is at least 2^7, and its
    /// smallest ones are coarse.
    static constexpr bool of_8_bits = sizeof(typename Output::a_type) == 1;
    static constexpr float slack = of_8_bits ? 7 : 8;
    static constexpr float lift = of_8_bits ? 6 : 0;
    static constexpr float lowest = -0x1p23f; ///< of a reference: the last one that is rounded to integers or finer
    static constexpr float log2_of_e = 1.44269504088896340736f;

    rows reference; ///< exponent, to base 2
    rows sum;       ///< of the exponentials of the lane's own columns

    TEGULA_INLINE void clear()
    {
        reference = make_distributed_tensor<float, row_distribution>(lowest);
        sum = make_distributed_tensor<float, row_distribution>(0);
    }

    /// scores = 2^(scale * scores - reference), after what was summed up before has been rescaled if it must be.
    /// scale > 0.
    TEGULA_INLINE void soften(distributed_tensor<float, Scores>& scores, float scale, accumulators& output)
    {
        soften_with(scores, scale, [&](const rows& factor) { rescale(output, factor); });
    }

    /// The same if somebody else rescales: calls grown(factor), in some waves of the block and not in others, if the
    /// output is to be multiplied by `factor`, row by row.
    TEGULA_CALLS_BACK
    template <class Grown>
    TEGULA_INLINE void soften_with(distributed_tensor<float, Scores>& scores, float scale, const Grown& grown)
    {
        auto highest = reduce_registers<1>(scores, [](float x, float y) { return Target::max_number(x, y); });
        bool outgrown = false;
        static_for<rows::num_registers>([&](auto r) { outgrown |= highest[r] * scale - reference[r] > slack; });
        if (Target::any_lane(outgrown))
            grown(raise(highest, scale));
        static_for<Scores::num_elements>([&](auto n) {
            constexpr int from = registers::source_of(n), row = registers::target_of(n);
            scores[from] = Exponentials::template exp2<n, Target>(scores[from] * scale - reference[row]);
        });
        add_up(scores);
    }

    /// The end of the rows: what the output is to be multiplied by, and the logarithm to base e of the sum of
    /// exponentials, -inf if there are none.
    struct row_ends
    {
        rows factor;
        rows logarithm;
    };
    /// Ends the rows. `extra` has a score that each row has besides, to base 2, -inf for none.
    TEGULA_INLINE row_ends end(const rows& extra)
    {
        reduce_lanes<Target, Scores, 1>(sum, [](float x, float y) { return x + y; });
        row_ends ends;
        static_for<rows::num_registers>([&](auto r) {
            const float against = Target::max_number(reference[r], extra[r]);
            const float own = Target::exp2(reference[r] - against);
            const float all = sum[r] * own + Target::exp2(extra[r] - against);
            ends.factor[r] = all == 0 ? 0.0f : own / all;
            ends.logarithm[r] = all == 0 ? -__builtin_inff() : (against + Target::log2(all)) / log2_of_e;
        });
        return ends;
    }
    /// The same, and divides the output. Returns the logarithm.
    TEGULA_INLINE rows finish(accumulators& output, const rows& extra)
    {
        const row_ends ends = end(extra);
        rescale(output, ends.factor);
        return ends.logarithm;
    }

    /// output *= factor, row by row.
    static TEGULA_INLINE void rescale(accumulators& output, const rows& factor)
    {
        constexpr int count = Output::atom::c_count;
        static_for<Output::c_distribution::num_registers>([&](auto n) {
            constexpr int row = output_rows::of(decltype(n)::value);
            output.tiles[n / count][n % count] *= factor[row];
        });
    }

private:
    /// Elements of a lane's row are added in four chains: instructions take two at a time, and none waits.
    static constexpr int chains = 4;
    static consteval int chain_of(int n)
    {
        int before = 0;
        for (int other = 0; other < n; ++other)
            before += registers::target_of(other) == registers::target_of(n);
        return before;
    }

    TEGULA_INLINE void add_up(const distributed_tensor<float, Scores>& weights)
    {
        array<rows, chains> parts;
        static_for<Scores::num_elements>([&](auto n) {
            constexpr int from = registers::source_of(n), row = registers::target_of(n), place = chain_of(n);
            if constexpr (place < chains)
                parts[place][row] = weights[from];
            else
                parts[place % chains][row] += weights[from];
        });
        static_for<rows::num_registers>(
            [&](auto r) { sum[r] += (parts[0][r] + parts[2][r]) + (parts[1][r] + parts[3][r]); });
    }

    /// Raises the references; what the output is multiplied by.
    TEGULA_INLINE rows raise(rows& highest, float scale)
    {
        reduce_lanes<Target, Scores, 1>(highest, [](float x, float y) { return Target::max_number(x, y); });
        rows factor;
        static_for<rows::num_registers>([&](auto r) {
            const float raised = Target::max_number(reference[r], highest[r] * scale - lift);
            factor[r] = Target::exp2(reference[r] - raised);
            reference[r] = raised;
            sum[r] *= factor[r];
        });
        return factor;
    }
};

} // namespace tegula
