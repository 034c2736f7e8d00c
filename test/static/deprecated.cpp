// Headers where they were before, and names as they were: all of them compile, with a warning each.
#if defined(__clang__)
#pragma clang diagnostic ignored "-W#pragma-messages"
#endif
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#include <tegula/block/dequantizing_stream.hpp>
#include <tegula/block/matrix_reads.hpp>
#include <tegula/block/matrix_stream.hpp>
#include <tegula/block/operand_ring.hpp>
#include <tegula/block/operand_stream.hpp>
#include <tegula/kernel/gemm/block_scaled.hpp>
#include <tegula/kernel/gemm/choose_sharing.hpp>
#include <tegula/kernel/gemm/choose_tile.hpp>
#include <tegula/kernel/gemm/grouped.hpp>
#include <tegula/kernel/gemm/mixed.hpp>
#include <tegula/kernel/gemm/parts.hpp>
#include <tegula/kernel/gemm/read_anew.hpp>
#include <tegula/kernel/gemm/split_k.hpp>
#include <tegula/kernel/gemm/stream_k.hpp>
#include <tegula/kernel/gemm/sum_parts.hpp>
#include <tegula/kernel/gemm/tile_description.hpp>
#include <tegula/kernel/gemm/warp_specialized/shared_k.hpp>
#include <tegula/layout/adaptor.hpp>
#include <tegula/layout/analysis.hpp>
#include <tegula/layout/conversion_digits.hpp>
#include <tegula/layout/conversion_plan.hpp>
#include <tegula/layout/coordinate.hpp>
#include <tegula/layout/descriptor.hpp>
#include <tegula/layout/distribution_adaptor.hpp>
#include <tegula/layout/draw.hpp>
#include <tegula/layout/draw_ascii.hpp>
#include <tegula/layout/draw_html.hpp>
#include <tegula/layout/draw_palette.hpp>
#include <tegula/layout/draw_svg.hpp>
#include <tegula/layout/draw_svg_panel.hpp>
#include <tegula/layout/explain.hpp>
#include <tegula/layout/f2.hpp>
#include <tegula/layout/lane_exchange.hpp>
#include <tegula/layout/lane_gather.hpp>
#include <tegula/layout/linear_algebra.hpp>
#include <tegula/layout/linear_encoding.hpp>
#include <tegula/layout/linear_layout.hpp>
#include <tegula/layout/linear_text.hpp>
#include <tegula/layout/magic_division.hpp>
#include <tegula/layout/matrix_passage.hpp>
#include <tegula/layout/nested.hpp>
#include <tegula/layout/nested_from_encoding.hpp>
#include <tegula/layout/nested_layout.hpp>
#include <tegula/layout/nested_operations.hpp>
#include <tegula/layout/panel_layout.hpp>
#include <tegula/layout/shared_layout.hpp>
#include <tegula/layout/shared_passage.hpp>
#include <tegula/layout/shared_passage_padded.hpp>
#include <tegula/layout/shared_passage_xor.hpp>
#include <tegula/layout/strided_algebra.hpp>
#include <tegula/layout/strided_encoding.hpp>
#include <tegula/layout/strided_layout.hpp>
#include <tegula/layout/strided_linear.hpp>
#include <tegula/layout/strided_text.hpp>
#include <tegula/layout/text.hpp>
#include <tegula/layout/text_reader.hpp>
#include <tegula/layout/transforms.hpp>
#include <tegula/layout/xor_swizzle.hpp>
#include <tegula/mma/device_amd.hpp>
#include <tegula/mma/device_nvidia.hpp>
#include <tegula/mma/device_wgmma.hpp>
#include <tegula/mma/element_kind.hpp>
#include <tegula/mma/emulate.hpp>
#include <tegula/mma/emulate_instruction.hpp>
#include <tegula/mma/emulate_wgmma.hpp>
#include <tegula/mma/instruction.hpp>
#include <tegula/mma/instruction_table.hpp>
#include <tegula/mma/issue.hpp>
#include <tegula/mma/operand_encoding.hpp>
#include <tegula/mma/operand_layout.hpp>
#include <tegula/mma/provenance.hpp>
#include <tegula/mma/slot_value.hpp>
#include <tegula/mma/table_amd.hpp>
#include <tegula/mma/table_nvidia.hpp>
#include <tegula/tensor/conversion_passage.hpp>

#include <tegula/tegula.hpp>

#if __has_include(<boost/context/fiber.hpp>)
#include <tegula/host/deprecated.hpp>
#include <tegula/host/epilogue_memory.hpp>
#include <tegula/host/gpu_forms.hpp>
#include <tegula/host/gpu_warp_specialized.hpp>
#endif

using namespace tegula;

namespace {

using encoding = coalesced<arch::sm_80, half, 16, 16, 1>;
using tile = distributed_tensor<half, encoding>;
static_assert(std::is_same_v<decltype(convert<arch::sm_80>(tile{}, to<encoding>)), tile>);
static_assert(std::is_same_v<decltype(convert<arch::sm_80>(tile{}, to<encoding>, nullptr)), tile>);
static_assert(std::is_same_v<decltype(convert<arch::sm_80>(tile{}, through_shared<encoding>, nullptr)), tile>);
static_assert(std::is_same_v<shared_passage, shared_staging> && std::is_same_v<passage_side, staging_side>);
static_assert(panel_layout_value{8, 64, 16}.panels() == 1);

/// The order of arguments that serial regions had.
[[maybe_unused]] void former_regions(const tile& a)
{
    using target = arch::sm_80;
    constexpr auto copy = [](const auto& from, const auto& to) { to.set_at(from.at(0), 0); };
    constexpr auto same = [](const auto& operations, const auto& x) {
        return operations.elementwise([](half e) { return e; }, x);
    };
    static_assert(std::is_same_v<decltype(on_lane0<target>(nullptr, out<half, encoding>(), copy, in(a))), tile>);
    static_assert(std::is_same_v<decltype(serially<target>(nullptr, out<half, encoding>(), same, in(a))), tile>);
    static_assert(std::is_same_v<decltype(distributed<target>(nullptr, same, a)), tile>);
}

using block_tile = gemm_tiles<arch::sm_80, half>::flat;
constexpr auto k_first = operand_order::k_contiguous;
using ring = operand_ring<block_tile, k_first, k_first>;
[[maybe_unused]] void step(ring& r, ring::fragments& f)
{
    r.fetch(0, 0);
    r.fetch_whole(0);
    r.publish(0, 0);
    r.publish_whole(0);
    r.publish_held(0, r.hold());
    r.arrive<0>();
    ring::settle(f);
    long_index_t origin = 0;
    arch::sm_80::forget_origin(origin);
    arch::gfx942::forget_origin(origin);
    arch::gfx942::forget_load(nullptr);
}
using old_loader = operand_stream<arch::sm_80, half, 32, 32, 4, k_first, block_tile::mma::a_distribution>;
using old_matrices = matrix_stream<arch::sm_80, half, 32, 32, 4, k_first, block_tile::mma::a_distribution, 16>;
using old_best = best_operand_stream<arch::sm_80, half, 32, 32, 4, k_first, block_tile::mma::a_distribution, 16>;
using form = quantized<std::int8_t, 0>;
using old_weights = dequantizing_stream<arch::sm_80, half, form, 128, 32, 4, k_first, block_tile::mma::b_distribution>;

using kernels = gemm_kernels<block_tile, float, epilogue::none>;
static_assert(std::is_same_v<mixed_tile<block_tile, form>, quantized_weights_tile<block_tile, form>>);
static_assert(std::is_same_v<mixed_gemm<block_tile, form, k_first, k_first, float, epilogue::none, true>,
                             mixed_kernels<block_tile, form, float, epilogue::none>::aligned<k_first, k_first>>);
using parts = gemm_parts<kernels::element_wise>;
using sum = sum_parts<split_k_gemm<kernels::element_wise>>;
static_assert(!k_sharing{}.shares());
[[maybe_unused]] status check(const kernels::arguments& args,
                              const mixed_gemm_arguments<half, form, float, epilogue::none>& weights)
{
    const auto nothing = [](auto) { return status(); };
    static_cast<void>(kernels::dispatch(args, true, nothing));
    static_cast<void>(mixed_kernels<block_tile, form, float, epilogue::none>::dispatch(weights, true, nothing));
    return check_gemm(args);
}

using warp_tile = warp_specialized_tiles<arch::sm_90a, half>::pair_square;
using warp_kernel =
    warp_specialized_gemm<warp_tile, operand_major::k, operand_major::mn, float, epilogue::none, output_store::direct>;
using shared_kernel = decltype(with_sharing<work_sharing::split_k>(warp_kernel{}));
static_assert(std::is_same_v<shared_k_sum<shared_kernel>, split_k_reduction<shared_kernel>>);
#if __has_include(<boost/context/fiber.hpp>)
[[maybe_unused]] auto emulate(const split_k_gemm<kernels::element_wise>::arguments& args)
{
    return emulate_shared_k(split_k_gemm<kernels::element_wise>{}, args);
}
#endif
// Names of tiles.
using tiles = gemm_tiles<arch::gfx942, half>;
static_assert(std::is_same_v<tiles::huge, tiles::t256x256> && std::is_same_v<tiles::wide, tiles::t256x128>);
static_assert(std::is_same_v<gemm_tiles<arch::sm_80, half>::wide, gemm_tiles<arch::sm_80, half>::t128x256>);
static_assert(std::is_same_v<tiles::large, tiles::t128x128> && std::is_same_v<tiles::medium, tiles::t64x64>);
using scaled_tiles = block_scaled_tiles<arch::sm_90a, float8_e4m3>;
static_assert(std::is_same_v<scaled_tiles::large, scaled_tiles::t128x64>);
using warp_tiles = warp_specialized_tiles<arch::sm_90a, half>;
static_assert(std::is_same_v<warp_tiles::pair_wide, warp_tiles::ws128x256_2x1>);
static_assert(std::is_same_v<warp_tiles::rows_16, warp_tiles::ws16x128>);

[[maybe_unused]] long_index_t workspace(const shared_kernel::product_type& p)
{
    return shared_k_workspace_bytes<shared_kernel>(p, 132);
}

} // namespace
