// GEMM on sm_100a and sm_103a: tensor copies in and out, one lane that issues tcgen05.mma, an epilogue out of tensor
// memory.
//
// targets: sm_100a
// full targets: sm_103a
// expect sm_100a sm_103a [pair]: registers <= 168, /tcgen05\.mma\.cta_group::2\.kind::f16/ == 4
// expect sm_100a sm_103a [single]: registers <= 168, /tcgen05\.mma\.cta_group::1\.kind::f8f6f4/ == 4
// expect sm_100a sm_103a [direct]: registers <= 168, /tcgen05\.mma\.cta_group::1\.kind::tf32/ == 4
// Conversions of 8 bits are long: the epilogue is no function of its own.
// expect sm_100a sm_103a [bytes]: registers <= 168, sass/^UTCQMMA/ == 4
// A row of 16 bits that its thread stores: no local memory.
// expect sm_100a sm_103a [narrow]: registers <= 168, sass/^UTMASTG/ == 0
// expect sm_100a sm_103a [scaled]: /tcgen05\.mma\.cta_group::2\.kind::mxf4nvf4\.block_scale\.block16/ == 4
// expect sm_100a sm_103a [scaled]: /tcgen05\.cp\.cta_group::2\.32x128b\.warpx4/ == 12, registers <= 168
// Two sets of accumulators of 192 columns: stages take turns in two places for their scales.
// expect sm_100a sm_103a [two_sets]: /tcgen05\.mma\.cta_group::2\.kind::mxf4nvf4\.block_scale\.block16/ == 4
// expect sm_100a sm_103a [two_sets]: /tcgen05\.cp\.cta_group::2\.32x128b\.warpx4/ == 12, registers <= 168
// expect sm_100a sm_103a [two_sets]: sass_issue_percent <= 47, sass_shared_percent <= 142
// nvdisasm names the scales of 16 elements in two ways.
// expect sm_100a [scaled]: sass/^UTCOMMA\.2CTA\.4X/ == 4
// expect sm_103a [scaled]: sass/^UTCOMMA\.2CTA\.BLOCK16/ == 4
// expect sm_100a sm_103a [scaled]: sass/^UTCCP\.T\.S\.2CTA\.4/ == 12
// expect sm_100a sm_103a [pair]: sass/^UTCHMMA\.2CTA/ == 4, sass/^UTMALDG\.3D\.2CTA/ == 2, sass/^UTMASTG\.3D/ == 1
// A chunk of the results is multiplied by alpha if that is not 1. C0 and the bias come from shared memory.
// expect sm_100a [pair]: sass_chunk_plain >= 1, sass_chunk_plain <= 104, sass_chunk_source >= 1, sass_chunk_source <= 210
// expect sm_100a [single]: sass_chunk_plain >= 1, sass_chunk_plain <= 104, sass_chunk_source >= 1, sass_chunk_source <= 210
// expect sm_100a [pair]: sass_chunk_bias >= 1
// expect sm_100a sm_103a [pair]: sass/^UTMALDG\.3D \[/ == 1
// expect sm_100a sm_103a [single]: sass/^UTCQMMA/ == 4, sass/^UTMALDG\.3D/ >= 2
// expect sm_100a sm_103a [direct]: sass/^UTCHMMA/ == 4, sass/^UTMASTG/ == 0
// expect sm_100a sm_103a [pair]: /tcgen05\.ld\.sync\.aligned\.32x32b\.x64/ == 1, /tcgen05\.wait::ld/ == 1
// expect sm_100a sm_103a [launches]: /clusterlaunchcontrol\.try_cancel\S*\.multicast::cluster::all/ == 1
// expect sm_100a sm_103a [launches]: /query_cancel\.is_canceled/ == 5, /tcgen05\.mma\.cta_group::2/ == 4
// expect sm_100a sm_103a [launches]: sass/^UGETNEXTWORKID\.BROADCAST/ == 1, registers <= 168
// expect sm_100a sm_103a [shared]: registers <= 168, sass/^UTCHMMA/ == 4, sass/^UTMASTG\.3D/ >= 2
// expect sm_100a sm_103a [summing]: registers <= 64, /griddepcontrol\.wait/ == 1
// expect sm_100a sm_103a [pair]: /griddepcontrol\.wait/ == 1, /griddepcontrol\.launch_dependents/ == 1
// expect sm_100a sm_103a [launches]: /griddepcontrol\.wait/ == 1, /griddepcontrol\.launch_dependents/ == 1
// expect sm_100a sm_103a [shared]: /griddepcontrol\.wait/ == 1, /griddepcontrol\.launch_dependents/ == 1
// expect sm_100a sm_103a [pair]: sass/^ACQBULK/ == 1, sass/^PREEXIT/ == 1
// expect sm_100a sm_103a [launches]: sass/^ACQBULK/ == 1, sass/^PREEXIT/ == 1
// expect sm_100a sm_103a [shared]: sass/^ACQBULK/ == 1, sass/^PREEXIT/ == 1
// Slots of the lanes that multiply and copy, beside products of 128 or of 256 columns.
// expect sm_100a sm_103a [4pairI]: sass_issue_percent <= 20, sass_shared_percent <= 100
// expect sm_100a sm_103a [launches]: sass_issue_percent <= 20, sass_shared_percent <= 100
// expect sm_100a sm_103a [single]: sass_issue_percent <= 20, sass_shared_percent <= 150
// expect sm_100a sm_103a [bytes]: sass_issue_percent <= 20, sass_shared_percent <= 150
// expect sm_100a sm_103a [direct]: sass_issue_percent <= 38, sass_shared_percent <= 200
// expect sm_100a sm_103a [narrow]: sass_issue_percent <= 38, sass_shared_percent <= 200
// expect sm_100a sm_103a [6sharedI]: sass_issue_percent <= 38, sass_shared_percent <= 200
// expect sm_100a sm_103a [6scaledI]: sass_issue_percent <= 34, sass_shared_percent <= 119
// expect sm_100a sm_103a [pair]: /tcgen05\.alloc/ == 1, /tcgen05\.dealloc/ == 1, /tcgen05\.relinquish/ == 1
// expect sm_100a sm_103a [single]: /tcgen05\.alloc/ == 1, /tcgen05\.dealloc/ == 1, /tcgen05\.relinquish/ == 1
// expect sm_100a sm_103a [direct]: /tcgen05\.alloc/ == 1, /tcgen05\.dealloc/ == 1, /tcgen05\.relinquish/ == 1
// expect sm_100a sm_103a [scaled]: /tcgen05\.alloc/ == 1, /tcgen05\.dealloc/ == 1, /tcgen05\.relinquish/ == 1
// expect sm_100a sm_103a [quantize]: /shfl\.sync/ == 1, /st\.global/ == 2, registers <= 64

#include "test/device/keep.hpp"

#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_tile.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/split_k_reduction.hpp>
#include <tegula/kernel/quantization/mx_quantize.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;

template <class Tile, operand_order B, class C, output_store Store = output_store::tensor_copies,
          work_partition Sharing = work_partition::tiles>
using kernel = tcgen05_gemm<Tile, k, B, C, epilogue::linear<C>, Store, Sharing>;

TEGULA_KEEP(pair)
TEGULA_KEEP(single)
TEGULA_KEEP(bytes)
TEGULA_KEEP(direct)
TEGULA_KEEP(narrow)
TEGULA_KEEP(scaled)
TEGULA_KEEP(two_sets)
TEGULA_KEEP(launches)
TEGULA_KEEP(shared)
TEGULA_KEEP(quantize)

template <class Kernel>
__global__ void summing(const __grid_constant__ typename Kernel::arguments args)
{
    run_kernel<target>(reduce_partials<split_k_reduction<Kernel>>{}, args);
}

template <class T>
using tiles = tcgen05_tiles<target, T>;

void keep_all(const void** kept)
{
    *kept++ = reinterpret_cast<const void*>(pair<kernel<tiles<bfloat16>::tc256x256_2x1, k, bfloat16>>);
    *kept++ = reinterpret_cast<const void*>(single<kernel<tiles<float8_e4m3>::tc128x256, mn, bfloat16>>);
    *kept++ = reinterpret_cast<const void*>(bytes<kernel<tiles<float8_e4m3>::tc128x256, k, float8_e4m3>>);
    *kept++ = reinterpret_cast<const void*>(direct<kernel<tiles<tfloat32>::tc128x128, k, float, output_store::direct>>);
    *kept++ = reinterpret_cast<const void*>(narrow<kernel<tiles<half>::tc128x128, k, half, output_store::direct>>);
    using taking_over = kernel<tiles<bfloat16>::tc256x256_2x1, k, bfloat16, output_store::tensor_copies,
                               work_partition::launch_control>;
    *kept++ = reinterpret_cast<const void*>(launches<taking_over>);
    using sharing = kernel<tiles<bfloat16>::tc128x128, k, float, output_store::tensor_copies, work_partition::stream>;
    *kept++ = reinterpret_cast<const void*>(shared<sharing>);
    *kept++ = reinterpret_cast<const void*>(summing<sharing>);
    using nvfp4 = tcgen05_scaled_tiles<target, nvfp4_format>;
    *kept++ = reinterpret_cast<const void*>(quantize<nvfp4_quantize<target, bfloat16>>);
    *kept++ = reinterpret_cast<const void*>(scaled<kernel<nvfp4::tc256x256_2x1, k, bfloat16>>);
    *kept++ = reinterpret_cast<const void*>(two_sets<kernel<nvfp4::tc256x192_2x1, k, bfloat16>>);
}

} // namespace tegula
