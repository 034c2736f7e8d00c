#pragma once

#include <tegula/block/dequantizing_loader.hpp>
#include <tegula/block/mma_tile.hpp>
#include <tegula/core/rounding.hpp>
#include <tegula/tensor/partition.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

/// Accumulators of two levels for a B of integers with scales: products of Form::group neighbours along k are summed by
/// the matrix instructions, the sums scaled and added to the total in float.
///
/// total[m][n] += sum over groups g of scale[g][n] * (sum over k in g of A[m][k] (B[k][n] - zero[g][n]))
///
/// Zero points are subtracted from the sums, times the sum of A's row over the group, which a matrix instruction with a
/// B of ones computes. It derives from the Mma's accumulators, which hold the sums of the current group. So a k loop
/// can run it as these.
///
///   BlockK  the k of a step of the loop. It divides the group, or is a multiple of it
template <class Mma, index_t BlockK, class Form>
struct group_scaled_accumulators : Mma::accumulators
{
    using target = typename Mma::target;
    using distribution = typename Mma::c_distribution;
    static_assert(std::is_same_v<typename Mma::c_type, float>, "tegula: groups are scaled in sums of float");
    /// The k whose sum is scaled at once.
    static constexpr index_t sum_k = min(BlockK, Form::group);
    static_assert(Form::group > 0 && BlockK % sum_k == 0 && Form::group % sum_k == 0 && sum_k % Mma::slice_k == 0,
                  "tegula: packed weights have groups that are multiples of 32 k and divide block_k, or that block_k "
                  "divides; take a tile of gemm_tiles for other groups");

    static constexpr int sums_a_step = static_cast<int>(BlockK / sum_k);
    static constexpr int slices_a_sum = static_cast<int>(sum_k / Mma::slice_k);
    static constexpr int registers = distribution::num_registers;

    /// total: what the sums are added to. The source has the k of the product; n0: first row of B.
    TEGULA_INLINE group_scaled_accumulators(typename Mma::accumulators& total, const quantized_source<Form>& source,
                                            index_t n0)
        : total_(total), source_(source)
    {
        const index_t column = n0 + distribution::origin(partition_index<target, distribution>())[1];
        static_for<columns>([&](auto c) {
            constexpr index_t offset = column_offset(c);
            // Columns past the last take its scale: they are not stored.
            const index_t own = min(column + offset, source.rows - 1);
            scales_at_[c] = own * source.scale_row_stride;
            if constexpr (Form::has_zero_points)
                zeros_at_[c] = own * source.zero_row_stride;
        });
        this->clear();
        rows_.clear();
        load(0);
    }

    template <int Slice, class A, class B>
    TEGULA_INLINE void multiply_slice(const A& a, const B& b)
    {
        Mma::multiply(*this, a, b);
        if constexpr (Form::has_zero_points) {
            typename sums_of_rows::b_slice ones;
            static_for<sums_of_rows::b_slice::num_registers>(
                [&](auto i) { ones[i] = convert<typename Mma::b_type>(1.0f); });
            const auto& own = a.registers;
            sums_of_rows::multiply(rows_, __builtin_bit_cast(typename sums_of_rows::a_slice, own), ones);
        }
        if constexpr ((Slice + 1) % slices_a_sum == 0)
            add<Slice / slices_a_sum>();
    }

    /// One step of BlockK went into the accumulators.
    TEGULA_INLINE void end_step() { load(++step_); }

private:
    using sums_of_rows = mma_tile<target, typename Mma::atom, Mma::block_m, Mma::block_n / Mma::iterations_n,
                                  Mma::waves_m, Mma::waves_n, 1, Mma::transposed>;

    /// Which of a lane's columns each register is in, and where those columns are.
    struct column_table
    {
        int count = 0;
        index_t offset[registers]{};
        int of_register[registers]{};
    };
    static consteval column_table make_columns()
    {
        column_table t;
        for (int n = 0; n < registers; ++n) {
            const auto x = distribution::step(n);
            int slot = 0;
            while (slot < t.count && t.offset[slot] != x[1])
                ++slot;
            t.offset[slot] = x[1];
            t.count = slot == t.count ? slot + 1 : t.count;
            t.of_register[distribution::register_at(x)] = slot;
        }
        return t;
    }
    static constexpr column_table table = make_columns();
    static constexpr int columns = table.count;
    static consteval index_t column_offset(int slot) { return table.offset[slot]; }
    static consteval int slot_of(int r) { return table.of_register[r]; }

    typename Mma::accumulators& total_;
    quantized_source<Form> source_;
    typename sums_of_rows::accumulators rows_;
    static constexpr int zero_columns = Form::has_zero_points ? columns : 0;
    array<long_index_t, columns> scales_at_; ///< of the lane's columns, from the group's first scale on
    array<long_index_t, zero_columns> zeros_at_;
    array<typename Form::scale, columns * sums_a_step> scales_;
    array<typename Form::zero, zero_columns * sums_a_step> zeros_;
    index_t step_ = 0;

    /// Starts to load the scales of step `step`, one step before they are used.
    TEGULA_INLINE void load(index_t step)
    {
        static_for<sums_a_step>([&](auto sum) {
            const index_t group = min((step * BlockK + sum * sum_k) / Form::group, source_.groups - 1);
            const auto* const scales = source_.scales + group * source_.scale_group_stride;
            static_for<columns>(
                [&](auto c) { scales_[sum * columns + c] = internal::read_scalar<target>(scales + scales_at_[c]); });
            if constexpr (Form::has_zero_points) {
                const auto* const zeros = source_.zeros + group * source_.zero_group_stride;
                static_for<columns>(
                    [&](auto c) { zeros_[sum * columns + c] = internal::read_scalar<target>(zeros + zeros_at_[c]); });
            }
        });
    }

    /// Adds the sums of part `Sum` of the step to the total.
    template <int Sum>
    TEGULA_INLINE void add()
    {
        constexpr int count = Mma::accumulators::tile::size();
        static_for<registers>([&](auto r) {
            constexpr int slot = Sum * columns + slot_of(r);
            const auto scale = static_cast<float>(scales_[slot]);
            float sum = this->tiles[r / count][r % count];
            if constexpr (Form::has_zero_points) {
                constexpr int row = r / (count * Mma::iterations_n) * count + r % count;
                sum = multiply_add(-static_cast<float>(zeros_[slot]), rows_.tiles[row / count][row % count], sum);
            }
            float& total = total_.tiles[r / count][r % count];
            total = multiply_add(scale, sum, total);
        });
        this->clear();
        if constexpr (Form::has_zero_points)
            rows_.clear();
    }
};

} // namespace tegula
