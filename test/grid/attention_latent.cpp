#include "test/kernel/attention/latent.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("latent attention, values of their own in shared memory", "[attention][.full]")
{
    check_latent<attention_tile_for<arch::sm_80, half, 576, 512>>();
    check_latent<attention_tile_for<arch::sm_89, bfloat16, 576, 512>>();
}

TEST_CASE("latent attention on other targets", "[attention][.full]")
{
    check_latent<latent_attention_tile_for<arch::sm_90a, bfloat16>>();
    check_latent<latent_attention_tile_for<arch::gfx90a, half>>();
    check_latent<latent_attention_tile_for<arch::gfx950, half>>();
    check_latent<latent_attention_tile_for<arch::sm_89, half>>();
    check_latent<latent_attention_tile_for<arch::gfx1100, bfloat16>>();
    check_latent<latent_attention_tile_for<arch::gfx1201, half>>();
    check_latent<latent_attention_tile_for<arch::sm_100a, bfloat16>>();
    check_latent<latent_attention_tile_for<arch::sm_120a, half>>();
}

TEST_CASE("sm_80: latent attention", "[attention]")
{
    check_latent<latent_attention_tile_for<arch::sm_80, bfloat16>>();
}

namespace {

template <class T, attention_mask Mask, attention_heads Heads = attention_heads::packed>
using in_rows = latent_by_wgmma<
    T, attention_variant<Mask, attention_bias::none, attention_weights::all, attention_cache::contiguous, Heads>, T>;

} // namespace

TEST_CASE("latent attention by wgmma, f16 over pages", "[attention]")
{
    using kernel = latent_by_wgmma<half, latent_pages>;
    for (const index_t page : {64, 16, 48, 128})
        check_latent_pages<kernel>(page);
    check_rising_references<kernel>();
}

TEST_CASE("latent attention by wgmma, all numbers of tiles and shares", "[attention]")
{
    using kernel = in_rows<half, attention_mask::none>;
    for (const index_t keys : {0, 1, 64, 65, 128, 190, 256, 321, 700})
        for (const index_t splits : {1, 3}) {
            attention_data<kernel> data(2, keys, 12, 2, 2);
            data.args.v = data.args.k;
            check_split_attention(data, splits);
        }
    attention_data<kernel> scores(1, 300, 64, 1, 1); // all references are far from 0, or the scale is not positive
    scores.args.v = scores.args.k;
    for (const float scale : {30.0f, 1e3f, 0.0f, -0.1f}) {
        scores.args.scale = scale;
        check_split_attention(scores, 2);
    }
}

TEST_CASE("latent attention by wgmma, bands of heads apart", "[attention]")
{
    using kernel = in_rows<bfloat16, attention_mask::band, attention_heads::apart>;
    check_attention_lengths<kernel>([](const auto& x) {
        attention_data<kernel> data(x.args.seq_q, x.args.seq_k, x.args.heads, x.args.kv_heads, x.args.batch, 576, 448);
        data.args.band = x.args.band;
        data.args.v = data.args.k;
        check_split_attention(data, 2);
    });
    attention_data<kernel> window(130, 500, 1, 1, 1, 512, 512);
    window.args.band = {.left = 70, .right = 3, .prefix = 40};
    window.args.v = window.args.k;
    check_split_attention(window, 1);
}

TEST_CASE("latent attention by wgmma, sequences of unequal lengths", "[attention]")
{
    using kernel = in_rows<bfloat16, attention_mask::band>;
    // Sequences of 3, 0, 40 and 1 queries behind each other, of 130, 64, 0 and 300 keys.
    attention_data<kernel> data(40, 320, 4, 2, 4);
    const std::vector<index_t> query_offsets = {0, 3, 3, 43, 44}, key_offsets = {0, 150, 214, 224, 544};
    const std::vector<index_t> key_lengths = {130, 64, 0, 300};
    const std::vector<float> sinks = {0.5f, -1.0f, 3.0f, 0.0f};
    data.args.lengths = {query_offsets.data(), key_offsets.data(), key_lengths.data(), 44, 544};
    data.args.lse.head_stride = 44;
    data.args.sinks = sinks.data();
    data.args.band.right = 0;
    data.args.v = data.args.k;
    for (std::size_t b = 0; b < 4; ++b)
        spoil_keys(data, 0, key_offsets[b] + key_lengths[b], key_offsets[b + 1]);
    for (const index_t splits : {1, 4})
        check_split_attention(data, splits);
    typename kernel::arguments refused{data.args, 1, {data.lse.data(), 1 << 30}};
    refused.attention.lengths.key_rows = 0;
    CHECK(std::string(kernel::check(refused).message()) ==
          "key_rows is 0; if offsets are given, tensor copies need the rows of all sequences together");

    attention_data<kernel> entries(2, 200, 16, 1, 3);
    const index_t of_entries[] = {200, 33, 128};
    entries.args.lengths.key_lengths = of_entries;
    entries.args.v = entries.args.k;
    for (int b = 0; b < 3; ++b)
        spoil_keys(entries, b, of_entries[b], 200);
    check_split_attention(entries, 2);
}
