// Convolutions of other element types, and with k in parts.

#include <tegula/host/launch.hpp>

#include "test/kernel/convolution/convolution.hpp"

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;

TEST_CASE("convolution: f32 by multiply-adds and tf32", "[convolution]")
{
    int uses[2] = {};
    check_convolution<forward, 2, gemm_tiles<arch::gfx1100, float>::t64x64>({1, 12, 20, 2, 7, 3, 2, 1, 1, true}, uses);
    check_convolution<backward_weight, 2, gemm_tiles<arch::sm_80, tfloat32>::t64x64>({2, 4, 8, 1, 6, 3, 1, 1, 1, false},
                                                                                     uses);
    CHECK(uses[0] == 2);
}

namespace {

/// With the workspace that the kernels ask for; none is needed if there are tiles enough.
template <class Tile>
void check_filters_in_parts(const convolution_case& what, bool shared)
{
    using kernels = convolution_kernels<backward_weight, 2, Tile, float, epilogue::none>;
    using T = typename Tile::a_type;
    const auto s = what.shape<2>();
    stored_images<T, 2> x(s.image, s.images, s.channels, false, false);
    stored_images<T, 2> dy(s.output, s.images, s.filters, false, true);
    stored_filters<float> dw({s.taps()}, s.filters, s.group_channels(), false, true);
    const auto exact = reference_convolution(backward_weight, s, x.fill(1), dy.fill(2));
    typename kernels::arguments args{s, x.source(), dy.source(), {dw.where.data, dw.where.image_stride}, {}};
    const long_index_t bytes = kernels::workspace_bytes(args);
    REQUIRE((bytes > 0) == shared);
    std::vector<raw_vector<16>> workspace(static_cast<std::size_t>(bytes / 16 + 1));
    args.workspace = {workspace.data(), bytes};
    emulated_device device;
    const status ran = launch(device, kernels{}, args);
    INFO(device.result.report << ran.message());
    REQUIRE(ran.ok());
    CHECK(dw.matches(exact, s.output_pixels() + 64)); // parts of at most 64 splits are added
    if (shared) {
        --args.workspace.bytes;
        CHECK(std::string(launch(device, kernels{}, args).message()) ==
              "the workspace has " + std::to_string(bytes - 1) + " bytes; " + std::to_string(bytes) + " are needed");
    }
}

} // namespace

TEST_CASE("convolution: the gradient of filters in parts of k", "[convolution]")
{
    check_filters_in_parts<gemm_tiles<arch::gfx942, half>::t64x64>({3, 8, 16, 2, 29, 3, 1, 1, 1, false}, true);
    check_filters_in_parts<gemm_tiles<arch::sm_90a, bfloat16>::t64x64>({2, 5, 6, 1, 40, 3, 1, 1, 1, false}, true);
    check_filters_in_parts<gemm_tiles<arch::sm_90a, bfloat16>::t64x64>({1, 8, 16, 1, 5, 1, 1, 1, 1, false}, false);
}
