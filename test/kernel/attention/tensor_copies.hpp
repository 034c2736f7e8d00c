#pragma once

#include "test/kernel/attention/changed_scores.hpp"
#include "test/kernel/attention/far_scores.hpp"

namespace tegula::test {

/// Cases of attention by tensor copies, for every target that has it. Family::kernel<T, D, ValueDim, Variant, O, Score> is
/// the kernel of Family::target.

template <class Family>
void check_every_length_and_band()
{
    using kernel = typename Family::template kernel<bfloat16, 64, 64, attention_variant<attention_mask::band>>;
    check_attention_lengths<kernel>();
    // Ten tiles of keys: the first that tell of a ring whose stages count one reader too few.
    check_attention(attention_data<kernel>(3, 1290, 1, 1, 1));
    attention_data<kernel> data(70, 290, 1, 1, 1);
    data.args.band = {.left = 40, .right = 2, .prefix = 131};
    check_attention(data);
    data.args.band = {.left = 10, .right = 0, .diagonal = attention_diagonal::top_left, .prefix = 400};
    check_attention(data);
}

template <class Family>
void check_all_keys()
{
    using kernel = typename Family::template kernel<half, 128, 128, attention_variant<>>;
    for (const index_t keys : {1, 127, 300})
        check_attention(attention_data<kernel>(300, keys, 2, 1, 1));
}

/// OfUnequalHeads  the family of the kernel whose values have fewer columns than its keys
template <class Family, class OfUnequalHeads = Family>
void check_wide_heads()
{
    using square = typename Family::template kernel<bfloat16, 256, 256, attention_variant<attention_mask::band>>;
    check_attention(attention_data<square>(130, 170, 1, 1, 1, 232, 256));
    using unequal = typename OfUnequalHeads::template kernel<half, 192, 128, attention_variant<>>;
    check_attention(attention_data<unequal>(65, 240, 1, 1, 1, 192, 120));
}

template <class Family>
void check_changed_scores()
{
    using variant = attention_variant<attention_mask::boolean, attention_bias::tensor, attention_weights::dropped>;
    using kernel =
        typename Family::template kernel<bfloat16, 64, 64, variant, float, soft_cap<typename Family::target>>;
    attention_data<kernel> data(130, 300, 2, 1, 2, 56, 64);
    const changed_scores changes(data);
    check_attention(data);
    check_far_bias_and_mask<kernel>([](const auto& far) { check_attention(far); });
}

} // namespace tegula::test
