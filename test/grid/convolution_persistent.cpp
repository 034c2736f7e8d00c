/// Forward convolutions by wgmma and tcgen05: a warpgroup reads pixels, tensor copies read filters.

#include <tegula/kernel/convolution/persistent.hpp>

#include "test/kernel/convolution/convolution.hpp"

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;

namespace {

template <int Dims, class Tile>
status run(const convolution_case& what)
{
    using T = typename Tile::a_type;
    using kernels = convolution_kernels<forward, Dims, Tile, float, epilogue::none>;
    const auto s = what.shape<Dims>();
    stored_images<T, Dims> x(s.image, s.images, s.channels, what.gaps, false);
    stored_filters<T> w({s.taps()}, s.filters, s.group_channels(), false, true);
    stored_images<float, Dims> y(s.output, s.images, s.filters, what.gaps, true);
    const auto exact = reference_convolution(forward, s, x.fill(1), w.fill(2));
    const typename kernels::arguments args{s, x.source(), {w.where.data, w.where.image_stride}, y.where, {}};
    emulated_device device{{}, {}, 4};
    const status ran = launch(device, kernels{}, args);
    INFO(what.text() << device.result.report << ran.message());
    if (ran.ok()) {
        CHECK(device.result.counters.shared_store_conflicts == 0);
        CHECK(y.matches(exact, s.taps() * s.group_channels()));
    } else {
        CHECK(ran.code() == status_code::unsupported);
    }
    return ran;
}

template <int Dims, class Tile>
void check_all()
{
    int right = 0;
    for (const convolution_case& what : convolution_cases(quarter::all))
        right += run<Dims, Tile>(what).ok();
    CHECK(right > 3); // the others have channels that are no whole vectors
    CHECK(run<Dims, Tile>({2, 64, 64, 1, 6, 3, 1, 1, 1, false}).ok());
    CHECK(run<Dims, Tile>({1, 16, 80, 1, 8, 2, 3, 1, 1, false}).ok());
    CHECK(run<Dims, Tile>({1, 32, 64, 2, 7, 3, 2, 1, 1, false}).ok());
}

} // namespace

TEST_CASE("sm_90a: convolutions by wgmma", "[convolution]")
{
    check_all<2, warp_specialized_tiles<arch::sm_90a, bfloat16>::ws128x256>();
    check_all<3, warp_specialized_tiles<arch::sm_90a, half>::ws128x128>();
}
TEST_CASE("sm_100a: convolutions by tcgen05", "[convolution][tcgen05]")
{
    check_all<2, tcgen05_tiles<arch::sm_100a, bfloat16>::tc128x128>();
}
