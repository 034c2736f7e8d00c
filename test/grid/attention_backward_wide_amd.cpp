/// Gradients of attention past 128 columns on AMD: dK and dV come by a kernel each on gfx90a, gfx950, gfx1100 and gfx1250, and on
/// gfx1100 and gfx1201 two waves share the columns of a gradient.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention/backward/backward.hpp"

using namespace tegula;
using namespace tegula::test;
using enum attention_mask;
using repeats = attention_gradient_case::repeats;

namespace {

/// Kernels of up to D and ValueDim columns; those for a functor take capped_score.
template <class Target, class T, index_t D, index_t ValueDim, attention_mask Mask,
          attention_bias Bias = attention_bias::none, attention_weights Weights = attention_weights::all,
          class Score = unchanged_score, bool InOrder = bias_gradient_sums::in_any_order>
using kernels_for =
    attention_backward_for<Target, T, D, ValueDim, attention_variant<Mask, Bias, Weights>, T, Score, InOrder>;

template <class Target>
void check_banded()
{
    check_attention_gradients<kernels_for<Target, bfloat16, 256, 256, band>>(
        {1, 2, 1, 70, 100, 256, 248, {-1, 0}, true});
}

/// A boolean mask, a bias that repeats, dropout and a functor.
template <class Target>
void check_changed()
{
    using kernels =
        kernels_for<Target, half, 256, 256, boolean, attention_bias::tensor, attention_weights::dropped, capped_score>;
    attention_gradient_case c{2, 1, 1, 65, 40, 200, 256, {10, 3, attention_diagonal::top_left, 5}};
    c.bias = repeats::batch_and_queries;
    check_attention_gradients<kernels, capped_score>(c, {1.5f}, 0.25);
}

template <class Target>
void check_lists()
{
    check_attention_gradients<kernels_for<Target, bfloat16, 192, 128, lists>>({1, 2, 1, 150, 260, 192, 128});
}

/// The gradient of a bias in a fixed order.
template <class Target>
void check_ordered()
{
    using kernels = kernels_for<Target, half, 192, 128, none, attention_bias::tensor, attention_weights::all,
                                unchanged_score, bias_gradient_sums::in_fixed_order>;
    attention_gradient_case c{2, 1, 1, 70, 40, 192, 120};
    for (const auto over : {repeats::nothing, repeats::batch_and_heads}) {
        c.bias = over;
        check_attention_gradients<kernels>(c);
    }
}

} // namespace

TEST_CASE("attention backward on gfx90a: 192 and 256 columns", "[attention]")
{
    check_changed<arch::gfx90a>();
    check_lists<arch::gfx90a>();
}

TEST_CASE("attention backward on gfx950: 192 and 256 columns", "[attention]")
{
    check_banded<arch::gfx950>();
    check_changed<arch::gfx950>();
    check_ordered<arch::gfx950>();
}

TEST_CASE("attention backward on gfx1100: 192 and 256 columns", "[attention]")
{
    check_banded<arch::gfx1100>();
    check_ordered<arch::gfx1100>();
}

TEST_CASE("attention backward on gfx1201: 192 and 256 columns", "[attention]")
{
    check_changed<arch::gfx1201>();
    check_lists<arch::gfx1201>();
}

TEST_CASE("attention backward on gfx1250: 256 columns", "[attention]") { check_banded<arch::gfx1250>(); }
