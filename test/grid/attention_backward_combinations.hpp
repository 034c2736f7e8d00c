#pragma once

/// Gradients of attention in kernels in which choices that differ in code meet (element type, columns, mask, bias, dropout,
/// functor), each with many lengths of queries and of keys.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention/backward/backward.hpp"

namespace tegula::test {

/// Names of the choices, for lists of kernels.
namespace attention_forms {
using attention_bias::tensor, attention_bias::alibi;
using attention_mask::band, attention_mask::boolean;
inline constexpr attention_mask every_key = attention_mask::none;
inline constexpr attention_bias no_bias = attention_bias::none;
} // namespace attention_forms

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

} // namespace tegula::test
