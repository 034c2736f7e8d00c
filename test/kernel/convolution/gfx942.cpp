#include "test/kernel/convolution/convolution.hpp"

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;
using t64x64 = gemm_tiles<arch::gfx942, half>::t64x64;

TEST_CASE("gfx942: convolution forward, f16, two dimensions", "[convolution]")
{
    check_convolutions<forward, 2, t64x64>(quarter::first);
}
TEST_CASE("gfx942: convolution backward data, f16, two dimensions", "[convolution]")
{
    check_convolutions<backward_data, 2, t64x64>(quarter::second);
}
TEST_CASE("gfx942: convolution backward weight, f16, two dimensions", "[convolution]")
{
    check_convolutions<backward_weight, 2, t64x64>(quarter::third);
}

namespace {

using gradient_case = convolution_arguments<backward_data, 2, half, float, epilogue::none>;

/// A stride of 2 in both dimensions, 3 x 3 taps.
convolution_shape<2> halving_shape(long_index_t length)
{
    convolution_shape<2> s{2, 32, 64, 1, {length, length}, {3, 3}, {}, {2, 2}, {1, 1}, {1, 1}};
    s.output = output_lengths(s);
    return s;
}

} // namespace

TEST_CASE("gfx942: the gradient of a strided convolution multiplies no zeros", "[convolution]")
{
    const auto s = halving_shape(16);
    const std::vector<half> dy(static_cast<std::size_t>(s.output_pixels() * s.filters)),
        w(static_cast<std::size_t>(s.filters * s.taps() * s.channels));
    std::vector<float> dx(static_cast<std::size_t>(s.image_pixels() * s.channels), -1);
    gradient_case args{s,
                       make_images(dy.data(), s.output, s.filters),
                       {w.data(), s.taps() * s.channels},
                       make_images(dx.data(), s.image, s.channels),
                       {}};
    emulated_device device;
    using kernels = convolution_kernels<backward_data, 2, t64x64, float, epilogue::none>;
    REQUIRE(launch(device, kernels{}, args).ok());
    // 512 pixels in four phases of 128 pixels with 4, 2, 2 and 1 taps: 9 taps times 128 pixels in place of 9 times 512.
    const long_index_t tile_work = t64x64::block_m * t64x64::block_n, phase_pixels = 2 * 8 * 8;
    const long_index_t products = ceil_div(phase_pixels, t64x64::block_m) * tile_work * 9 * s.filters;
    using atom = t64x64::atom;
    CHECK(device.result.counters.mma_instructions == products / (atom::m * atom::n * atom::k));
    CHECK(dx == std::vector<float>(dx.size(), 0));
}

TEST_CASE("gfx942: the gradient of a strided convolution with an epilogue that knows rows", "[convolution]")
{
    using chain = epilogue::chain<epilogue::add_residual<float>>;
    using kernels = convolution_kernels<backward_data, 2, t64x64, float, chain>;
    static_assert(!convolution_product<backward_data>::phased<chain>);
    const auto s = halving_shape(7);
    stored_images<half, 2> dy(s.output, s.images, s.filters, false, false);
    stored_filters<half> w({s.taps()}, s.filters, s.channels, false, true);
    stored_images<float, 2> residual(s.image, s.images, s.channels, false, true),
        dx(s.image, s.images, s.channels, false, true);
    auto exact = reference_convolution(backward_data, s, dy.fill(1), w.fill(2));
    const auto others = residual.fill(3);
    for (std::size_t i = 0; i < others.size(); ++i)
        exact.values[i] += others[i], exact.magnitudes[i] += std::abs(others[i]);
    typename kernels::arguments args;
    args.shape = s;
    args.dy = dy.source(), args.w = {w.where.data, w.where.image_stride}, args.dx = dx.where;
    args.epilogue = {make_tuple(epilogue::make_residual(
        matrix_argument<const float>{residual.where.data, s.channels, 1, 0}, s.image_pixels(), 1))};
    emulated_device device;
    REQUIRE(launch(device, kernels{}, args).ok());
    CHECK(dx.matches(exact, s.taps() * s.filters + 1));
}
