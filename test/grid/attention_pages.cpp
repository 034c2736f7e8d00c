// Pages of any number of keys on the targets that test/kernel/attention/pages.cpp leaves out, and in the other forms: shares
// of keys, the latent form, 8 bits.

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/nvidia/targets.hpp>

#include "test/kernel/attention/fp8.hpp"
#include "test/kernel/attention/pages.hpp"
#include "test/kernel/attention/split/split.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

template <class Target>
void check_shares()
{
    using kernel = split_attention<Target, half, 64,
                                   attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                                     attention_cache::paged_by_key, attention_heads::packed>>;
    for (const index_t page : {1, 7, 16, 48})
        check_page_length<kernel>(page, [](auto& data) { check_split_attention(data, 3); });
}

template <class Target, class T>
void check_8_bits()
{
    check_page_length<test_attention<Target, T, 64, 64, band_by_key>>(7, [](auto& data) { check_attention(data); });
}

template <class Target, class T>
void check_latent_pages_of_any_length()
{
    using kernel =
        attention_split_kernel<latent_attention_tile_for<Target, T>, T,
                               attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                                 attention_cache::paged_by_key, attention_heads::packed>>;
    for (const index_t page : {1, 48})
        check_page_length<kernel>(page, [](auto& data) {
            data.args.v = data.args.k;
            check_split_attention(data, 3);
        });
}

} // namespace

TEST_CASE("latent attention in pages of any number of keys")
{
    check_latent_pages_of_any_length<arch::gfx942, half>();
    check_latent_pages_of_any_length<arch::sm_80, bfloat16>();
}
TEST_CASE("pages of any number of keys, 8 bits")
{
    check_8_bits<arch::gfx942, float8_e4m3_fnuz>();
    check_8_bits<arch::gfx950, float8_e4m3>(); // other tiles come by direct loads
    check_8_bits<arch::sm_89, float8_e4m3>();  // values by pairs of columns
    check_8_bits<arch::sm_120a, float8_e5m2>();
}
TEST_CASE("gfx90a: pages of any number of keys") { check_pages_of_any_length<arch::gfx90a, bfloat16>(); }
TEST_CASE("gfx950: pages of any number of keys") { check_pages_of_any_length<arch::gfx950, bfloat16>(); }
TEST_CASE("gfx1100: pages of any number of keys") { check_pages_of_any_length<arch::gfx1100>(); }
TEST_CASE("gfx1250: pages of any number of keys") { check_pages_of_any_length<arch::gfx1250>(); }
TEST_CASE("sm_89: pages of any number of keys") { check_pages_of_any_length<arch::sm_89>(); }
TEST_CASE("sm_90a: pages of any number of keys") { check_pages_of_any_length<arch::sm_90a, bfloat16>(); }
TEST_CASE("sm_100a: pages of any number of keys") { check_pages_of_any_length<arch::sm_100a>(); }
TEST_CASE("sm_120a: pages of any number of keys") { check_pages_of_any_length<arch::sm_120a>(); }
TEST_CASE("shares of keys in pages of any number of them")
{
    check_shares<arch::gfx942>();
    check_shares<arch::gfx950>();
    check_shares<arch::sm_90a>();
}

TEST_CASE("gfx1201: pages of any number of keys", "[attention]") { check_pages_of_any_length<arch::gfx1201>(); }

TEST_CASE("sm_80: pages of any number of keys", "[attention]") { check_pages_of_any_length<arch::sm_80>(); }
