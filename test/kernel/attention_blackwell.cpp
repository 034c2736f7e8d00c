#include <tegula/kernel/attention/soft_cap.hpp>
#include <tegula/kernel/attention/tcgen05/kernel.hpp>

#include "test/kernel/attention_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_100a;

template <class T, index_t D, index_t ValueDim, class Variant, class O = T, class Score = unchanged_score,
          class Exponentials = hardware_exponentials>
using by_tcgen05 =
    tcgen05_attention<tcgen05_attention_tile_for<target, T, D, ValueDim, Exponentials>, O, Variant, Score>;

TEST_CASE("sm_100a: attention by tcgen05, every length and band", "[attention]")
{
    using kernel = by_tcgen05<bfloat16, 64, 64, attention_variant<attention_mask::band>>;
    check_attention_lengths<kernel>();
    attention_data<kernel> data(70, 290, 1, 1, 1);
    data.args.band = {.left = 40, .right = 2, .prefix = 131};
    check_attention(data);
    data.args.band = {.left = 10, .right = 0, .diagonal = attention_diagonal::top_left, .prefix = 400};
    check_attention(data);
}

TEST_CASE("sm_100a: attention by tcgen05 of f16, all keys", "[attention]")
{
    using kernel = by_tcgen05<half, 128, 128, attention_variant<>>;
    for (const index_t keys : {1, 127, 300})
        check_attention(attention_data<kernel>(300, keys, 2, 1, 1));
}

TEST_CASE("sm_100a: attention by tcgen05 of wide heads, and a quarter of exponentials as polynomials", "[attention]")
{
    check_attention(attention_data<by_tcgen05<bfloat16, 256, 256, attention_variant<attention_mask::band>>>(
        130, 170, 1, 1, 1, 232, 256));
    using mixed = by_tcgen05<half, 192, 128, attention_variant<>, half, unchanged_score, mixed_exponentials<1, 4, 3>>;
    check_attention(attention_data<mixed>(65, 240, 1, 1, 1, 192, 120));
}

TEST_CASE("sm_100a: attention by tcgen05 with changed scores", "[attention]")
{
    using variant = attention_variant<attention_mask::boolean, attention_bias::tensor, true>;
    using kernel = by_tcgen05<bfloat16, 64, 64, variant, float, soft_cap<target>>;
    attention_data<kernel> data(130, 300, 2, 1, 2, 56, 64);
    auto& args = data.args;
    args.score.cap = 1.5f;
    args.band.right = 20;
    args.scale = -0.25f;
    std::vector<float> bias(static_cast<std::size_t>(130 * 300)), sinks = {0.5f, -1.0f};
    std::vector<unsigned char> mask(static_cast<std::size_t>(2 * 130 * 300));
    fill_normal<float>(bias, 5);
    random_source random(6);
    for (auto& m : mask)
        m = random.integer(0, 3) != 0;
    args.bias = {bias.data(), 0, 0, 300, 1};
    args.boolean = {mask.data(), 0, 130 * 300, 300, 1};
    args.dropout = make_dropout(0.3, 11);
    args.sinks = sinks.data();
    check_attention(data);
}
