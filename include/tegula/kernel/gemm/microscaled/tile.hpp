#pragma once

#include <tegula/block/direct_loader.hpp>
#include <tegula/block/microscaled_loop.hpp>
#include <tegula/kernel/gemm/microscaled/layout.hpp>
#include <tegula/kernel/gemm/tile.hpp>
#include <tegula/mma/scaled_atom.hpp>

namespace tegula {

/// The tile of a microscaled_gemm, like gemm_tile: block tile [BlockM, BlockN], 128 of k per stage, WavesM x WavesN
/// waves, a ring of Stages stages. A and B are element types of the Microscaling formats and may differ.
template <class Target, class A, class B, index_t BlockM, index_t BlockN, int WavesM, int WavesN, int Stages = 2>
struct microscaled_tile
{
    using target = Target;
    using a_element = A;
    using b_element = B;
    // The tile computes the transposed product: B is the instruction's A.
    using atom = scaled_mma_atom<Target, B, A>;
    using mma = mma_tile<Target, atom, BlockM, BlockN, WavesM, WavesN>;
    static_assert(mma::transposed);
    using output = output_stage<mma>;
    static constexpr chip_speed speed = chip::speed_of(Target::chip());
    using raster = grouped_raster<8, speed.xcds, tiles_of_xcd(speed)>;
    using a_type = std::uint8_t;
    using b_type = std::uint8_t;
    using accumulator_type = float;
    using k_loop = microscaled_loop<microscaled_tile>;

    static constexpr index_t block_m = BlockM;
    static constexpr index_t block_n = BlockN;
    static constexpr index_t block_k = mx_step;
    static constexpr int waves_m = WavesM;
    static constexpr int waves_n = WavesN;
    static constexpr int stages = Stages;
    static constexpr int block_threads = mma::block_threads;
    static constexpr int cluster_blocks = 1;
    static constexpr bool has_tensor_scale = false;
    static constexpr bool copies_tensors = false;
    static_assert(Stages == 2 || Stages == 4, "tegula: Stages must be 2 or 4: it must divide the four steps that share "
                                              "a register of scales, so that each step's slot is a constant");

    /// Bytes per row in a stage.
    static constexpr index_t a_row = mx_row_bytes<A>(mx_step), b_row = mx_row_bytes<B>(mx_step);
    using a_loader = direct_loader<Target, std::uint8_t, BlockM, a_row, mma::waves, typename mma::a_distribution>;
    using b_loader = direct_loader<Target, std::uint8_t, BlockN, b_row, mma::waves, typename mma::b_distribution>;

    static constexpr int accumulator_registers = mma::c_distribution::num_registers;

    template <operand_order, operand_order>
    static consteval index_t shared_bytes()
    {
        return max(Stages * (BlockM * a_row + BlockN * b_row), output::bytes);
    }

    /// True, or the compilation stops with the rule of gemm_tile that the tile breaks.
    template <operand_order OrderA, operand_order OrderB>
    static consteval bool check()
    {
        namespace rules = gemm_rules;
        constexpr long bytes = shared_bytes<OrderA, OrderB>(), limit = Target::chip().shared_bytes;
        constexpr int registers = accumulator_registers;
        constexpr int register_limit = lane_registers(Target::chip(), block_threads) - 32;
        constexpr int conflicts = a_loader::shared::conflicts + b_loader::shared::conflicts + output::shared::conflicts;
        return sizeof(rules::stages_fit_shared_memory<(bytes <= limit), bytes, limit>) &&
               sizeof(
                   rules::accumulators_fit_the_registers<(registers <= register_limit), registers, register_limit>) &&
               sizeof(rules::shared_memory_is_free_of_conflicts < conflicts == 0, conflicts >);
    }
};

/// The tiles that are shipped for a target with block scales.
///
/// | name     | waves | for
/// | t256x128 | 4     | large products: one wave a SIMD; 256 x 256 spills in 8 bits
/// | t128x128 | 4     | products of fewer tiles
template <class Target, class A, class B = A>
struct microscaled_tiles
{
    static constexpr int stages = A::format::width + B::format::width <= 8 ? 4 : 2;
    using t256x128 = microscaled_tile<Target, A, B, 256, 128, 2, 2, stages>;
    using t128x128 = microscaled_tile<Target, A, B, 128, 128, 2, 2, stages>;
};

} // namespace tegula
