// GEMM on NVIDIA where there is no wgmma: cp.async fills the stages and ldmatrix reads the fragments of every type. In
// the main loop ldmatrix is the only way from shared memory, and what else it executes is a few address steps. Where
// rows are contiguous, ldmatrix transposes 16-bit elements; others are transposed in registers on the way to the
// stages, where ldmatrix reads them, too.
//
// full targets: sm_80 sm_89
// expect *: matrix >= 32, /ldmatrix\.sync\.aligned\.m8n8\.x4/ >= 12, registers <= 255
// expect * [along_k]: /cp\.async\.cg\.shared\.global[^;]*\], 16\b/ >= 8, sass/^LDGSTS\.E\.BYPASS(\.LTC128B)?\.128/ >= 8
// expect * [along_k]: /cp\.async\.wait_group/ >= 1, sass_loop_per_hundred <= 380
// expect * [along_k]: /ld\.shared\.(u8|u16|u32|b8|b16|b32|v2)/ == 0
// expect * [mixed]: /ldmatrix\.sync\.aligned\.m8n8\.x4\.trans/ >= 8, sass_loop_per_hundred <= 230
// expect * [along_rows]: sass_loop_per_hundred <= 620

#include "test/device/gemm_words.hpp"

namespace tegula {

template <class T>
using tiles = gemm_tiles<target, T>;

// A template, so that a target without fp8 names no tile of it.
template <class Target>
void keep_fp8(const void** kept)
{
    if constexpr (has_matrix_instruction<Target, float8_e4m3>) {
        *kept++ = keep_along_k<typename gemm_tiles<Target, float8_e4m3>::t128x256, float>();
        *kept++ = keep_along_k<typename gemm_tiles<Target, float8_e5m2>::t128x128, bfloat16>();
    }
}

void keep_all(const void** kept)
{
    *kept++ = keep_along_k<tiles<std::int8_t>::t128x256, std::int32_t>();
    *kept++ = keep_along_rows<tiles<std::int8_t>::t128x256, std::int32_t>();
    *kept++ = keep_along_k<tiles<tfloat32>::t128x128, float>();
    *kept++ = keep_mixed_orders<tiles<half>::t128x256, float>();
    keep_fp8<target>(kept);
}

} // namespace tegula
