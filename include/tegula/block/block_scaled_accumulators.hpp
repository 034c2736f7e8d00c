#pragma once

#include <tegula/block/block_scales.hpp>
#include <tegula/block/mma_tile.hpp>
#include <tegula/core/rounding.hpp>

namespace tegula {

/// Accumulators of two levels: products of Group neighbours along k are summed by the matrix instructions, the sums
/// scaled and added to the total in float.
///
/// total[m][n] = sum over groups g of a[m][g] * b[g] * (sum over k in g of A[m][k] B[k][n])
///
/// It derives from the Mma's accumulators, which hold the sums of the current group. So a k loop can run it as these.
///
/// Source is a function object that returns the block_scale_source. It is called for each group, so that scalar
/// registers need not keep it.
template <class Mma, index_t BlockK, index_t Group, class Source>
struct block_scaled_accumulators : Mma::accumulators
{
    using target = typename Mma::target;
    using distribution = typename Mma::c_distribution;
    static_assert(std::is_same_v<typename Mma::c_type, float>, "tegula: block scales are for products summed in float");
    static_assert(Group % BlockK == 0,
                  "tegula: block_k must divide the 128 elements of k that share a scale; use a smaller block_k");

    static constexpr index_t steps_a_group = Group / BlockK;
    static constexpr int registers = distribution::num_registers;

    typename Mma::accumulators total;

    TEGULA_INLINE explicit block_scaled_accumulators(const Source& s) : scales_at(s)
    {
        this->clear();
        total.clear();
        scales.load(scales.of_lane(scales_at()));
    }

    /// One step of BlockK went into the accumulators.
    TEGULA_INLINE void end_step()
    {
        if (++step == steps_a_group)
            add_group();
    }

    /// Adds what is left of a last group that is shorter.
    TEGULA_INLINE void finish()
    {
        if (step != 0)
            add_group();
    }

private:
    using scales_type = block_scales<target, distribution>;

    Source scales_at;
    index_t step = 0;
    index_t group = 0;
    scales_type scales;

    TEGULA_INLINE void add_group()
    {
        const auto factors = scales.products();
        constexpr int count = Mma::accumulators::tile::size();
        static_for<registers>([&](auto r) {
            constexpr int slot = scales_type::slot_of(r);
            float& sum = total.tiles[r / count][r % count];
            sum = multiply_add(factors[slot], this->tiles[r / count][r % count], sum);
        });
        this->clear();
        step = 0;
        ++group;
        scales.load(scales.of_lane(scales_at().behind(group)));
    }
};

} // namespace tegula
