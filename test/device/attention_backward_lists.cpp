// Attention backward of block lists, and of the gradient of a bias in a fixed order.
//
// full targets: gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250 sm_80 sm_89 sm_90a
// expect * [keys]: wide_global_load >= 2, wide_shared_load >= 4
// expect * [queries]: wide_global_load >= 2, wide_shared_load >= 4
// expect * [bias]: wide_global_load >= 2, wide_shared_load >= 4
// Tiles of lists come in order, without divisions.
// expect gfx90a gfx942 gfx950 gfx1100 gfx1201 gfx1250: loop_divisions == 0
// expect sm_80 sm_89 sm_90a: sass_loop_divisions == 0
// expect gfx90a clang22 [keys]: loop_matrix_percent >= 24
// expect gfx90a clang22 [queries]: loop_matrix_percent >= 32
// expect gfx90a clang22 [4bias maskE1]: loop_matrix_percent >= 5.9
// expect gfx90a clang22 [4bias maskE2]: loop_matrix_percent >= 5
// expect gfx942 clang22 [4bias maskE1]: loop_matrix_percent >= 3.2
// expect gfx942 clang22 [4bias maskE2]: loop_matrix_percent >= 2.5
// expect gfx950 [4bias maskE1]: loop_matrix_percent >= 1.5
// expect gfx950 [4bias maskE2]: loop_matrix_percent >= 1.2
// expect sm_90a [4keysI]: sass_issue_percent <= 147, sass_shared_percent <= 252
// expect sm_90a [7queriesI]: sass_issue_percent <= 122, sass_shared_percent <= 269
// expect sm_90a [4biasI maskE1]: sass_issue_percent <= 543, sass_shared_percent <= 490
// expect sm_90a [4biasI maskE2]: sass_issue_percent <= 614, sass_shared_percent <= 490

#include "test/device/attention_gradients.hpp"

namespace tegula {

void keep_all(const void** kept)
{
    using by_lists = attention_backward_for<target, half, 64, 64, attention_variant<attention_mask::lists>>;
    *kept++ = reinterpret_cast<const void*>(keys<by_lists::keys>);
    *kept++ = reinterpret_cast<const void*>(queries<by_lists::queries>);
    using biased =
        attention_backward_for<target, half, 64, 64, attention_variant<attention_mask::band, attention_bias::tensor>,
                               half, unchanged_score, bias_gradient_sums::in_fixed_order>;
    *kept++ = reinterpret_cast<const void*>(bias<biased::bias>);
    using biased_lists =
        attention_backward_for<target, half, 64, 64, attention_variant<attention_mask::lists, attention_bias::tensor>,
                               half, unchanged_score, bias_gradient_sums::in_fixed_order>;
    *kept++ = reinterpret_cast<const void*>(bias<biased_lists::bias>);
}

} // namespace tegula
