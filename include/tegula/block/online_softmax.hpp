#pragma once

#include <tegula/block/exponentials.hpp>
#include <tegula/block/softmax_rows.hpp>
#include <tegula/tensor/sweep.hpp>

namespace tegula {

namespace detail {

/// For each register of an accumulator, the register of a rows tensor that holds its row.
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

/// Whether every lane holds the same rows in the same registers of both distributions.
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
/// softmax", 2018). It turns scores into weights, exp(score - reference), sums them, and rescales the output.
///
///   Scores        distribution {wave, lane} of a tile of scores [rows, columns]; a row lies in one wave
///   Output        the mma_tile that multiplies weights by values; its accumulators have the rows of Scores
///   Exponentials  how weights are computed: hardware_exponentials or mixed_exponentials
///
/// The reference of a row is its greatest score when references were last raised. Later scores may be greater as long
/// as all weights stay below 2^slack. If a weight would reach 2^slack, the wave raises the references of its rows to
/// their greatest scores and rescales sums and output. Otherwise nothing is rescaled, and lanes exchange nothing. A sum
/// in float and a weight of 16 bits hold numbers up to 2^slack with the same relative error as numbers below 1.
///
/// Only a score of -inf has no weight. Finite scores count, however low they are. One multiply-add makes the exponent
/// of a weight. For a reference that is too far from 0 (greatest_rounded_exponent) this rounds too much: the reference
/// is then subtracted from the scores first. A row whose scores are all -inf has the sum 0 and the output 0. A NaN or
/// +inf among the scores makes the row NaN, as the formula does.
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

    /// Weights of 8 bits are multiplied by 2^lift, because the smallest numbers of these types are coarse.
    static constexpr bool of_8_bits = sizeof(typename Output::a_type) == 1;
    static constexpr float slack = of_8_bits ? 7 : 8;
    static constexpr float lift = of_8_bits ? 6 : 0;

    /// RDNA has no registers for ceilings in addition to 128 accumulators: there each tile computes from the references
    /// whether they must be raised.
    static constexpr bool holds_ceilings =
        Target::vendor != vendor::amd || Target::wave_size != 32 || Output::c_distribution::num_registers < 128;

    /// Whether a lane has one row, and neighbours in pairs of registers.
    static constexpr bool pairs = rows::num_registers == 1 && Scores::num_elements % 2 == 0;
    /// Whether weights are made two at a time.
    static constexpr bool packs = Target::chip().has_packed_floats && pairs;

    rows reference; ///< the score whose weight is 2^lift
    rows sum;       ///< sums of the weights of the lane's own columns
    rows ceiling;   ///< a score this high raises the reference; -inf if the reference is_far. Read if holds_ceilings

    /// Begins rows that have no score yet.
    TEGULA_INLINE void clear()
    {
        reference = make_distributed_tensor<float, row_distribution>(-greatest_float);
        sum = make_distributed_tensor<float, row_distribution>(0);
        ceiling = make_distributed_tensor<float, row_distribution>(-__builtin_inff());
    }

    /// Turns the scores of the next tile into weights, exp(scale * (score - reference)) * 2^lift, and adds them to the sums. If
    /// references must be raised, it rescales the sums and `output` first. Precondition: scale > 0, the same in all calls.
    TEGULA_INLINE void update(distributed_tensor<float, Scores>& scores, float scale, accumulators& output)
    {
        update_with(scores, scale, [&](const rows& factor) { rescale(output, factor); });
    }

    /// Like update(), but the caller rescales the output. If references are raised it calls grown(factor), which multiplies
    /// the output by `factor`, row by row. Each wave decides for itself, so that some waves of a block may call it alone.
    ///
    ///   MayPack  false: weights are made one at a time on every target, which takes fewer registers
    TEGULA_CALLS_BACK
    template <bool MayPack = true, class Grown>
    TEGULA_INLINE void update_with(distributed_tensor<float, Scores>& scores, float scale, const Grown& grown)
    {
        const rows offset = settle(scores, scale, grown);
        const float to_exponent = scale * log2_of_e;
        if constexpr (MayPack && packs) {
            static_for<Scores::num_elements / 2>([&](auto n) { weigh_pair<n>(scores, offset, to_exponent); });
            add_up_pairs(scores);
        } else {
            static_for<Scores::num_elements>([&](auto n) {
                constexpr int from = registers::source_of(n), row = registers::target_of(n);
                scores[from] =
                    Exponentials::template exp2<n, Target>(multiply_add(scores[from], to_exponent, offset[row]));
            });
            add_up(scores);
        }
    }

    /// update() without the weights and their sums, which weigh_pair() and weight_sums make, pair by pair beside a product.
    /// Returns the offsets in the exponents of the weights.
    TEGULA_INLINE rows settle(distributed_tensor<float, Scores>& scores, float scale, accumulators& output)
    {
        return settle(scores, scale, [&](const rows& factor) { rescale(output, factor); });
    }
    /// Turns elements 2 N and 2 N + 1 of a lane into weights. Precondition: pairs.
    ///
    ///   to_exponent  the scale of settle(), times log2(e)
    template <int N>
    static TEGULA_INLINE void weigh_pair(distributed_tensor<float, Scores>& scores, const rows& offset,
                                         float to_exponent)
    {
        set_pair<N>(scores, Exponentials::template exp2_pair<N, Target>(Target::packed_multiply_add(
                                pair<N>(scores), {to_exponent, to_exponent}, {offset[0], offset[0]})));
    }
    /// Adds up weights in two chains of pairs, pair after pair.
    struct weight_sums
    {
        array<float, 2> parts[2];

        template <int N>
        TEGULA_INLINE void add(const distributed_tensor<float, Scores>& weights)
        {
            if constexpr (N < 2)
                parts[N] = pair<N>(weights);
            else
                parts[N % 2] = sum_of(parts[N % 2], pair<N>(weights));
        }
    };
    TEGULA_INLINE void add(const weight_sums& w)
    {
        sum[0] += (w.parts[0][0] + w.parts[1][0]) + (w.parts[0][1] + w.parts[1][1]);
    }

    /// Takes over references that others have raised for the rows: two warpgroups that work on tiles of one row in turn
    /// tell each other theirs. If one differs, it rescales the sums and calls grown(factor) as update_with() does.
    ///
    ///   references  not below the rows' own
    TEGULA_CALLS_BACK
    template <class Grown>
    TEGULA_INLINE void adopt(const rows& references, float scale, const Grown& grown)
    {
        bool changed = false;
        static_for<rows::num_registers>([&](auto r) { changed = changed | (references[r] != reference[r]); });
        if (Target::any_lane(changed)) {
            const float to_exponent = scale * log2_of_e;
            grown(move_references(references, to_exponent));
            static_for<rows::num_registers>(
                [&](auto r) { set_ceiling(r, is_far(offset_of(reference[r], to_exponent)), to_exponent); });
        }
    }

    /// Ends the rows: adds the sums of all lanes, and gives each row's factor and logarithm. The output must still be
    /// multiplied by the factor.
    ///
    ///   extra  one more score for each row, already scaled, whose value is 0; -inf for none
    ///   scale  that of update()
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
    /// Ends the rows and multiplies the output by their factors: it is then the softmax's.
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
    /// Raises references that scores are too far above: grown() as in update_with(). Returns the offsets in the exponents.
    TEGULA_CALLS_BACK
    template <class Grown>
    TEGULA_INLINE rows settle(distributed_tensor<float, Scores>& scores, float scale, const Grown& grown)
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
        return offset;
    }

    /// A lane adds the weights of a row in four independent chains, so that additions do not wait for each other and
    /// packed instructions take two at a time.
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

    /// Elements 2 N and 2 N + 1 of a lane.
    template <int N>
    static TEGULA_INLINE array<float, 2> pair(const distributed_tensor<float, Scores>& x)
    {
        return {x[registers::source_of(2 * N)], x[registers::source_of(2 * N + 1)]};
    }
    template <int N>
    static TEGULA_INLINE void set_pair(distributed_tensor<float, Scores>& x, const array<float, 2>& values)
    {
        x[registers::source_of(2 * N)] = values[0];
        x[registers::source_of(2 * N + 1)] = values[1];
    }
    /// add_up() by packed instructions, two chains in each of two pairs: the same sums in the same order.
    TEGULA_INLINE void add_up_pairs(const distributed_tensor<float, Scores>& weights)
    {
        weight_sums sums;
        static_for<Scores::num_elements / 2>([&](auto n) { sums.template add<n>(weights); });
        add(sums);
    }

    static TEGULA_INLINE array<float, 2> sum_of(const array<float, 2>& x, const array<float, 2>& y)
    {
        if constexpr (packs)
            return Target::packed_add(x, y);
        else
            return {x[0] + y[0], x[1] + y[1]};
    }

    /// The offset in the exponent of a weight, score * to_exponent + offset: lift - reference * to_exponent.
    static TEGULA_INLINE float offset_of(float reference, float to_exponent)
    {
        if constexpr (lift == 0)
            return rounded_product(reference, -to_exponent); // else a separate negation
        else
            return multiply_add(reference, -to_exponent, lift);
    }
    /// Whether an offset is too large for one multiply-add. The offset of the reference -greatest_float may be
    /// infinite; it is far.
    static TEGULA_INLINE bool is_far(float offset) { return __builtin_fabsf(offset) > greatest_rounded_exponent; }

    /// Raises the references to the greatest scores and rescales the sums. Returns the factors of the output.
    TEGULA_INLINE rows raise(rows& highest, float to_exponent)
    {
        reduce_lanes<Target, Scores, 1>(highest, [](float x, float y) { return Target::max_number(x, y); });
        static_for<rows::num_registers>([&](auto r) { highest[r] = Target::max_number(reference[r], highest[r]); });
        return move_references(highest, to_exponent);
    }
    /// Sets the references and rescales the sums. Returns the factors of the output.
    TEGULA_INLINE rows move_references(const rows& to, float to_exponent)
    {
        rows factor;
        static_for<rows::num_registers>([&](auto r) {
            factor[r] = Target::exp2((reference[r] - to[r]) * to_exponent);
            reference[r] = to[r];
            sum[r] = rounded_product(sum[r], factor[r]);
        });
        return factor;
    }
    TEGULA_INLINE void set_ceiling(int r, bool row_is_far, float to_exponent)
    {
        ceiling[r] =
            row_is_far ? -__builtin_inff() : multiply_add(slack - lift, Target::reciprocal(to_exponent), reference[r]);
    }

    /// After the references changed: sets the ceilings and the offsets. It subtracts far references from their rows'
    /// scores, whose offset is then the lift.
    TEGULA_INLINE void subtract_far(distributed_tensor<float, Scores>& scores, rows& offset, float to_exponent)
    {
        rows subtracted;
        static_for<rows::num_registers>([&](auto r) {
            const float whole = offset_of(reference[r], to_exponent);
            const bool row_is_far = is_far(whole);
            set_ceiling(r, row_is_far, to_exponent);
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
