#include "test/kernel/attention/latent_fp8.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("latent attention from a cache of 8 bits, f16 over pages of two tiles", "[attention]")
{
    using kernel = latent_from_fp8<half, latent_pages>;
    check_scaled_pages<kernel>(64);
    check_scaled_pages<kernel>(320);
}

TEST_CASE("latent attention from a cache of 8 bits, all numbers of tiles and shares", "[attention]")
{
    using kernel = latent_from_fp8<half, latent_rows, half>;
    for (const index_t keys : {0, 1, 64, 65, 128, 190, 256, 321, 700})
        for (const index_t splits : {1, 3}) {
            attention_data<kernel> data(2, keys, 12, 2, 2);
            const scaled_keys<kernel> cache(data);
            check_split_attention(data, splits, cache.replaces());
        }
}

TEST_CASE("latent attention from a cache of 8 bits, parts apart and one scale for all", "[attention]")
{
    using kernel = latent_from_fp8<bfloat16, latent_rows, bfloat16>;
    constexpr index_t keys = 150, batch = 2;
    attention_data<kernel> data(3, keys, 8, 1, batch);
    // Rows of values and rope run backwards.
    std::vector<float8_e4m3> values(static_cast<std::size_t>(batch * keys * 512));
    std::vector<bfloat16> rope(static_cast<std::size_t>(batch * keys * 64));
    const std::vector<float> scales(4, 0.75f);
    fill_normal<float8_e4m3>(values, 4);
    fill_normal<bfloat16>(rope, 5);
    scaled_latent_cache<bfloat16> cache;
    cache.values = {values.data() + (keys - 1) * 512, keys * 512, 0, -512};
    cache.scales = {scales.data(), 0, 0, 0};
    cache.rope = {rope.data() + (keys - 1) * 64, keys * 64, 0, -64};
    for (index_t b = 0; b < batch; ++b)
        for (index_t key = 0; key < keys; ++key)
            for (index_t c = 0; c < 576; ++c)
                data.k[static_cast<std::size_t>(b * data.args.k.batch_stride + key * data.args.k.row_stride + c)] =
                    c < 512 ? convert<bfloat16>(static_cast<float>(cache.values.data[b * keys * 512 - key * 512 + c]) *
                                                0.75f)
                            : cache.rope.data[b * keys * 64 - key * 64 + c - 512];
    data.args.v = data.args.k;
    check_split_attention(data, 2, [&](auto& args) {
        args.attention.k = args.attention.v = {};
        args.cache = cache;
    });
}

TEST_CASE("latent attention from a cache of 8 bits, bands of heads apart", "[attention]")
{
    using kernel = latent_from_fp8<bfloat16,
                                   attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                                     attention_cache::contiguous, attention_heads::apart>,
                                   bfloat16>;
    check_attention_lengths<kernel>([](const auto& x) {
        attention_data<kernel> data(x.args.seq_q, x.args.seq_k, x.args.heads, x.args.kv_heads, x.args.batch, 576, 448);
        data.args.band = x.args.band;
        const scaled_keys<kernel> keys(data);
        check_split_attention(data, 2, keys.replaces());
    });
    attention_data<kernel> window(130, 500, 1, 1, 1);
    window.args.band = {.left = 70, .right = 3, .prefix = 40};
    const scaled_keys<kernel> keys(window);
    check_split_attention(window, 1, keys.replaces());
}

TEST_CASE("latent attention from a cache of 8 bits, sequences of unequal lengths", "[attention]")
{
    using kernel =
        latent_from_fp8<bfloat16, attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                                    attention_cache::contiguous, attention_heads::packed>>;
    // Sequences of 3, 0, 40 and 1 queries behind each other, of 130, 64, 0 and 300 keys.
    attention_data<kernel> data(40, 320, 4, 2, 4);
    const std::vector<index_t> query_offsets = {0, 3, 3, 43, 44}, key_offsets = {0, 150, 214, 224, 544};
    const std::vector<index_t> key_lengths = {130, 64, 0, 300};
    const std::vector<float> sinks = {0.5f, -1.0f, 3.0f, 0.0f};
    data.args.lengths = {query_offsets.data(), key_offsets.data(), key_lengths.data()}; // no map needs all rows
    data.args.lse.head_stride = 44;
    data.args.sinks = sinks.data();
    data.args.band.right = 0;
    for (std::size_t b = 0; b < 4; ++b)
        spoil_keys(data, 0, key_offsets[b] + key_lengths[b], key_offsets[b + 1]);
    const scaled_keys<kernel> keys(data);
    for (const index_t splits : {1, 4})
        check_split_attention(data, splits, keys.replaces());
}
