#pragma once

/// Attention whose keys are split in combination with what changes scores, as test/grid/attention_combinations.hpp has it.

#include "test/grid/attention_combinations.hpp"
#include "test/grid/attention_forms.hpp"
#include "test/kernel/attention/split/split.hpp"

namespace tegula::test {

template <class Target, class T, index_t D, attention_mask Mask, attention_bias Bias, attention_weights Weights,
          attention_cache Cache, attention_heads Heads, bool Capped>
void check_split_combination(index_t columns = D)
{
    using kernel = split_attention<Target, T, D, attention_variant<Mask, Bias, Weights, Cache, Heads>,
                                   std::conditional_t<Capped, soft_cap<Target>, unchanged_score>>;
    // The most keys are six tiles: of shares of two some are empty.
    check_combination<kernel>(columns, columns, [](const auto& data) { check_split_attention(data, 4); });
}

/// Every mask and bias, whole heads with lists; to 256 columns.
template <class Target>
void check_split_combinations()
{
    using namespace attention_forms;
    using enum attention_cache;
    using enum attention_heads;
    check_split_combination<Target, half, 128, lists, no_bias, all, contiguous, apart, false>();
    check_split_combination<Target, bfloat16, 64, lists, tensor, dropped, paged, apart, true>(40);
    check_split_combination<Target, half, 64, band, alibi, all, paged, packed, false>();
    check_split_combination<Target, bfloat16, 128, every_key, alibi, dropped, contiguous, packed, true>(96);
    check_split_combination<Target, half, 256, boolean, tensor, all, contiguous, packed, true>();
    check_split_combination<Target, half, 64, boolean, alibi, dropped, paged, apart, false>();
    check_split_combination<Target, bfloat16, 128, band, tensor, dropped, contiguous, apart, false>();
}

} // namespace tegula::test
