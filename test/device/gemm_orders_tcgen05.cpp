// Every shipped order of every tile of tensor memory: nothing spills.
//
// full targets: sm_100a sm_103a

#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>

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
    using c = typename Tile::accumulator_type;
    using epilogue_type = std::conditional_t<std::is_integral_v<c>, epilogue::none, epilogue::linear<c>>;
    return reinterpret_cast<const void*>(
        whole<tcgen05_gemm<Tile, A, B, c, epilogue_type, output_store::tensor_copies>>);
}
template <class Tile>
void keep_orders(const void**& kept)
{
    *kept++ = keep<Tile, k_contiguous, k_contiguous>();
    if constexpr (sizeof(typename Tile::a_type) <= 2) {
        *kept++ = keep<Tile, k_contiguous, row_contiguous>();
        *kept++ = keep<Tile, row_contiguous, k_contiguous>();
        *kept++ = keep<Tile, row_contiguous, row_contiguous>();
    }
}
template <class Tiles>
void keep_tiles(const void**& kept)
{
    keep_orders<typename Tiles::tc256x256_2x1>(kept);
    keep_orders<typename Tiles::tc128x256>(kept);
    keep_orders<typename Tiles::tc128x128>(kept);
    keep_orders<typename Tiles::tc128x64>(kept);
}

void keep_all(const void** kept)
{
    keep_tiles<tcgen05_tiles<target, bfloat16>>(kept);
    keep_tiles<tcgen05_tiles<target, float8_e4m3>>(kept);
    if constexpr (target::chip().has_tcgen05_integers)
        keep_tiles<tcgen05_tiles<target, std::int8_t>>(kept);
    keep_tiles<tcgen05_tiles<target, tfloat32>>(kept);
}

} // namespace tegula
