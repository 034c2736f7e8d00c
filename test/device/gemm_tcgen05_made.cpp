// Operands on sm_100a that a warpgroup makes in shared memory: quantised weights, rows by index.
//
// targets: sm_100a
// full targets: sm_103a
// expect sm_100a sm_103a [weights]: registers <= 168
// expect sm_100a sm_103a [weights]: /fence\.proxy\.async/ >= 1, /griddepcontrol\.wait/ == 1
// The weights of 8 bits take a pair. What lanes of its other block stored is released to the leader, which acquires it.
// expect sm_100a sm_103a [quantizedIa]: /fence\.release\.sync_restrict::shared::cta\.cluster/ >= 1
// expect sm_100a sm_103a [quantizedIa]: /mbarrier\.arrive\.relaxed\.cluster\.shared::cluster/ >= 1
// expect sm_100a sm_103a [quantizedIa]: /try_wait\.parity\.relaxed\.cluster/ >= 1, /fence\.acquire\.sync_restrict::shared::cluster\.cluster/ >= 1
// expect sm_100a sm_103a [gathered]: /sync_restrict/ == 0
// expect sm_100a sm_103a [gathered]: registers <= 168
// expect sm_100a sm_103a [gathered]: /fence\.proxy\.async/ >= 1, /griddepcontrol\.wait/ == 1
// The warpgroup that makes an operand bounds products with weights of 4 bits: it converts them.
// expect sm_100a sm_103a [quantizedIa]: sass_issue_percent <= 103, sass_shared_percent <= 100
// expect sm_100a sm_103a [packed_int4]: sass_issue_percent <= 304, sass_shared_percent <= 200
// expect sm_100a sm_103a [gathered]: sass_issue_percent <= 82, sass_shared_percent <= 200

#include "test/device/keep.hpp"

#include <tegula/kernel/gemm/tcgen05/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/made_dispatch.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;
constexpr operand_order k = operand_order::k_contiguous;
using tiles = tcgen05_tiles<target, bfloat16>;

TEGULA_KEEP(weights)
TEGULA_KEEP(gathered)

template <class Tile, class Form, bool Whole>
using weights_kernel =
    persistent_quantized_kernels<Tile, Form, bfloat16, epilogue::chain<epilogue::scale_columns<>>>::template kernel<
        Whole, k, output_store::tensor_copies>;

void keep_all(const void** kept)
{
    using int8 = weights_kernel<tiles::tc256x256_2x1, quantized<std::int8_t>, true>;
    using int4 = weights_kernel<tiles::tc128x128, quantized<int4x2, 64>, false>;
    using rows = persistent_prologue_kernels<tiles::tc128x128, gathered_rows<bfloat16>, strided_rows<bfloat16>,
                                             bfloat16, epilogue::none,
                                             c_rows_order::by_index>::template kernel<true, k, output_store::direct>;
    *kept++ = reinterpret_cast<const void*>(weights<int8>);
    *kept++ = reinterpret_cast<const void*>(weights<int4>);
    *kept++ = reinterpret_cast<const void*>(gathered<rows>);
}

} // namespace tegula
