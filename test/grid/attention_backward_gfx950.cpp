#include "test/grid/attention_backward_combinations.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx950;

TEST_CASE("attention backward on gfx950: f16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_half();
}

TEST_CASE("attention backward on gfx950: bf16 in many forms", "[attention]")
{
    gradient_combinations<target>::check_bfloat16();
}

TEST_CASE("attention backward on gfx950: lengths, plain scores", "[attention]")
{
    check_gradients_of_lengths<target>();
}

TEST_CASE("attention backward on gfx950: plain scores of many columns, near and far", "[attention]")
{
    using banded = attention_backward_for<target, bfloat16, 128, 128, attention_variant<attention_mask::band>>;
    check_gradient_combination<banded, unchanged_score>(128, 104);
    check_gradient_combination<attention_backward_for<target, half, 128, 64>, unchanged_score>(128, 64);
    check_gradient_combination<attention_backward_for<target, half, 64, 256>, unchanged_score>(64, 256);
    // Q and K come through registers, V and dO by direct loads.
    check_gradient_combination<attention_backward_for<target, half, 32, 64>, unchanged_score>(32, 64);
    // Normalizers of more than 2^16: every step takes the way of far scores.
    attention_gradient_case far{1, 2, 1, 70, 140, 128, 128, {-1, 0}};
    far.scale = 1e9f;
    check_attention_gradients<banded>(far);
    attention_gradient_case narrow{1, 2, 1, 70, 140};
    narrow.scale = 1e9f;
    check_attention_gradients<attention_backward_for<target, half, 64>>(narrow);
}
