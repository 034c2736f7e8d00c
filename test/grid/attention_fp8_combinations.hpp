#pragma once

/// Attention of 8-bit inputs with scales by rows of Q, by tiles of K and of V, in combination with what changes scores,
/// as test/grid/attention_combinations.hpp has it.

#include "test/grid/attention_combinations.hpp"
#include "test/grid/attention_forms.hpp"
#include "test/kernel/attention/fp8.hpp"

namespace tegula::test {

/// Scales of every block of a problem; holds what they point to.
template <class Arguments>
class scales_of
{
    static constexpr index_t q_rows = 16;

public:
    scales_of(Arguments& args, index_t key_rows)
        : q_(args.batch, args.heads, ceil_div(args.seq_q, q_rows), 1),
          k_(args.batch, args.kv_heads, ceil_div(args.seq_k, key_rows), 2),
          v_(args.batch, args.kv_heads, ceil_div(args.seq_k, key_rows), 3)
    {
        args.q_scale = q_.of(args.heads, ceil_div(args.seq_q, q_rows), q_rows);
        args.k_scale = k_.of(args.kv_heads, ceil_div(args.seq_k, key_rows), key_rows);
        args.v_scale = v_.of(args.kv_heads, ceil_div(args.seq_k, key_rows), key_rows);
    }

private:
    random_scales q_, k_, v_;
};

template <class Kernel, class Check>
void check_fp8_combination(index_t head_dim, index_t value_dim, const Check& check)
{
    check_combination<Kernel>(head_dim, value_dim, [&](auto& data) {
        const scales_of scales(data.args, round_up(128, Kernel::tile::keys));
        check(data);
    });
}

template <class Target, class T, index_t HeadDim, index_t ValueDim, attention_mask Mask, attention_bias Bias,
          attention_weights Weights, attention_cache Cache, attention_heads Heads, bool Capped>
void check_fp8_form(index_t head_dim = HeadDim, index_t value_dim = ValueDim)
{
    using variant = attention_variant<Mask, Bias, Weights, Cache, Heads>;
    using score = std::conditional_t<Capped, soft_cap<Target>, unchanged_score>;
    using tile = attention_tile_for<Target, T, HeadDim, ValueDim, variant, score>;
    check_fp8_combination<attention_kernel<tile, half, variant, score>>(
        head_dim, value_dim, [](const auto& data) { check_attention(data); });
}

/// Both 8-bit types of a target.
template <class Target, class T, class Wide>
void check_fp8_combinations()
{
    using namespace attention_forms;
    using enum attention_cache;
    using enum attention_heads;
    check_fp8_form<Target, T, 64, 64, boolean, tensor, dropped, paged, apart, true>(64, 48);
    check_fp8_form<Target, Wide, 128, 128, lists, alibi, all, contiguous, apart, false>();
    check_fp8_form<Target, T, 128, 64, band, no_bias, dropped, contiguous, packed, false>(96, 64);
    check_fp8_form<Target, Wide, 32, 32, every_key, tensor, all, paged, packed, true>();
    check_fp8_form<Target, T, 256, 256, band, tensor, dropped, contiguous, apart, true>();
    using shares = attention_variant<band, alibi, attention_weights::all, paged, packed>;
    using split = attention_split_kernel<decoding_tile_for<Target, T, 128, 128, shares>, half, shares>;
    check_fp8_combination<split>(128, 128, [](const auto& data) { check_split_attention(data, 3); });
    using masked_shares = attention_variant<boolean, tensor, attention_weights::all, paged, packed>;
    using masked_split =
        attention_split_kernel<decoding_tile_for<Target, T, 128, 128, masked_shares>, half, masked_shares>;
    check_fp8_combination<masked_split>(128, 128, [](const auto& data) { check_split_attention(data, 3); });
}

} // namespace tegula::test
