#include "test/kernel/attention/tensor_copies.hpp"
#include "test/kernel/attention/warp_specialized/family.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_90a: warp-specialised attention, every length and band", "[attention]")
{
    check_every_length_and_band<warp_specialized>();
}

TEST_CASE("sm_90a: blocks of warp-specialised attention that go through several tiles", "[attention]")
{
    using banded = warp_specialized::kernel<bfloat16, 64, 64, attention_variant<attention_mask::band>>;
    static_assert(banded::is_persistent && banded::tile::consumers == 3);
    // Five tiles of each of four heads are pairs and one alone: 12 pieces for 1, 2 and 5 multiprocessors; with 5 a block
    // takes one tile. Where the band shows no key, no queries are copied.
    for (const bool narrow : {false, true}) {
        attention_data<banded> data(900, narrow ? 130 : 400, 2, 1, 2);
        data.args.band = narrow ? attention_band{.left = 1000, .right = 0} : attention_band{.left = 40, .right = 2};
        for (const int multiprocessors : {1, 2, 5})
            check_attention(data, [&] { return emulate(banded{}, {data.args}, {}, multiprocessors); });
    }
}

TEST_CASE("sm_90a: warp-specialised attention of pages that are parts of its tiles", "[attention]")
{
    static_assert(warp_specialized_attention_tile_for<arch::sm_90a, bfloat16, 64>::keys == 112);
    for (const index_t page : {16, 64})
        check_copied_pages<warp_specialized>(page, {0, 113, 250}, 70, 1);
}

TEST_CASE("sm_90a: warp-specialised attention refuses what tensor copies cannot address", "[attention]")
{
    using kernel = warp_specialized::kernel<half, 128, 128, attention_variant<>>;
    attention_data<kernel> data(3, 5, 2, 1, 2);
    const auto refused = [&](const std::string& why) {
        const status s = kernel::check({data.args});
        INFO(s.message());
        CHECK(!s.ok());
        CHECK(std::string(s.message()).find(why) != std::string::npos);
    };
    CHECK(kernel::check({data.args}).ok());
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
    CHECK(kernel::check({data.args}).ok());
}
