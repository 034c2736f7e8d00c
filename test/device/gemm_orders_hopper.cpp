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

/// C of the accumulators' type with alpha, beta and a bias, and C of 16 bits as it is: ptxas serialises by what comes behind the
/// loop, too.
template <class Tile, operand_order A, operand_order B>
void keep(const void**& kept)
{
    using input = typename Tile::a_type;
    using accumulator = typename Tile::accumulator_type;
    constexpr auto store = output_store::tensor_copies;
    if constexpr (std::is_integral_v<input>) {
        *kept++ =
            reinterpret_cast<const void*>(whole<warp_specialized_gemm<Tile, A, B, accumulator, epilogue::none, store>>);
    } else {
        using narrow = std::conditional_t<sizeof(input) == 2, input, bfloat16>;
        using wide = std::conditional_t<sizeof(input) == 1, bfloat16, accumulator>;
        *kept++ = reinterpret_cast<const void*>(
            whole<warp_specialized_gemm<Tile, A, B, wide, epilogue::linear<wide>, store>>);
        *kept++ =
            reinterpret_cast<const void*>(whole<warp_specialized_gemm<Tile, A, B, narrow, epilogue::none, store>>);
    }
}
template <class Tile>
void keep_orders(const void**& kept)
{
    keep<Tile, k_contiguous, k_contiguous>(kept);
    if constexpr (sizeof(typename Tile::a_type) == 2) {
        keep<Tile, k_contiguous, row_contiguous>(kept);
        keep<Tile, row_contiguous, k_contiguous>(kept);
        keep<Tile, row_contiguous, row_contiguous>(kept);
    }
}
template <class Tiles>
void keep_tiles(const void**& kept)
{
    keep_orders<typename Tiles::ws128x256_2x1>(kept);
    keep_orders<typename Tiles::ws256x128_1x2>(kept);
    keep_orders<typename Tiles::ws256x128_2x1>(kept);
    keep_orders<typename Tiles::ws128x192_2x1>(kept);
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
