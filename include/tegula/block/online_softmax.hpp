#pragma once

#include <tegula/block/exponentials.hpp>
#include <tegula/block/softmax_rows.hpp>
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
/// The reference of a row is not its greatest score but one at most `slack` below it, in powers of two: as long as no row of
/// a wave outgrows that, nothing is rescaled and lanes do not meet. Exponentials are then at most 2^slack, which the sums
/// and the 16-bit types hold as exactly as numbers below 1.
///
/// Only -inf hides a score: finite ones, however low, are finite. Exponents are made by one multiply-add; if a reference
/// of the wave is too large for that (greatest_rounded_exponent), it is subtracted from its row's scores first. Rows
/// without a score above -inf have the sum 0. A NaN or a +inf gives a row of NaN, as the formula does.
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

    /// The greatest exponential of an operand of 8 bits is at least 2^lift: its smallest numbers are coarse.
    static constexpr bool of_8_bits = sizeof(typename Output::a_type) == 1;
    static constexpr float slack = of_8_bits ? 7 : 8;
    static constexpr float lift = of_8_bits ? 6 : 0;

    /// RDNA has no register for ceilings beside 128 accumulators: it asks each tile whether references are far.
    static constexpr bool holds_ceilings =
        Target::vendor != vendor::amd || Target::wave_size != 32 || Output::c_distribution::num_registers < 128;

    rows reference; ///< a score
    rows sum;       ///< of the exponentials of the lane's own columns
    rows ceiling;   ///< the score that the reference is raised from; -inf where the reference is_far, each tile then
                    ///< (if holds_ceilings)

    TEGULA_INLINE void clear()
    {
        reference = make_distributed_tensor<float, row_distribution>(-greatest_float);
        sum = make_distributed_tensor<float, row_distribution>(0);
        ceiling = make_distributed_tensor<float, row_distribution>(-__builtin_inff());
    }

    /// scores = exp(scale * (scores - reference)) * 2^lift, after what was summed up before has been rescaled if it must be.
    /// scale > 0, and that of the calls before.
    TEGULA_INLINE void update(distributed_tensor<float, Scores>& scores, float scale, accumulators& output)
    {
        update_with(scores, scale, [&](const rows& factor) { rescale(output, factor); });
    }

    /// update() where the caller rescales the output: calls grown(factor), in some waves of the block and not in others, if the
    /// output is to be multiplied by `factor`, row by row.
    TEGULA_CALLS_BACK
    template <class Grown>
    TEGULA_INLINE void update_with(distributed_tensor<float, Scores>& scores, float scale, const Grown& grown)
    {
        const float to_exponent = scale * log2_of_e;
        auto highest = reduce_registers<1>(scores, [](float x, float y) { return Target::max_number(x, y); });
        rows offset;
        bool unsettled = false;
        static_for<rows::num_registers>([&](auto r) {
            offset[r] = offset_of(reference[r], to_exponent);
            if constexpr (holds_ceilings) {
                const bool reached = highest[r] >= ceiling[r];
                unsettled = unsettled | reached;
            } else {
                const bool settled = multiply_add(highest[r], to_exponent, offset[r]) < slack;
                const bool near = !is_far(offset[r]);
                unsettled = unsettled | !(settled & near);
            }
        });
        if (Target::any_lane(unsettled)) {
            grown(raise(highest, to_exponent));
            subtract_far(scores, offset, to_exponent);
        }
        static_for<Scores::num_elements>([&](auto n) {
            constexpr int from = registers::source_of(n), row = registers::target_of(n);
            scores[from] = Exponentials::template exp2<n, Target>(multiply_add(scores[from], to_exponent, offset[row]));
        });
        add_up(scores);
    }

    /// Ends the rows.
    ///
    ///   extra  a score that each row has besides, -inf for none
    ///   scale  of update
    TEGULA_INLINE softmax_row_ends<rows> end(const rows& extra, float scale)
    {
        reduce_lanes<Target, Scores, 1>(sum, [](float x, float y) { return x + y; });
        softmax_row_ends<rows> ends;
        static_for<rows::num_registers>([&](auto r) {
            const float offset = offset_of(reference[r], scale * log2_of_e);
            const float shift = Target::max_number(reference[r] * scale, -greatest_float);
            const float rest = is_far(offset) ? -lift : -multiply_add(shift, log2_of_e, offset);
            ends.set(r, end_softmax_row<Target>(shift, rest, sum[r], extra[r]));
        });
        return ends;
    }
    /// Ends the rows and divides the output.
    TEGULA_INLINE softmax_row_ends<rows> finish(accumulators& output, const rows& extra, float scale)
    {
        const auto ends = end(extra, scale);
        rescale(output, ends.factor);
        return ends;
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

    /// The lift less the reference to base 2, which turns a scaled score into an exponent.
    static TEGULA_INLINE float offset_of(float reference, float to_exponent)
    {
        if constexpr (lift == 0)
            return rounded_product(reference, -to_exponent); // else a negation of its own
        else
            return multiply_add(reference, -to_exponent, lift);
    }
    /// Whether an offset is too large for one multiply-add. That of -greatest_float may be infinite, and is far.
    static TEGULA_INLINE bool is_far(float offset) { return __builtin_fabsf(offset) > greatest_rounded_exponent; }

    /// Raises the references; what the output is multiplied by.
    TEGULA_INLINE rows raise(rows& highest, float to_exponent)
    {
        reduce_lanes<Target, Scores, 1>(highest, [](float x, float y) { return Target::max_number(x, y); });
        rows factor;
        static_for<rows::num_registers>([&](auto r) {
            const float raised = Target::max_number(reference[r], highest[r]);
            factor[r] = Target::exp2((reference[r] - raised) * to_exponent);
            reference[r] = raised;
            sum[r] = rounded_product(sum[r], factor[r]);
        });
        return factor;
    }

    /// After the references changed: sets their ceilings, subtracts those that are far from their rows' scores, and sets
    /// what is then to be added to the products.
    TEGULA_INLINE void subtract_far(distributed_tensor<float, Scores>& scores, rows& offset, float to_exponent)
    {
        rows subtracted;
        static_for<rows::num_registers>([&](auto r) {
            const float whole = offset_of(reference[r], to_exponent);
            const bool row_is_far = is_far(whole);
            ceiling[r] =
                row_is_far ? -__builtin_inff() : reference[r] + (slack - lift) * Target::reciprocal(to_exponent);
            subtracted[r] = row_is_far ? reference[r] : 0.0f;
            offset[r] = row_is_far ? lift : whole;
        });
        static_for<Scores::num_elements>([&](auto n) {
            constexpr int from = registers::source_of(n), row = registers::target_of(n);
            scores[from] -= subtracted[row];
        });
    }
};

} // namespace tegula
