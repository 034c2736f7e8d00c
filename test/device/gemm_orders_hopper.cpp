// Every shipped order of every warp-specialised tile: nothing spills, and no wgmma is serialised.
//
// full targets: sm_90a

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;
using enum operand_order;

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)
    whole(const __grid_constant__ typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

template <class Tile, operand_order A, operand_order B>
const void* keep()
{
    using c = std::conditional_t<sizeof(typename Tile::a_type) == 1 && !std::is_integral_v<typename Tile::a_type>,
                                 bfloat16, typename Tile::accumulator_type>;
    using epilogue_type = std::conditional_t<std::is_integral_v<c>, epilogue::none, epilogue::linear<c>>;
    return reinterpret_cast<const void*>(
        whole<warp_specialized_gemm<Tile, A, B, c, epilogue_type, output_store::tensor_copies>>);
}
template <class Tile>
void keep_orders(const void**& kept)
{
    *kept++ = keep<Tile, k_contiguous, k_contiguous>();
    if constexpr (sizeof(typename Tile::a_type) == 2) {
        *kept++ = keep<Tile, k_contiguous, row_contiguous>();
        *kept++ = keep<Tile, row_contiguous, k_contiguous>();
        *kept++ = keep<Tile, row_contiguous, row_contiguous>();
    }
}
template <class Tiles>
void keep_tiles(const void**& kept)
{
    keep_orders<typename Tiles::ws128x256_2x1>(kept);
    keep_orders<typename Tiles::ws256x128_1x2>(kept);
    keep_orders<typename Tiles::ws256x128_2x1>(kept);
    keep_orders<typename Tiles::ws128x128_2x1>(kept);
    keep_orders<typename Tiles::ws64x256_2x1>(kept);
    keep_orders<typename Tiles::ws128x128>(kept);
    keep_orders<typename Tiles::ws16x128>(kept);
    keep_orders<typename Tiles::ws32x128>(kept);
    keep_orders<typename Tiles::ws64x128>(kept);
    keep_orders<typename Tiles::ws128x128_transposed>(kept);
    keep_orders<typename Tiles::ws16x64>(kept);
    keep_orders<typename Tiles::ws32x64>(kept);
    keep_orders<typename Tiles::ws64x64>(kept);
    if constexpr (Tiles::has_promoted) {
        keep_orders<typename Tiles::ws128x128_2x1_promoted>(kept);
        keep_orders<typename Tiles::ws128x128_promoted>(kept);
    }
}

void keep_all(const void** kept)
{
    keep_tiles<warp_specialized_tiles<target, bfloat16>>(kept);
    keep_tiles<warp_specialized_tiles<target, float8_e4m3>>(kept);
    keep_tiles<warp_specialized_tiles<target, std::int8_t>>(kept);
    keep_tiles<warp_specialized_tiles<target, tfloat32>>(kept);
}

} // namespace tegula
