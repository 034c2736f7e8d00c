#include "test/kernel/attention/latent_fp8.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_90a: latent attention by wgmma from a cache of 8 bits", "[attention]")
{
    check_scaled_pages<latent_from_fp8<bfloat16, latent_pages>>(64);
}

TEST_CASE("latent attention from a cache of 8 bits, keys up to the end of memory; what it refuses", "[attention]")
{
    using kernel = latent_from_fp8<bfloat16, latent_rows>;
    attention_data<kernel> data(1, 70, 16, 1, 2);
    const scaled_keys<kernel> keys(data);
    check_split_attention(data, 1, keys.replaces());
    std::vector<float> memory(1 << 18);
    const auto message = [&](const auto& change) {
        typename kernel::arguments args{data.args, 1, {memory.data(), 1 << 17}};
        keys.replace(args);
        args.workspace.data += (16 - reinterpret_cast<std::uintptr_t>(memory.data()) % 16) % 16 / 4;
        change(args);
        const status s = kernel::check(args);
        return std::string(s.message());
    };
    CHECK(message([](auto&) {}) == "");
    CHECK(message([&](auto& a) { a.attention.k = data.args.k; }) ==
          "K and V of the attention are given; the keys are in the cache alone: leave both null");
    CHECK(message([](auto& a) { a.attention.head_dim = 568; }) ==
          "head_dim is 568; keys of a scaled_latent_cache have 576 columns");
    CHECK(message([](auto& a) { a.cache.values.data = nullptr; }) == "the cache's values is a null pointer");
    CHECK(message([](auto& a) { a.cache.scales.data = nullptr; }) == "the cache's scales is a null pointer");
    CHECK(message([](auto& a) { a.cache.rope.data = nullptr; }) == "the cache's rope is a null pointer");
    CHECK(message([](auto& a) { a.cache.values.row_stride = 520; }) ==
          "a row of the cache's values does not start at a multiple of 16 bytes; all of them must");
    CHECK(message([](auto& a) { a.cache.rope.data += 4; }) ==
          "a row of the cache's rope does not start at a multiple of 16 bytes; all of them must");
    CHECK(message([](auto& a) { a.cache.scales.row_stride = 1 << 24; }) ==
          "rows of the cache's scales are 16777216 elements apart; 64 of them must lie within 2^31 bytes");
    CHECK(message([](auto& a) { a.attention.q.data = nullptr; }) == "Q is a null pointer");
    CHECK(message([](auto& a) { a.attention.seq_k = 0, a.cache = {}; }) == "");
}
