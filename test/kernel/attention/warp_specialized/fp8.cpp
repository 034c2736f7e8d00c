#include "test/kernel/attention/fp8.hpp"
#include "test/kernel/attention/warp_specialized/family.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("sm_90a: warp-specialised attention of fp8", "[attention]")
{
    using kernel = warp_specialized::kernel<float8_e4m3, 128, 128, attention_variant<attention_mask::band>, float>;
    static_assert(kernel::is_persistent && kernel::tile::makes_values);
    using of_8_bits =
        warp_specialized_attention<warp_specialized_attention_tile_for<arch::sm_90a, float8_e4m3, 128>, half>;
    static_assert(of_8_bits::tile::keys == 96);
    check_scales<kernel>();
    // Each column of V is another number: none changes its place.
    attention_data<kernel> data(70, 290, 1, 1, 1);
    const index_t row = static_cast<index_t>(data.args.v.row_stride);
    for (std::size_t i = 0; i < data.v.size(); ++i)
        data.v[i] = float8_e4m3::from_bits(static_cast<std::uint8_t>(i % static_cast<std::size_t>(row) % 126));
    check_attention(data);
}

TEST_CASE("sm_90a: warp-specialised attention of fp8, columns of V in slices", "[attention]")
{
    using kernel = warp_specialized::kernel<float8_e4m3, 256, 256, attention_variant<attention_mask::band>, half>;
    static_assert(!kernel::is_persistent && kernel::tile::keys == 64 && kernel::tile::consumer::chain::sum_slices == 4);
    attention_data<kernel> data(70, 150, 1, 1, 1, 256, 240);
    data.args.band.right = 0;
    check_attention(data);
}
