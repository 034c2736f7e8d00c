/// Gradients of attention in five products on CDNA, on the emulator: lengths, every kind of change of scores, grouped heads,
/// tiles of both numbers of waves. Blocks add to dQ in an order of their own.

#include "test/grid/attention_backward_combinations.hpp"

using namespace tegula;
using namespace tegula::test;
using namespace attention_forms;

namespace {

template <class Target, class T, index_t HeadDim, index_t ValueDim = HeadDim, class Variant = attention_variant<>,
          class Score = unchanged_score>
using fused = attention_fused_backward_for<Target, T, HeadDim, ValueDim, Variant, T, Score>;

template <class Target, class T, index_t HeadDim, index_t ValueDim, attention_mask Mask, attention_bias Bias,
          attention_weights Weights, bool Capped>
void check(index_t head_dim = HeadDim, index_t value_dim = ValueDim)
{
    using score = std::conditional_t<Capped, capped_score, unchanged_score>;
    check_gradient_combination<fused<Target, T, HeadDim, ValueDim, attention_variant<Mask, Bias, Weights>, score>,
                               score>(head_dim, value_dim);
}

template <class Target, class T, index_t Columns>
void check_lengths()
{
    using kernels = fused<Target, T, Columns>;
    check_attention_gradients<kernels>({1, 1, 1, 1, 1, Columns, Columns});
    check_attention_gradients<kernels>({1, 2, 1, 3, 65, 40, 56});
    check_attention_gradients<kernels>({2, 4, 2, 165, 300, Columns, Columns, {}, true}); // blocks that share dQ
    check_attention_gradients<kernels>({1, 1, 1, 300, 140, Columns, 8});
    check_attention_gradients<kernels>({1, 2, 1, 0, 5, Columns, Columns});
    check_attention_gradients<kernels>({1, 2, 1, 5, 0, Columns, Columns});
    check_attention_gradients<kernels>({0, 2, 1, 5, 5, Columns, Columns});
}

} // namespace

TEST_CASE("gfx942: gradients in five products, lengths")
{
    check_lengths<arch::gfx942, half, 64>();
    check_lengths<arch::gfx942, bfloat16, 128>();
}

TEST_CASE("gfx950: gradients in five products, lengths") { check_lengths<arch::gfx950, half, 128>(); }

TEST_CASE("gfx90a: gradients in five products, lengths") { check_lengths<arch::gfx90a, bfloat16, 64>(); }

TEST_CASE("gfx942: gradients in five products, bands and biases")
{
    check_banded_gradients<fused<arch::gfx942, bfloat16, 128, 128, banded_and_biased>>(257);
}

TEST_CASE("gfx942: gradients in five products, in many forms", "[attention]")
{
    check<arch::gfx942, bfloat16, 64, 128, every_key, tensor, dropped, false>(64, 120);
    check<arch::gfx942, bfloat16, 128, 128, boolean, no_bias, all, true>();
    check<arch::gfx942, half, 64, 64, band, no_bias, all, false>(40, 64);
    check<arch::gfx942, half, 128, 64, lists, tensor, all, true>(120, 64);
    check<arch::gfx942, half, 32, 32, lists, alibi, dropped, false>(32, 24);
}

TEST_CASE("gfx950: gradients in five products, in many forms", "[attention]")
{
    check<arch::gfx950, bfloat16, 128, 128, lists, alibi, dropped, true>(128, 104);
    check<arch::gfx950, half, 64, 64, boolean, tensor, dropped, false>(64, 48);
}
