// Pages by tensor copies: of parts of a tile, of whole tiles, and of several; lengths that end within a page and with one.

#include <tegula/core/float8.hpp>

#include "test/kernel/attention/tcgen05/family.hpp"
#include "test/kernel/attention/tensor_copies.hpp"
#include "test/kernel/attention/warp_specialized/family.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

template <class Family, class T, index_t D, attention_mask Mask = attention_mask::band>
void check_every_page_length()
{
    for (const index_t page : {16, 64, 128, 256}) {
        check_copied_pages<Family, T, D, Mask>(page, {0, 256, 1, 333, 510}, 230);
        check_copied_pages<Family, T, D, Mask>(page, {129, 384}, 3);
    }
}

} // namespace

TEST_CASE("sm_90a: attention of pages by wgmma, three consumers", "[attention]")
{
    check_every_page_length<warp_specialized, half, 64, attention_mask::none>();
    check_every_page_length<warp_specialized, bfloat16, 64>();
}

TEST_CASE("sm_90a: attention of pages by wgmma, two consumers", "[attention]")
{
    check_every_page_length<warp_specialized, bfloat16, 128>();
    check_every_page_length<warp_specialized, half, 256>();
}

TEST_CASE("sm_90a: attention of pages by wgmma, 8 bits", "[attention]")
{
    check_every_page_length<warp_specialized, float8_e4m3, 64>();
    check_every_page_length<warp_specialized, float8_e4m3, 128, attention_mask::none>();
}

TEST_CASE("sm_100a: attention of pages by tcgen05", "[attention][tcgen05]")
{
    check_every_page_length<by_tcgen05, bfloat16, 64>();
    check_every_page_length<by_tcgen05, half, 128, attention_mask::none>();
}

TEST_CASE("attention of pages by tensor copies says which pages it takes", "[attention]")
{
    using in_pages =
        attention_variant<attention_mask::band, attention_bias::none, attention_weights::all, attention_cache::paged>;
    using of_pages = warp_specialized_attention<warp_specialized_attention_tile_for<arch::sm_90a, half, 64>, half,
                                                in_pages, unchanged_score, attention_sequences::of_any_length>;
    attention_data<of_pages> data(3, 48, 2, 1, 1);
    const index_t table[] = {0, 1, 0, 1, 0, 1};
    data.args.k.batch_stride = data.args.v.batch_stride = 24 * data.args.k.row_stride;
    data.args.pages = {table, 2, 24, 2};
    CHECK(std::string(of_pages::check({data.args}).message()) ==
          "pages have 24 keys; tensor copies take a multiple of 16, and an attention_kernel of "
          "attention_cache::paged_by_key any");
    data.args.pages = {table, 3, 16, 2};
    data.args.k.batch_stride = data.args.v.batch_stride = 16 * data.args.k.row_stride;
    CHECK(of_pages::check({data.args}).ok());
    data.args.k.batch_stride = 0;
    CHECK(std::string(of_pages::check({data.args}).message()) ==
          "K has a stride of 0; tensor copies need strides above 0, take an attention_kernel");
    data.args.k.batch_stride = data.args.v.batch_stride;
    data.args.lengths.key_lengths = table; // a sequence without keys, and a cache without pages
    data.args.pages = {table, 3, 16, 0};
    INFO(of_pages::check({data.args}).message());
    CHECK(std::string(of_pages::check({data.args}).message()).find("the cache has no page") != std::string::npos);
}
