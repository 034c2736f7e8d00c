#pragma once

#include <tegula/block/mma_tile.hpp>
#include <tegula/tensor/convert.hpp>
#include <tegula/tensor/elementwise.hpp>

namespace tegula {

/// What one product left in its accumulators as the A of the next: C [block_m, block_n] of Scores gives
/// block_n / slice_k slices [block_m, slice_k] of k for Product, which has as many rows. Its B comes in the
/// instruction's own order of k, b_order_distribution.
///
/// The waves stand along the rows in both, so that a row stays in its wave. On NVIDIA, CDNA and gfx12 it stays in its
/// lanes, too; gfx11, whose instructions take each operand twice, exchanges halves of the wave.
template <class Scores, class Product>
struct accumulator_operand
{
    static_assert(Scores::waves_n == 1 && Product::waves_n == 1 && Scores::block_m == Product::block_m,
                  "tegula: an accumulator becomes an operand where the waves of both products stand along the rows");

    using target = typename Product::target;
    using value_type = typename Product::a_type;
    using slice_type = typename Product::a_slice;
    static constexpr int slices = Scores::block_n / Product::slice_k;
    static_assert(slices * Product::slice_k == Scores::block_n,
                  "tegula: the columns of the first product must be whole slices of k of the second");

    /// Slice `Slice` of k.
    template <int Slice, class T>
    static TEGULA_INLINE slice_type slice(const distributed_tensor<T, typename Scores::c_distribution>& c)
    {
        distributed_tensor<value_type, part_distribution> part;
        static_for<part_distribution::num_registers>([&](auto r) {
            constexpr int from = source(Slice, r);
            part[r] = convert<value_type>(c[from]);
        });
        const auto ordered = convert<target, typename Product::a_order_distribution>(part);
        slice_type result;
        result.registers = ordered.registers;
        return result;
    }

private:
    /// A product with the columns of one slice.
    using part_product =
        mma_tile<target, typename Scores::atom, Scores::block_m, Product::slice_k, Scores::waves_m, 1>;
    using part_distribution = typename part_product::c_distribution;

    /// The register of Scores' accumulators that register r of a slice is.
    static consteval int source(int slice, int r)
    {
        constexpr int row = Scores::iterations_n * Scores::atom::c_count;
        constexpr int part = part_product::iterations_n * Scores::atom::c_count;
        return r / part * row + slice * part + r % part;
    }
};

} // namespace tegula
