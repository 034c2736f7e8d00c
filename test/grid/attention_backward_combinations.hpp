#pragma once

/// Gradients of attention in kernels in which choices that differ in code meet (element type, columns, mask, bias, dropout,
/// functor), each with many lengths of queries and of keys.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/grid/attention_forms.hpp"
#include "test/kernel/attention/backward/backward.hpp"

namespace tegula::test {

/// Kernels with an attention_variant and unchanged or capped scores, of up to so many columns.
template <class Kernels, class Score>
void check_gradient_combination(index_t head_dim, index_t value_dim)
{
    Score score = {};
    if constexpr (requires { score.cap; })
        score.cap = 1.5f;
    constexpr auto top = attention_diagonal::top_left;
    using repeats = attention_gradient_case::repeats;
    const attention_gradient_case cases[] = {
        {2, 1, 1, 1, 1, head_dim, value_dim},
        {1, 4, 2, 3, 300, head_dim, value_dim, {-1, 0}, true},
        {1, 2, 1, 64, 3, head_dim, value_dim, {-1, 0, top}},
        {2, 2, 2, 65, 127, head_dim, value_dim, {20, 0}, true, {}, {}, {}, repeats::batch_and_queries},
        {1, 3, 1, 127, 64, head_dim, value_dim, {5, 9, top}},
        {1, 2, 1, 300, 65, head_dim, value_dim, {-1, 0}}};
    // A half is dropped: of a lone key, all of whose gradients cancel, O is twice V then, which its type holds exactly.
    for (const attention_gradient_case& c : cases)
        check_attention_gradients<Kernels, Score>(c, score, 0.5);
}

/// Kernels of a target with the shipped tiles: every mask, bias and functor, with and without dropout, and columns of every
/// row of the table of tiles.
template <class Target>
struct gradient_combinations
{
    template <class T, index_t HeadDim, index_t ValueDim, attention_mask Mask, attention_bias Bias,
              attention_weights Weights, bool Capped>
    static void check(index_t head_dim = HeadDim, index_t value_dim = ValueDim)
    {
        using score = std::conditional_t<Capped, capped_score, unchanged_score>;
        check_gradient_combination<
            attention_backward_for<Target, T, HeadDim, ValueDim, attention_variant<Mask, Bias, Weights>, T, score>,
            score>(head_dim, value_dim);
    }

    static void check_half()
    {
        using namespace attention_forms;
        check<half, 32, 32, every_key, alibi, dropped, true>(32, 24);
        check<half, 64, 64, lists, tensor, all, true>();
        check<half, 128, 64, boolean, no_bias, all, false>(96, 64);
        check<half, 192, 128, band, tensor, all, false>();
        check<half, 256, 256, boolean, alibi, all, false>(256, 248);
        check<half, 128, 128, band, alibi, all, true>(128, 104);
    }
    static void check_bfloat16()
    {
        using namespace attention_forms;
        check<bfloat16, 32, 64, lists, alibi, dropped, false>();
        check<bfloat16, 64, 64, band, no_bias, dropped, false>(64, 48);
        check<bfloat16, 128, 128, boolean, tensor, dropped, true>();
        check<bfloat16, 192, 128, every_key, no_bias, all, false>();
        check<bfloat16, 256, 256, lists, no_bias, dropped, true>(200, 256);
        check<bfloat16, 64, 64, every_key, tensor, dropped, false>();
    }
};

/// Kernels of a target in which nothing but a band changes scores: of few and many columns, with scores near and far from 0.
template <class Target>
void check_gradients_of_plain_scores()
{
    using variant = attention_variant<attention_mask::band>;
    using banded = attention_backward_for<Target, bfloat16, 128, 128, variant>;
    check_gradient_combination<banded, unchanged_score>(128, 104);
    check_gradient_combination<attention_backward_for<Target, bfloat16, 256, 256, variant>, unchanged_score>(248, 256);
    check_gradient_combination<attention_backward_for<Target, half, 128, 64>, unchanged_score>(128, 64);
    check_gradient_combination<attention_backward_for<Target, half, 64, 256>, unchanged_score>(64, 256);
    // On gfx950 Q and K come through registers, V and dO by direct loads.
    check_gradient_combination<attention_backward_for<Target, half, 32, 64>, unchanged_score>(32, 64);
    // Normalizers of more than 2^16: every step takes the way of far scores.
    attention_gradient_case far{1, 2, 1, 70, 140, 128, 128, {-1, 0}};
    far.scale = 1e9f;
    check_attention_gradients<banded>(far);
    attention_gradient_case narrow{1, 2, 1, 70, 140};
    narrow.scale = 1e9f;
    check_attention_gradients<attention_backward_for<Target, half, 64>>(narrow);
}

} // namespace tegula::test
