/// Gradients of attention by wgmma in five products, on the emulator: lengths, every kind of change of scores, grouped heads.
/// Blocks add to dQ in an order of their own.

#include <tegula/kernel/attention/warp_specialized/backward_kernels.hpp>

#include "test/grid/attention_backward_fused.hpp"

using namespace tegula;
using namespace tegula::test;
using namespace attention_forms;

namespace {

template <class T, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Score = unchanged_score>
using fused = warp_specialized_fused_backward_for<arch::sm_90a, T, HeadDim, ValueDim, Variant, T, Score>;

template <class T, index_t HeadDim, index_t ValueDim, attention_mask Mask, attention_bias Bias,
          attention_weights Weights, bool Capped>
void check(index_t head_dim = HeadDim, index_t value_dim = ValueDim)
{
    using score = std::conditional_t<Capped, capped_score, unchanged_score>;
    check_gradient_combination<fused<T, HeadDim, ValueDim, attention_variant<Mask, Bias, Weights>, score>, score>(
        head_dim, value_dim);
}

} // namespace

TEST_CASE("sm_90a: gradients in five products, lengths") { check_fused_lengths<fused<half, 64>>(64); }

TEST_CASE("sm_90a: gradients in five products, bands and biases")
{
    check_banded_gradients<fused<bfloat16, 128, 128, banded_and_biased>>(257);
}

TEST_CASE("sm_90a: gradients in five products, 256 columns")
{
    check_fused_lengths<fused<half, 256>>(256);
    check<bfloat16, 256, 256, band, no_bias, all, false>(248, 256);
}

TEST_CASE("sm_90a: gradients in five products, in many forms", "[attention]")
{
    check<bfloat16, 64, 128, every_key, tensor, dropped, false>(64, 120);
    check<bfloat16, 128, 128, boolean, no_bias, all, true>();
    check<half, 64, 64, band, alibi, dropped, false>(40, 64);
    check<half, 128, 64, band, tensor, all, true>(120, 64);
    check<half, 64, 64, every_key, no_bias, all, false>(56, 64);
    check<bfloat16, 128, 128, boolean, tensor, dropped, false>();
}
