#include "test/kernel/attention/tensor_copies.hpp"
#include "test/kernel/attention/warp_specialized/family.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

/// Counts the places that it is asked about outside the sequences.
struct counts_places_outside
{
    index_t queries, keys;
    int* outside;

    template <class Real>
    TEGULA_INLINE Real operator()(Real score, const attention_place&) const
    {
        return score;
    }
    TEGULA_INLINE bool visible(const attention_place& at) const
    {
        *outside += at.query >= queries || at.key >= keys;
        return true;
    }
};

} // namespace

TEST_CASE("sm_90a: warp-specialised attention of f16, all keys", "[attention]") { check_all_keys<warp_specialized>(); }

TEST_CASE("sm_90a: warp-specialised attention of unequal lengths", "[attention]")
{
    check_unequal_lengths<warp_specialized, attention_mask::band>();
    constexpr auto any = attention_sequences::of_any_length;
    using variable = warp_specialized_attention<warp_specialized_attention_tile_for<arch::sm_90a, bfloat16, 128>,
                                                bfloat16, attention_variant<>, unchanged_score, any>;
    attention_data<variable> data(3, 5, 2, 1, 2);
    const index_t offsets[] = {0, 5, 10};
    data.args.lengths.key_offsets = offsets;
    const status s = variable::check({data.args});
    CHECK(std::string(s.message()) ==
          "key_rows is 0; if offsets are given, tensor copies need the rows of all sequences "
          "together");
    data.args.lengths.key_rows = 9;
    CHECK(std::string(emulate(variable{}, {data.args}).status.message()) ==
          "key_offsets[2] is 10, past the 9 rows of the tensor");
}

TEST_CASE("sm_90a: warp-specialised attention of wide heads", "[attention]") { check_wide_heads<warp_specialized>(); }

TEST_CASE("sm_90a: warp-specialised attention with changed scores", "[attention]")
{
    check_changed_scores<warp_specialized>();
}

TEST_CASE("sm_90a: warp-specialised attention with a boolean mask has fewer keys of 128 columns", "[attention]")
{
    using masked = attention_variant<attention_mask::boolean>;
    using specialized =
        warp_specialized_attention<warp_specialized_attention_tile_for<arch::sm_90a, bfloat16, 128, 128, masked>,
                                   bfloat16, masked>;
    CHECK(specialized::tile::keys == 64);
    attention_data<specialized> data(70, 150, 1, 1, 1);
    std::vector<unsigned char> mask(70 * 150);
    random_source random(6);
    for (auto& m : mask)
        m = random.integer(0, 3) != 0;
    data.args.boolean = {mask.data(), 0, 0, 150, 1};
    check_attention(data);
}

TEST_CASE("sm_90a: warp-specialised attention by tiles that a user names", "[attention]")
{
    using band = attention_variant<attention_mask::band>;
    const auto check = [](auto kernel, index_t queries, index_t keys) {
        attention_data<decltype(kernel)> data(queries, keys, 3, 1, 1);
        data.args.band.right = 0;
        for (const int multiprocessors : {1, 2})
            check_attention(data, [&] { return emulate(kernel, {data.args}, {}, multiprocessors); });
    };
    // The output goes through the queries' memory. The first tiles of queries see no key, and zeros go through it, too.
    using three_stages = warp_specialized_attention_tile<arch::sm_90a, half, 128, 128, 128, 2, 3>;
    static_assert(!three_stages::output_apart);
    check(warp_specialized_attention<three_stages, half, band>{}, 512, 128);
    check(warp_specialized_attention<three_stages, half, band>{}, 300, 400);
    // One consumer takes no turns.
    using one_consumer = warp_specialized_attention_tile<arch::sm_90a, half, 64, 128, 128, 1, 2>;
    check(warp_specialized_attention<one_consumer, half, band>{}, 200, 230);
}

TEST_CASE("a functor that may read memory is asked about places of its sequence alone", "[attention]")
{
    using kernel = warp_specialized::kernel<bfloat16, 64, 64, attention_variant<>, bfloat16, counts_places_outside>;
    attention_data<kernel> data(70, 150, 1, 1, 1);
    int outside = 0;
    data.args.score = {70, 150, &outside};
    check_attention(data);
    CHECK(outside == 0);
}
