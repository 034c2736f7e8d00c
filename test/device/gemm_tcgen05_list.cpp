// Lists of products on sm_100a and sm_103a in one launch: the maps of each product lie in memory.
//
// full targets: sm_100a sm_103a
// expect sm_100a sm_103a [listed]: registers <= 168, /tcgen05\.mma\.cta_group::2\.kind::f16/ == 4
// expect sm_100a sm_103a [listed]: sass/^UTCHMMA\.2CTA/ == 4, sass/^UTMALDG\.3D\.2CTA/ == 2, sass/^UTMASTG\.3D/ == 1
// expect sm_100a sm_103a [listed]: /tcgen05\.ld\.sync\.aligned\.32x32b\.x64/ == 1, /tcgen05\.wait::ld/ == 1
// expect sm_100a sm_103a [listed]: /griddepcontrol\.wait/ == 1, /griddepcontrol\.launch_dependents/ == 1
// expect sm_100a sm_103a [listed]: /tcgen05\.alloc/ == 1, /tcgen05\.dealloc/ == 1
// expect sm_100a sm_103a [listed]: sass_issue_percent <= 22, sass_shared_percent <= 100

#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;
constexpr operand_order k = operand_order::k_contiguous;

template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)
    listed(const __grid_constant__ typename Kernel::arguments args)
{
    run_kernel<target>(Kernel{}, args);
}

void keep_all(const void** kept)
{
    using kernel = tcgen05_gemm<tcgen05_tiles<target, bfloat16>::tc256x256_2x1, k, k, bfloat16,
                                epilogue::linear<bfloat16>, output_store::tensor_copies, work_partition::list>;
    *kept++ = reinterpret_cast<const void*>(listed<kernel>);
}

} // namespace tegula
