// Operands that a warpgroup makes in shared memory for wgmma: quantised weights, rows by index, pixels under filters; and
// products of experts.
//
// full targets: sm_90a
// expect sm_90a: /griddepcontrol\.wait/ == 1
// expect sm_90a [weights]: registers <= 168, /fence\.proxy\.async/ >= 1, sass/^UTMALDG\.3D/ >= 1, sass/^HGMMA/ >= 4
// expect sm_90a [one_consumer]: /fence\.proxy\.async/ >= 1, sass/^UTMALDG\.3D/ >= 1, sass/^HGMMA/ >= 4
// Experts: the first product has two weights, 128 columns of each; both find the expert of a tile by a loop.
// The second product of experts makes nothing: tensor copies load its A, too.
// expect sm_90a [first_of]: /fence\.proxy\.async/ >= 1
// expect sm_90a [experts]: registers <= 168, sass/^UTMALDG\.3D/ >= 2, sass/^HGMMA\.64x256x16/ == 4
// expect sm_90a [back]: registers <= 168, /fence\.proxy\.async/ >= 1, sass/^UTMALDG\.3D/ >= 1, sass/^HGMMA/ >= 4, sass/^UTMASTG/ >= 1
// expect sm_90a [convolved]: registers <= 168, /fence\.proxy\.async/ >= 1, sass/^UTMALDG\.3D/ >= 1, sass/^HGMMA\.64x256x16/ == 4, sass/^UTMASTG/ >= 1
// expect sm_90a [gathered]: registers <= 168, /fence\.proxy\.async/ >= 1, sass/^UTMALDG\.3D/ >= 1, sass/^HGMMA\.64x256x16/ == 4
// The warpgroup that makes an operand bounds products with weights of 4 bits: it converts them.
// expect sm_90a [quantizedIa]: sass_issue_percent <= 48, sass_shared_percent <= 112
// expect sm_90a [7weightsI]: sass_issue_percent <= 118, sass_shared_percent <= 125
// expect sm_90a [one_consumer]: sass_issue_percent <= 910, sass_shared_percent <= 475
// expect sm_90a [gathered]: sass_issue_percent <= 37, sass_shared_percent <= 100
// expect sm_90a [convolved]: sass_issue_percent <= 40, sass_shared_percent <= 100
// expect sm_90a [second_of]: sass_issue_percent <= 16, sass_shared_percent <= 100
// expect sm_90a [first_of]: sass_issue_percent <= 38, sass_shared_percent <= 100
// expect sm_90a [back]: sass_issue_percent <= 47, sass_shared_percent <= 112

#include "test/device/keep.hpp"

#include <tegula/kernel/convolution/persistent.hpp>
#include <tegula/kernel/gemm/warp_specialized/made_dispatch.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>
#include <tegula/kernel/moe/layer.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;
constexpr operand_order k = operand_order::k_contiguous, along_rows = operand_order::row_contiguous;
using tiles = warp_specialized_tiles<target, bfloat16>;

TEGULA_KEEP(weights)
TEGULA_KEEP(one_consumer)
TEGULA_KEEP(gathered)
TEGULA_KEEP(convolved)
TEGULA_KEEP(back)
TEGULA_KEEP(first_of_experts)
TEGULA_KEEP(second_of_experts)

template <class Tile, class Form, bool Whole>
using weights_kernel =
    persistent_quantized_kernels<Tile, Form, bfloat16, epilogue::chain<epilogue::scale_columns<>>>::template kernel<
        Whole, k, output_store::tensor_copies>;

void keep_all(const void** kept)
{
    using int8 = weights_kernel<tiles::ws256x128, quantized<std::int8_t>, true>;
    using int4 = weights_kernel<tiles::ws128x128, quantized<int4x2, 64>, true>;
    using few = weights_kernel<tiles::ws16x128, quantized<int4x2, 64>, true>;
    using rows = persistent_prologue_kernels<tiles::ws128x256, gathered_rows<bfloat16>, strided_rows<bfloat16>,
                                             bfloat16, epilogue::none,
                                             c_rows_order::by_index>::template kernel<true, k, output_store::direct>;
    *kept++ = reinterpret_cast<const void*>(weights<int8>);
    *kept++ = reinterpret_cast<const void*>(weights<int4>);
    *kept++ = reinterpret_cast<const void*>(one_consumer<few>);
    *kept++ = reinterpret_cast<const void*>(gathered<rows>);
    using convolutions =
        convolution_kernels<convolution_direction::forward, 2, tiles::ws128x256, bfloat16, epilogue::none>;
    using pixels = convolutions::products::template kernel<true, k, output_store::tensor_copies>;
    *kept++ = reinterpret_cast<const void*>(convolved<pixels>);
    using layer = moe_kernels<tiles::ws128x256, true, moe_arguments<bfloat16, bfloat16>>;
    *kept++ =
        reinterpret_cast<const void*>(first_of_experts<layer::first::kernel<true, along_rows, output_store::direct>>);
    *kept++ =
        reinterpret_cast<const void*>(second_of_experts<layer::second::kernel<true, along_rows, output_store::direct>>);
    using inputs =
        convolution_kernels<convolution_direction::backward_data, 2, tiles::ws128x256, bfloat16, epilogue::none>;
    using filters =
        convolution_kernels<convolution_direction::backward_weight, 2, tiles::ws256x128, bfloat16, epilogue::none>;
    *kept++ = reinterpret_cast<const void*>(
        back<filters::products::template kernel<true, along_rows, output_store::tensor_copies>>);
    *kept++ = reinterpret_cast<const void*>(
        back<inputs::products::template kernel<true, along_rows, output_store::tensor_copies>>);
    *kept++ = reinterpret_cast<const void*>(
        back<filters::form<work_partition::split_k>::template kernel<true, along_rows, output_store::tensor_copies>>);
}

} // namespace tegula
