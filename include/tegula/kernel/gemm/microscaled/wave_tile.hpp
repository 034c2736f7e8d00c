#pragma once

#include <tegula/block/scaled_wave_product.hpp>
#include <tegula/kernel/gemm/microscaled/layout.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_arguments.hpp>
#include <tegula/kernel/gemm/tile.hpp>

namespace tegula {

/// The tile of a microscaled_gemm on gfx1250: block tile [BlockM, BlockN], 128 of k per stage, WavesM x WavesN waves, a
/// ring of Stages stages. Asynchronous copies (multistage) or the tensor data mover (tensor_multistage) fill it.
///
/// FormatA, FormatB  mx_format of elements of 8 bits (e4m3 or e5m2), 6 (e2m3 or e3m2) or 4; widths may differ
template <class Target, class FormatA, class FormatB, index_t BlockM, index_t BlockN, int WavesM, int WavesN,
          int Stages, class Schedule = multistage>
struct scaled_wave_tile
    // The tile computes the transposed product: B is the instruction's A.
    : gemm_tile<Target, scaled_mma_atom<Target, typename FormatB::element_type, typename FormatA::element_type>, BlockM,
                BlockN, mx_row_bytes<typename FormatB::element_type>(mx_step), WavesM, WavesN, Stages, 8, Schedule>
{
    using a_format = FormatA;
    using b_format = FormatB;
    using a_element = typename FormatA::element_type;
    using b_element = typename FormatB::element_type;
    template <class C, class Epilogue>
    using product_type = scaled_format_arguments<FormatA, FormatB, C, Epilogue>;
    using k_loop = scaled_multistage_loop<scaled_wave_tile, scaled_wave_accumulators<scaled_wave_tile>, FormatA::block>;

    static_assert(scaled_wave_tile::mma::transposed);
    static constexpr index_t step_k = mx_step; ///< elements of k in a stage
    static constexpr bool has_tensor_scale = false;
    static constexpr bool copies_tensors = false;
    /// Bytes per row and mx_step elements of k.
    static constexpr index_t a_row = mx_row_bytes<a_element>(mx_step), b_row = mx_row_bytes<b_element>(mx_step);
    /// Bytes of A's rows in a stage; block_k is the bytes of B's rows, as B is the instruction's A.
    static constexpr index_t a_block_k = a_row;

    template <operand_order OrderA, operand_order OrderB>
    using loop = typename Schedule::template loop<scaled_wave_tile, OrderA, OrderB>;
    template <operand_order Order>
    using a_loader =
        typename decltype(internal::choose_loader<
                          Schedule, Order, Target, std::uint8_t, BlockM, a_row,
                          typename scaled_wave_tile::mma::a_distribution, 0,
                          best_operand_loader<Target, std::uint8_t, BlockM, a_row, scaled_wave_tile::mma::waves, Order,
                                              typename scaled_wave_tile::mma::a_distribution, 0>>())::type;

    template <operand_order OrderA, operand_order OrderB>
    static consteval index_t shared_bytes()
    {
        constexpr index_t a = a_loader<OrderA>::tile_elements;
        constexpr index_t b = scaled_wave_tile::gemm_tile::template b_loader<OrderB>::tile_elements;
        return max(Stages * (a + b), scaled_wave_tile::output::bytes);
    }

    /// The rules of gemm_tile, except that rows of 6-bit elements may have bank conflicts. A lane reads runs of 24
    /// bytes in pieces of 8. The pieces fall on every other pair of the 32 banks that are assumed for half a wave.
    template <operand_order OrderA, operand_order OrderB>
    static consteval bool check()
    {
        if constexpr (a_row == b_row && a_row % 64 == 0) {
            return scaled_wave_tile::gemm_tile::template check<OrderA, OrderB>();
        } else {
            using b_loader = typename scaled_wave_tile::gemm_tile::template b_loader<OrderB>;
            constexpr long bytes = shared_bytes<OrderA, OrderB>();
            constexpr long limit = Target::chip().shared_bytes;
            constexpr int conflicts = (a_row % 64 == 0 ? a_loader<OrderA>::shared::conflicts : 0) +
                                      (b_row % 64 == 0 ? b_loader::shared::conflicts : 0);
            return sizeof(gemm_rules::stages_fit_shared_memory<(bytes <= limit), bytes, limit>) &&
                   sizeof(gemm_rules::shared_memory_is_free_of_conflicts < conflicts == 0, conflicts >);
        }
    }
};

/// The tiles that are shipped for operands in Microscaling formats on gfx1250.
///
/// | name     | waves | by               | for
/// | t256x256 | 8     | the data mover   | large products; no operand in 6 bits, whose rows the mover cannot pad
/// | t128x128 | 8     | copies of lanes  | the others; in 6 bits reads of shared memory take twice the cycles
template <class Target, class FormatA, class FormatB = FormatA>
struct scaled_wave_tiles
{
    using t256x256 = scaled_wave_tile<Target, FormatA, FormatB, 256, 256, 2, 4, 3, tensor_multistage>;
    using t128x128 = scaled_wave_tile<Target, FormatA, FormatB, 128, 128, 2, 4, 3>;
};

} // namespace tegula
