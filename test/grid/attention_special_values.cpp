/// Values that arithmetic must not trip over, on the targets and in the kernels whose own tests leave them out: NaN,
/// infinities, scales of 0, single keys, and a bias that hides keys.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention/backward/backward.hpp"
#include "test/kernel/attention/forms.hpp"
#include "test/kernel/attention/split/split.hpp"
#include "test/kernel/attention/tcgen05/family.hpp"
#include "test/kernel/attention/warp_specialized/family.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using within_a_band = attention_variant<attention_mask::band>;
using biased = attention_variant<attention_mask::none, attention_bias::tensor>;

constexpr auto run = [](const auto& data) { check_attention(data); };

template <class Target>
void check_bias()
{
    check_hiding_bias<test_attention<Target, bfloat16, 64, 64, biased>>(run);
}
/// Scales of 0 and below in the backward pass.
template <class Target>
void check_scales()
{
    for (const float scale : {0.0f, -0.3f}) {
        attention_gradient_case c{1, 2, 1, 65, 70};
        c.scale = scale;
        check_attention_gradients<attention_backward_for<Target, half, 64, 64, within_a_band>>(c);
    }
}
template <class Target>
void check_values()
{
    check_special_values<test_attention<Target, half, 64, 64, within_a_band>>();
    check_bias<Target>();
    check_scales<Target>();
}
template <class Target, class T>
void check_8_bits()
{
    using kernel = attention_kernel<attention_tile_for<Target, T, 64>, float, within_a_band>;
    check_special_values<kernel>();
    check_hiding_bias<attention_kernel<attention_tile_for<Target, T, 64, 64, biased>, half, biased>>(run);
}

/// By tensor copies, which know one length of all sequences.
template <class Family>
void check_copies()
{
    check_special_values<typename Family::template kernel<half, 64, 64, within_a_band>>(run);
    check_hiding_bias<typename Family::template kernel<bfloat16, 64, 64, biased>>(run);
}

template <class Target>
void check_shares()
{
    using enum attention_cache;
    using enum attention_heads;
    const auto run_shares = [](const auto& data) { check_split_attention(data, 3); };
    using banded_shares = split_attention<
        Target, half, 64,
        attention_variant<attention_mask::band, attention_bias::none, attention_weights::all, contiguous, packed>>;
    check_special_values<banded_shares>(run_shares);
    check_no_keys<banded_shares>(run_shares);
    check_hiding_bias<split_attention<
        Target, bfloat16, 64,
        attention_variant<attention_mask::none, attention_bias::tensor, attention_weights::all, contiguous, packed>>>(
        run_shares);
}

} // namespace

TEST_CASE("gfx942: a bias that hides keys", "[attention]")
{
    check_bias<arch::gfx942>();
    check_scales<arch::gfx942>();
}
TEST_CASE("gfx90a: special values in attention", "[attention]") { check_values<arch::gfx90a>(); }
TEST_CASE("gfx1100: special values in attention", "[attention]") { check_values<arch::gfx1100>(); }
TEST_CASE("gfx1201: special values in attention", "[attention]") { check_values<arch::gfx1201>(); }
TEST_CASE("sm_80: a bias that hides keys", "[attention]")
{
    check_bias<arch::sm_80>();
    check_scales<arch::sm_80>();
}
TEST_CASE("sm_89: special values in attention", "[attention]") { check_values<arch::sm_89>(); }
TEST_CASE("sm_90a: special values in attention", "[attention]") { check_values<arch::sm_90a>(); }

TEST_CASE("sm_90a: special values in warp-specialised attention", "[attention]") { check_copies<warp_specialized>(); }
TEST_CASE("sm_100a: special values in attention by tcgen05", "[attention][tcgen05]") { check_copies<by_tcgen05>(); }

TEST_CASE("gfx942: special values in attention of split keys", "[attention]") { check_shares<arch::gfx942>(); }
TEST_CASE("sm_80: special values in attention of split keys", "[attention]") { check_shares<arch::sm_80>(); }

TEST_CASE("gfx942: special values in attention of 8 bits", "[attention]")
{
    check_8_bits<arch::gfx942, float8_e4m3_fnuz>();
}
TEST_CASE("gfx1201: special values in attention of 8 bits", "[attention]")
{
    check_8_bits<arch::gfx1201, float8_e5m2>();
}
TEST_CASE("sm_89: special values in attention of 8 bits", "[attention]") { check_8_bits<arch::sm_89, float8_e4m3>(); }

TEST_CASE("gfx942: special values in attention of the latent form", "[attention]")
{
    check_special_values<test_attention<arch::gfx942, bfloat16, 576, 512>>();
}
TEST_CASE("sm_80: special values in attention of the latent form", "[attention]")
{
    check_special_values<test_attention<arch::sm_80, half, 576, 512>>();
}
