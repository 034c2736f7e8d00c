// Convolutions of other element types, and with k in parts.

#include <tegula/host/launch.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>

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

TEST_CASE("convolution: the gradient of filters in parts of k", "[convolution]")
{
    using kernels =
        convolution_kernels<backward_weight, 2, gemm_tiles<arch::gfx942, half>::t64x64, float, epilogue::none>;
    const auto s = convolution_case{3, 8, 16, 2, 9, 3, 1, 1, 1, false}.shape<2>();
    stored_images<half, 2> x(s.image, s.images, s.channels, false, false);
    stored_images<half, 2> dy(s.output, s.images, s.filters, false, true);
    stored_filters<float> dw({s.taps()}, s.filters, s.group_channels(), false, true);
    const auto exact = reference_convolution(backward_weight, s, x.fill(1), dy.fill(2));
    const kernels::arguments args{s, x.source(), dy.source(), {dw.where.data, dw.where.image_stride}, {}};
    using aligned = kernels::products::aligned<operand_order::row_contiguous, operand_order::row_contiguous>;
    using split = split_k_gemm<aligned>;
    split::arguments parts{kernels::form::make(args), 3, {}};
    std::vector<raw_vector<16>> workspace(static_cast<std::size_t>(split::workspace_bytes(parts) / 16));
    parts.workspace = {workspace.data(), split::workspace_bytes(parts)};
    emulated_device device;
    const status ran = launch(device, split{}, parts);
    INFO(device.result.report << ran.message());
    REQUIRE(ran.ok());
    CHECK(dw.matches(exact, s.output_pixels() + 3));
}
