#include <tegula/kernel/attention/tiles.hpp>

#include "test/kernel/attention/forms.hpp"
#include "test/kernel/attention/fp8.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx950;

namespace {

template <attention_cache Cache>
using variant = attention_variant<attention_mask::band, attention_bias::none, attention_weights::all, Cache,
                                  attention_heads::apart>;
template <class Tile, class Variant>
constexpr bool is_direct = attention_kernel<Tile, typename Tile::element, Variant>::block::tile_pairs::direct;

using tile = attention_tile_for<target, half, 128>;
static_assert(is_direct<tile, variant<attention_cache::contiguous>>);
static_assert(is_direct<tile, variant<attention_cache::paged>>);
static_assert(!is_direct<tile, variant<attention_cache::paged_by_key>>);
static_assert(attention_tile_for<target, bfloat16, 256>::direct && attention_tile_for<target, half, 64, 256>::direct);
static_assert(attention_tile_for<target, float8_e4m3, 64>::direct &&
              attention_tile_for<target, float8_e5m2, 256>::direct);
using few_queries = decoding_tile_for<target, half, 64>;
static_assert(few_queries::direct && decoding_tile_for<target, float8_e4m3, 128>::direct &&
              few_queries::key_values == key_value_place::apart);
static_assert(!attention_tile_for<target, half, 32>::direct && !latent_attention_tile_for<target, half>::direct);
static_assert(!two_stage_attention_tile_for<arch::gfx942, half, 128>::direct);

} // namespace

TEST_CASE("gfx950: attention by direct loads, every length and band", "[attention]")
{
    using kernel = test_attention<target, half, 64, 64, attention_variant<attention_mask::band>>;
    check_attention_lengths<kernel>();
    check_special_values<kernel>();
    check_attention_of_far_rows<kernel>();
}

TEST_CASE("gfx950: attention by direct loads into one stage, every length and band", "[attention]")
{
    check_attention_lengths<attention_kernel<few_queries, half, variant<attention_cache::contiguous>>>();
}

TEST_CASE("gfx950: attention of 8 bits by direct loads", "[attention]")
{
    using banded = attention_variant<attention_mask::band>;
    check_scales<attention_kernel<attention_tile_for<target, float8_e4m3, 64>, half, banded>>();
}
