#pragma once

#include <tegula/arch/x86/targets.hpp>
#include <tegula/block/packed/packed_loop.hpp>
#include <tegula/block/packed/packed_output.hpp>
#include <tegula/block/packed/strict_panels.hpp>
#include <tegula/block/raster.hpp>

namespace tegula {

namespace gemm_rules {
template <bool Ok, int Rows, int Columns>
struct block_is_whole_register_tiles
{
    static_assert(Ok, "tegula: the block tile of a CPU must be a multiple of its instruction's register tile (the "
                      "template arguments are that tile's rows and columns)");
};
} // namespace gemm_rules

/// How a GEMM on a CPU is divided; gemm_kernel takes it instead of a gemm_tile. A block is one thread. It has the tile
/// [BlockM, BlockN] of C with accumulators in cache, and takes Depth words of k at a time. StripM rows of A at a time are
/// packed and pass over B's panels.
///
///   Target       arch::x86_avx2 ...; arch::strict<...> on the emulator
///   Element      element type of A and B in memory
///   Instruction  an instruction of mma/device/device_x86.hpp
template <class Target, class Element, class Instruction, index_t BlockM, index_t BlockN, index_t Depth = 256,
          index_t StripM = BlockM>
struct cpu_gemm_tile
{
    using target = Target;
    using instruction = Instruction;
    using a_type = Element;
    using b_type = Element;
    using accumulator_type = typename Instruction::c_type;
    using raster = grouped_raster<8>;
    using operations = std::conditional_t<Target::is_strict, strict_panels<Target, Instruction, Depth>,
                                          native_panels<Instruction, Depth>>;
    using output = packed_output<operations>;
    using element_wise_tile = cpu_gemm_tile;
    struct mma
    {
        using accumulators = packed_accumulators<cpu_gemm_tile>;
    };

    static_assert(sizeof(gemm_rules::block_is_whole_register_tiles < BlockM % Instruction::rows == 0 &&
                             BlockN % Instruction::tile_columns == 0,
                         Instruction::rows, Instruction::tile_columns >));

    static constexpr index_t block_m = BlockM;
    static constexpr index_t block_n = BlockN;
    static constexpr index_t strip_m = StripM;
    static constexpr index_t block_k = Depth * Instruction::per_word;
    static constexpr int block_threads = 1;
    static constexpr int cluster_blocks = 1;
    /// Accumulators from one row to the next: one register more than a row, or rows would meet in the same cache
    /// lines.
    static constexpr index_t pitch = BlockN + Instruction::columns;

    static constexpr index_t accumulator_bytes = BlockM * pitch * static_cast<index_t>(sizeof(accumulator_type));
    static constexpr index_t a_panel_bytes = StripM * Depth * static_cast<index_t>(sizeof(typename Instruction::word));
    static constexpr index_t b_panel_bytes = (BlockN * (Depth + (Instruction::a_bias != 0 ? 1 : 0))) *
                                             static_cast<index_t>(sizeof(typename Instruction::word));

    template <operand_order, operand_order>
    using loop = packed_loop<cpu_gemm_tile>;

    template <operand_order, operand_order>
    static consteval index_t shared_bytes()
    {
        return accumulator_bytes + a_panel_bytes + b_panel_bytes;
    }
    template <operand_order, operand_order>
    static consteval bool check()
    {
        return true;
    }

    /// CPU features that the tile's kernels need.
    static constexpr x86::feature_set needed = Instruction::needed;
};

} // namespace tegula
