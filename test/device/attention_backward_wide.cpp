// Attention backward of 129 to 256 columns of Q and K and 128 of V, as 192 and 128 are; 256 of both are in
// attention_backward.cpp. And on NVIDIA with dropout, for which warps share the columns of a gradient there.
//
// full targets: gfx90a gfx950 gfx1100 gfx1201 gfx1250 sm_80 sm_89 sm_90a
// expect * [keys]: wide_global_load >= 2, wide_shared_load >= 4
// expect * [queries]: wide_global_load >= 2, wide_shared_load >= 4
// expect sm_80 sm_89 sm_90a [keys]: /mma\.sync\.aligned\.m16n8k16/ >= 8, /ldmatrix\.sync\.aligned\.m8n8\.x4\.trans/ >= 4
// expect gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250 [keys]: loop_divisions == 0
// expect gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250 [queries]: loop_divisions == 0
// expect sm_80 sm_89 sm_90a: sass_loop_divisions == 0
// expect gfx90a clang22 [keys partE1]: loop_matrix_percent >= 66
// expect gfx90a clang22 [keys partE2]: loop_matrix_percent >= 55
// expect gfx90a clang22 [queries]: loop_matrix_percent >= 66
// expect gfx950 [keys partE1]: loop_matrix_percent >= 57
// expect gfx950 [keys partE2]: loop_matrix_percent >= 47
// expect gfx950 [queries]: loop_matrix_percent >= 59
// expect sm_90a [keys half weightsE0]: sass_issue_percent <= 104, sass_shared_percent <= 320
// expect sm_90a [keys bfloat16 weightsE0]: sass_issue_percent <= 115, sass_shared_percent <= 320
// expect sm_90a [keys half weightsE1]: sass_issue_percent <= 527, sass_shared_percent <= 314
// expect sm_90a [keys bfloat16 weightsE1]: sass_issue_percent <= 336, sass_shared_percent <= 330
// expect sm_90a [queries half weightsE0]: sass_issue_percent <= 83, sass_shared_percent <= 300
// expect sm_90a [queries bfloat16 weightsE0]: sass_issue_percent <= 84, sass_shared_percent <= 300
// expect sm_90a [queries half weightsE1]: sass_issue_percent <= 386, sass_shared_percent <= 310
// expect sm_90a [queries bfloat16 weightsE1]: sass_issue_percent <= 236, sass_shared_percent <= 317

#include "test/device/attention_gradients.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    using plain = attention_backward_for<target, half, 192, 128>;
    keep_gradients<plain>(kept);
    keep_gradients<attention_backward_for<target, bfloat16, 192, 128, attention_variant<attention_mask::band>>>(kept);
    if constexpr (target::vendor == vendor::nvidia) {
        keep_gradients<attention_backward_for<
            target, half, 128, 128,
            attention_variant<attention_mask::none, attention_bias::none, attention_weights::dropped>>>(kept);
        keep_gradients<attention_backward_for<
            target, bfloat16, 256, 256,
            attention_variant<attention_mask::band, attention_bias::none, attention_weights::dropped>>>(kept);
    }
    *kept++ = reinterpret_cast<const void*>(sums<plain::sums>);
    *kept++ = reinterpret_cast<const void*>(sinks<plain::sinks>);
}

} // namespace tegula
