#include "test/grid/attention_fp8_combinations.hpp"
#include "test/kernel/attention/tensor_copies.hpp"
#include "test/kernel/attention/warp_specialized/family.hpp"

using namespace tegula;
using namespace tegula::test;
using namespace attention_forms;

namespace {

template <class T, index_t HeadDim, index_t ValueDim, attention_mask Mask, attention_bias Bias,
          attention_weights Weights, bool Capped, class O = half>
void check_form(index_t head_dim = HeadDim, index_t value_dim = ValueDim)
{
    using score = std::conditional_t<Capped, soft_cap<arch::sm_90a>, unchanged_score>;
    using variant = attention_variant<Mask, Bias, Weights>;
    using kernel = warp_specialized::kernel<T, HeadDim, ValueDim, variant, O, score>;
    check_fp8_combination<kernel>(head_dim, value_dim, [](const auto& data) { check_attention(data); });
}

} // namespace

TEST_CASE("sm_90a: warp-specialised attention of fp8, each change alone", "[attention]")
{
    check_form<float8_e4m3, 128, 128, band, no_bias, all, false>(112, 128);
    check_form<float8_e5m2, 64, 64, every_key, no_bias, all, false, float>();
    check_form<float8_e5m2, 192, 128, every_key, no_bias, all, false, bfloat16>(176, 112);
    check_form<float8_e4m3, 64, 128, band, no_bias, all, false, float8_e4m3>();
    check_form<float8_e4m3, 256, 256, band, no_bias, all, false>(240, 256); // columns of V in four slices
    check_form<float8_e5m2, 192, 192, every_key, no_bias, all, false>(192, 176);
    check_form<float8_e4m3, 256, 128, band, no_bias, all, false, float>();
    check_form<float8_e4m3, 128, 128, every_key, tensor, all, false>();
    check_form<float8_e5m2, 128, 64, every_key, alibi, all, false>(128, 48);
    check_form<float8_e4m3, 64, 64, every_key, no_bias, dropped, false>();
    check_form<float8_e5m2, 128, 128, boolean, no_bias, all, false>();
}

TEST_CASE("sm_90a: warp-specialised attention of fp8, changes together", "[attention]")
{
    check_form<float8_e4m3, 64, 64, band, alibi, dropped, false>(48, 64);
    check_form<float8_e5m2, 64, 64, boolean, tensor, all, true>();
    check_form<float8_e4m3, 192, 128, band, tensor, all, true>();
    check_form<float8_e5m2, 128, 128, boolean, tensor, dropped, true>(96, 80);
}

TEST_CASE("sm_90a: warp-specialised attention of fp8 and unequal lengths", "[attention]")
{
    check_unequal_lengths<warp_specialized, attention_mask::band, float8_e4m3>();
    check_unequal_lengths<warp_specialized, attention_mask::none, float8_e5m2>();
}

TEST_CASE("sm_90a: warp-specialised attention of fp8, 128 columns with scales by blocks of 128 keys", "[attention]")
{
    using tile = warp_specialized_attention_tile_for<arch::sm_90a, float8_e4m3, 128, 128, attention_variant<>,
                                                     unchanged_score, 64>;
    static_assert(tile::keys == 64);
    check_scales<warp_specialized_attention<tile, float, attention_variant<attention_mask::band>>>();
}
