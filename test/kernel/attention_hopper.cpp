#include <tegula/kernel/attention/soft_cap.hpp>

#include "test/kernel/attention_harness.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_90a;

template <class T, index_t D, index_t ValueDim, class Variant, class O = T, class Score = unchanged_score>
using warp_specialized =
    warp_specialized_attention<warp_specialized_attention_tile_for<target, T, D, ValueDim>, O, Variant, Score>;

TEST_CASE("sm_90a: warp-specialised attention, every length and band", "[attention]")
{
    using kernel = warp_specialized<bfloat16, 64, 64, attention_variant<attention_mask::band>>;
    check_attention_lengths<kernel>();
    attention_data<kernel> data(70, 290, 1, 1, 1);
    data.args.band = {.left = 40, .right = 2, .prefix = 131};
    check_attention(data);
    data.args.band = {.left = 10, .right = 0, .diagonal = attention_diagonal::top_left, .prefix = 400};
    check_attention(data);
}

TEST_CASE("sm_90a: warp-specialised attention of f16, all keys", "[attention]")
{
    using kernel = warp_specialized<half, 128, 128, attention_variant<>>;
    for (const index_t keys : {1, 127, 300})
        check_attention(attention_data<kernel>(300, keys, 2, 1, 1));
}

TEST_CASE("sm_90a: warp-specialised attention refuses what tensor copies cannot address", "[attention]")
{
    using kernel = warp_specialized<half, 128, 128, attention_variant<>>;
    attention_data<kernel> data(3, 5, 2, 1, 2);
    attention_maps maps;
    const auto refused = [&](const std::string& why) {
        const status s = check_warp_specialized<kernel>(data.args, maps);
        INFO(s.message());
        CHECK(!s.ok());
        CHECK(std::string(s.message()).find(why) != std::string::npos);
    };
    CHECK(check_warp_specialized<kernel>(data.args, maps).ok());
    const index_t lengths[] = {5, 5};
    data.args.lengths.key_lengths = lengths;
    refused("lengths of sequences vary");
    data.args.lengths = {};
    data.args.k.batch_stride = 0; // all sequences share K
    refused("K has a stride of 0; tensor copies need strides above 0, take an attention_kernel");
    data.args.k.batch_stride = data.args.v.batch_stride;
    data.args.v.data += 4;
    refused("does not start at a multiple of 16 bytes");
    data.args.v.data -= 4;
    data.args.seq_k = 0;
    refused("there is no key");
    data.args.seq_q = 0; // nothing to launch
    CHECK(check_warp_specialized<kernel>(data.args, maps).ok());
}

TEST_CASE("sm_90a: warp-specialised attention of wide heads", "[attention]")
{
    check_attention(attention_data<warp_specialized<bfloat16, 256, 256, attention_variant<attention_mask::band>>>(
        130, 170, 1, 1, 1, 232, 256));
    check_attention(attention_data<warp_specialized<half, 192, 128, attention_variant<>>>(65, 240, 1, 1, 1, 192, 120));
}

TEST_CASE("sm_90a: warp-specialised attention with changed scores", "[attention]")
{
    using variant = attention_variant<attention_mask::boolean, attention_bias::tensor, true>;
    using kernel = warp_specialized<bfloat16, 64, 64, variant, float, soft_cap<target>>;
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
