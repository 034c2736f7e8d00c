/// Gradients of attention by tcgen05 in five products, on the emulator: lengths, every kind of change of scores, grouped
/// heads. Blocks add to dQ in an order of their own.

#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>

#include "test/grid/attention_backward_fused.hpp"

using namespace tegula;
using namespace tegula::test;
using namespace attention_forms;

namespace {

template <class T, index_t ValueDim = 128, class Variant = attention_variant<>, class Score = unchanged_score>
using fused = tcgen05_fused_backward_for<arch::sm_100a, T, 128, ValueDim, Variant, T, Score>;

// Lengths and slopes take tiles of 128 x 128 scores, other changes and 64 columns of V tiles of 64 queries.
static_assert(fused<half>::tile::columns == 128 && fused<half, 64>::tile::columns == 64 &&
              fused<half, 128, banded_and_biased>::tile::columns == 64);

template <class T, index_t ValueDim, attention_mask Mask, attention_bias Bias, attention_weights Weights, bool Capped>
void check(index_t head_dim = 128, index_t value_dim = ValueDim)
{
    using score = std::conditional_t<Capped, capped_score, unchanged_score>;
    check_gradient_combination<fused<T, ValueDim, attention_variant<Mask, Bias, Weights>, score>, score>(head_dim,
                                                                                                         value_dim);
}

} // namespace

TEST_CASE("sm_100a: gradients in five products, lengths") { check_fused_lengths<fused<half>>(128); }

TEST_CASE("sm_100a: gradients in five products, bands and biases")
{
    check_banded_gradients<fused<bfloat16, 128, banded_and_biased>>(257);
}

TEST_CASE("sm_100a: gradients in five products, in many forms", "[attention]")
{
    check<half, 128, band, alibi, all, false>(104, 72); // tiles of 128 x 128 scores
    check<bfloat16, 128, boolean, no_bias, all, true>();
    check<bfloat16, 64, every_key, tensor, dropped, false>(128, 56);
    check<half, 64, band, alibi, dropped, true>(104, 64);
    check<half, 128, boolean, tensor, dropped, false>();
}
