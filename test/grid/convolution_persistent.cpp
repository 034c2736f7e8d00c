/// Forward convolutions by wgmma and tcgen05: a warpgroup reads pixels, tensor copies read filters.

#include <tegula/kernel/convolution/persistent.hpp>

#include "test/kernel/convolution/convolution.hpp"

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;

namespace {

template <convolution_direction Direction, int Dims, class Tile>
status run(const convolution_case& what)
{
    using T = typename Tile::a_type;
    using kernels = convolution_kernels<Direction, Dims, Tile, float, epilogue::none>;
    const auto s = what.shape<Dims>();
    constexpr bool forwards = Direction == forward;
    const auto &from = forwards ? s.image : s.output, &to = forwards ? s.output : s.image;
    stored_images<T, Dims> images(from, s.images, forwards ? s.channels : s.filters, what.gaps, false);
    stored_filters<T> w({s.taps()}, s.filters, s.group_channels(), false, true);
    stored_images<float, Dims> result(to, s.images, forwards ? s.filters : s.channels, what.gaps, true);
    const auto exact = reference_convolution(Direction, s, images.fill(1), w.fill(2));
    const typename kernels::arguments args{s, images.source(), {w.where.data, w.where.image_stride}, result.where, {}};
    emulated_device device{{}, {}, 4};
    const status ran = launch(device, kernels{}, args);
    INFO(what.text() << device.result.report << ran.message());
    if (ran.ok()) {
        CHECK(device.result.counters.shared_store_conflicts == 0);
        CHECK(result.matches(exact, s.taps() * (forwards ? s.group_channels() : s.group_filters())));
    } else {
        CHECK(ran.code() == status_code::unsupported);
    }
    return ran;
}

/// With the workspace that the kernels ask for, and without.
template <int Dims, class Tile>
void check_filters(const convolution_case& what, bool shared)
{
    using T = typename Tile::a_type;
    using kernels = convolution_kernels<backward_weight, Dims, Tile, float, epilogue::none>;
    const auto s = what.shape<Dims>();
    stored_images<T, Dims> x(s.image, s.images, s.channels, what.gaps, false);
    stored_images<T, Dims> dy(s.output, s.images, s.filters, false, true);
    stored_filters<float> dw({s.taps()}, s.filters, s.group_channels(), false, true);
    const auto exact = reference_convolution(backward_weight, s, x.fill(1), dy.fill(2));
    typename kernels::arguments args{s, x.source(), dy.source(), {dw.where.data, dw.where.image_stride}, {}};
    const long_index_t bytes = kernels::workspace_bytes(args);
    INFO(what.text());
    CHECK((bytes > 0) == shared);
    std::vector<raw_vector<16>> workspace(static_cast<std::size_t>(bytes / 16 + 1));
    for (const bool given : {false, true}) {
        if (given)
            args.workspace = {workspace.data(), bytes};
        emulated_device device;
        const status ran = launch(device, kernels{}, args);
        INFO(device.result.report << ran.message());
        REQUIRE(ran.ok());
        CHECK(dw.matches(exact, s.output_pixels() + 64)); // parts of at most 64 splits are added
        CHECK(device.result.counters.shared_store_conflicts == 0);
    }
}

template <int Dims, class Tile>
void check_all()
{
    int right = 0;
    for (const convolution_case& what : convolution_cases(quarter::all))
        right += run<forward, Dims, Tile>(what).ok();
    CHECK(right > 3); // the others have channels that are no whole vectors
    CHECK(run<forward, Dims, Tile>({2, 64, 64, 1, 6, 3, 1, 1, 1, false}).ok());
    CHECK(run<forward, Dims, Tile>({1, 16, 80, 1, 8, 2, 3, 1, 1, false}).ok());
    CHECK(run<forward, Dims, Tile>({1, 32, 64, 2, 7, 3, 2, 1, 1, false}).ok());
    CHECK(run<backward_data, Dims, Tile>({2, 64, 64, 1, 6, 3, 1, 1, 1, false}).ok());
    CHECK(run<backward_data, Dims, Tile>({1, 24, 128, 1, 9, 3, 1, 0, 2, true}).ok());
    CHECK(run<backward_data, Dims, Tile>({3, 136, 64, 1, 5, 1, 1, 0, 1, false}).ok());
    CHECK(run<backward_data, Dims, Tile>({1, 16, 64, 1, 7, 4, 1, 2, 1, true, 1}).ok());
    CHECK(std::string(run<backward_data, Dims, Tile>({1, 16, 64, 1, 8, 2, 2, 1, 1, false}).message())
              .find("strides of 1") != std::string::npos);
    CHECK(std::string(run<backward_data, Dims, Tile>({1, 16, 40, 1, 8, 2, 1, 1, 1, false}).message()) ==
          "there are 40 filters; a step of 64 of these lies at one tap, take the convolution_kernels of a gemm_tile");
}

} // namespace

TEST_CASE("sm_90a: convolutions by wgmma", "[convolution]")
{
    check_all<2, warp_specialized_tiles<arch::sm_90a, bfloat16>::ws128x256>();
    check_all<3, warp_specialized_tiles<arch::sm_90a, half>::ws128x128>();
    check_all<2, warp_specialized_tiles<arch::sm_90a, half>::ws256x64>();
}
TEST_CASE("sm_90a: gradients of filters by wgmma", "[convolution]")
{
    using bf16 = warp_specialized_tiles<arch::sm_90a, bfloat16>;
    check_filters<2, bf16::ws128x128>({3, 8, 16, 2, 29, 3, 1, 1, 1, false}, true);
    check_filters<2, bf16::ws256x128>({1, 24, 72, 1, 40, 3, 1, 1, 1, true}, true);
    check_filters<3, bf16::ws64x128>({1, 16, 64, 1, 23, 2, 2, 1, 2, false}, true);
    check_filters<2, bf16::ws64x128>({1, 8, 16, 1, 5, 1, 1, 1, 1, false}, false);
}
TEST_CASE("sm_100a: convolutions by tcgen05", "[convolution][tcgen05]")
{
    check_all<2, tcgen05_tiles<arch::sm_100a, bfloat16>::tc128x128>();
    check_filters<2, tcgen05_tiles<arch::sm_100a, bfloat16>::tc128x128>({1, 24, 72, 1, 40, 3, 1, 1, 1, true}, true);
}
