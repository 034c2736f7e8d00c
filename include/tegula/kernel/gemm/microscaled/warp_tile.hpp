#pragma once

#include <tegula/block/scaled_warp_product.hpp>
#include <tegula/block/tensor_copy_loader.hpp>
#include <tegula/kernel/gemm/microscaled/layout.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_arguments.hpp>
#include <tegula/kernel/gemm/tile.hpp>

namespace tegula {

/// The tile of a microscaled_gemm by sm_120a's warps: block tile [BlockM, BlockN], 128 bytes of k per stage, a ring of
/// Stages stages that tensor copies fill. Each of WavesM x WavesN warps has a multiple of 32 x 32 elements.
///
/// FormatA, FormatB  mx_format of any two element types, or both nvfp4_format
///
/// The instruction takes 6-bit operands, and 4-bit ones with a wider partner, as bytes; in memory they are packed.
/// Tensor copies spread 16 of them over 16 bytes of shared memory, and ldmatrix widens them.
template <class Target, class FormatA, class FormatB, index_t BlockM, index_t BlockN, int WavesM, int WavesN,
          int Stages>
struct scaled_warp_tile
    : gemm_tile<Target, scaled_warp_atom<Target, FormatA, FormatB>, BlockM, BlockN, 128, WavesM, WavesN, Stages>
{
    using base =
        gemm_tile<Target, scaled_warp_atom<Target, FormatA, FormatB>, BlockM, BlockN, 128, WavesM, WavesN, Stages>;
    using atom = typename base::atom;
    using mma = typename base::mma;
    using a_format = FormatA;
    using b_format = FormatB;
    using a_element = typename FormatA::element_type;
    using b_element = typename FormatB::element_type;
    template <class C, class Epilogue>
    using product_type = scaled_format_arguments<FormatA, FormatB, C, Epilogue>;
    using k_loop = scaled_multistage_loop<scaled_warp_tile, scaled_accumulators<scaled_warp_tile>, FormatA::block>;

    static constexpr bool has_tensor_scale = FormatA::has_tensor_scale;
    static_assert(128 % BlockM == 0 && 128 % BlockN == 0, "tegula: scales of rows past the last one are stored up to a "
                                                          "multiple of 128 rows; take 64 or 128 of the tile");

    /// How tensor copies move elements of T.
    template <class T>
    static consteval tensor_element element_of()
    {
        return atom::packed || T::format::width == 8 ? tensor_element::u8
               : T::format::width == 6               ? tensor_element::u6_align16
                                                     : tensor_element::u4_align16;
    }
    static constexpr bool copies_tensors = true;
    using source_type = copied_source;
    using a_copies =
        tensor_copy_loader<Target, element_of<a_element>(), BlockM, typename mma::a_distribution, atom::m, 0, Stages>;
    using b_copies =
        tensor_copy_loader<Target, element_of<b_element>(), BlockN, typename mma::b_distribution, atom::n, 1, Stages>;
    template <operand_order>
    using a_loader = a_copies;
    template <operand_order>
    using b_loader = b_copies;
    template <operand_order OrderA, operand_order OrderB>
    using loop = multistage_loop<scaled_warp_tile, OrderA, OrderB>;

    /// k as the copies count it: bytes of packed elements, else elements. Rows are padded to mx_step elements.
    static constexpr TEGULA_HOST_DEVICE long_index_t copied_k(long_index_t k)
    {
        return ceil_div(k, mx_step) * (atom::packed ? mx_step / 2 : mx_step);
    }

    static constexpr index_t step_k = base::block_k * mx_step / (atom::packed ? mx_step / 2 : mx_step); ///< k per stage

    /// Byte offset of the mbarriers, after the ring.
    static constexpr index_t barriers_at = Stages * (a_copies::tile_elements + b_copies::tile_elements);
    static TEGULA_INLINE arch::nvidia::mbarrier* barriers(std::byte* memory)
    {
        return reinterpret_cast<arch::nvidia::mbarrier*>(memory + barriers_at);
    }
    /// Called by all lanes of the block, before the loop.
    static TEGULA_INLINE void initialize_barriers(std::byte* memory)
    {
        if (Target::wave_id() == 0 && Target::lane_id() == 0) {
            static_for<Stages>([&](auto s) { arch::nvidia::mbarrier_init(barriers(memory) + s, 2); });
            arch::nvidia::fence_mbarrier_init();
        }
        Target::shared_barrier();
    }

    template <operand_order, operand_order>
    static consteval index_t shared_bytes()
    {
        constexpr auto all = barriers_at + Stages * static_cast<index_t>(sizeof(arch::nvidia::mbarrier));
        return max(all, base::output::bytes);
    }
    /// True, or the compilation stops with the rule of gemm_tile that the tile breaks.
    template <operand_order OrderA, operand_order OrderB>
    static consteval bool check()
    {
        namespace rules = gemm_rules;
        constexpr long bytes = shared_bytes<OrderA, OrderB>(), limit = Target::chip().shared_bytes;
        constexpr int registers = base::accumulator_registers, register_limit = base::lane_registers - 32;
        constexpr int conflicts =
            a_copies::shared::conflicts + b_copies::shared::conflicts + base::output::shared::conflicts;
        return sizeof(rules::stages_fit_shared_memory<(bytes <= limit), bytes, limit>) &&
               sizeof(
                   rules::accumulators_fit_the_registers<(registers <= register_limit), registers, register_limit>) &&
               sizeof(rules::shared_memory_is_free_of_conflicts < conflicts == 0, conflicts >);
    }
};

/// The tiles that are shipped for block-scaled operands on warps.
///
/// | name     | warps | stages | for
/// | t128x128 | 8     | 3      | large products: 96 of the 99 KB of shared memory
/// | t64x64   | 4     | 3      | products of few tiles: two blocks share a multiprocessor
template <class Target, class FormatA, class FormatB = FormatA>
struct scaled_warp_tiles
{
    using t128x128 = scaled_warp_tile<Target, FormatA, FormatB, 128, 128, 2, 4, 3>;
    using t64x64 = scaled_warp_tile<Target, FormatA, FormatB, 64, 64, 2, 2, 3>;
};

} // namespace tegula
