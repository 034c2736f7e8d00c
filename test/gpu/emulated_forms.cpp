/// Further forms of GEMM by the tests of GPUs, with the emulator as the device: right products pass, wrong ones do not.

#include <tegula/host/emulated_device.hpp>

#include "test/catch.hpp"
#include "test/gpu/form_checks.hpp"

using namespace tegula;
using namespace tegula::test;
using operand_order::k_contiguous, operand_order::row_contiguous;

namespace {

template <class Tile>
gemm_case ragged_case()
{
    return ragged_tile_cases<Tile>(k_contiguous, row_contiguous)[0];
}

/// With another scale than the weights were made with.
struct wrong_scale : quantized_weights_form
{
    template <class Kernel, class Inputs>
    static auto fill(typename Kernel::arguments& args, const gemm_case& what, Inputs& on, std::uint64_t seed)
    {
        auto p = quantized_weights_form::fill<Kernel>(args, what, on, seed);
        *const_cast<typename Kernel::arguments::form::scale*>(args.scales.data) *= 1.25f;
        return p;
    }
};

} // namespace

TEST_CASE("quantised weights are compared with what they stand for")
{
    using tile = gemm_tiles<arch::gfx1100, bfloat16>::t32x128;
    using kernel =
        quantized_weights_kernels<tile, quantized<int4x2, 64, float>, bfloat16,
                                  epilogue::chain<epilogue::scale_columns<>>>::aligned<k_contiguous, row_contiguous>;
    emulated_device device;
    const gemm_case what = ragged_case<tile>();
    CHECK(check_form<kernel, quantized_weights_form>(device, what, 1) == "");
    CHECK(check_form<kernel, wrong_scale>(device, what, 1).find("elements are wrong") != std::string::npos);
}

TEST_CASE("weights that stay packed are compared without a rounding of their own")
{
    using tile = weight_tiles<arch::sm_80, bfloat16>::t16x128_packed;
    using kernel =
        quantized_weights_kernels<tile, quantized<int4x2, 128>, bfloat16,
                                  epilogue::chain<epilogue::scale_columns<>>>::aligned<k_contiguous, k_contiguous>;
    emulated_device device;
    const gemm_case what = ragged_tile_cases<tile>(k_contiguous, k_contiguous)[0];
    CHECK(check_form<kernel, quantized_weights_form>(device, what, 1) == "");
    CHECK(check_form<kernel, wrong_scale>(device, what, 1).find("elements are wrong") != std::string::npos);
}

TEST_CASE("inputs scaled in blocks are compared with what they stand for")
{
    using tile = block_scaled_tiles<arch::gfx1201, float8_e4m3>::t32x128;
    using kernel = block_scaled_kernels<tile, float, epilogue::none>::aligned<k_contiguous, row_contiguous>;
    emulated_device device;
    CHECK(check_form<kernel, block_scaled_form>(device, ragged_case<tile>(), 1) == "");
}

TEST_CASE("inputs scaled in blocks are compared with what they stand for, by warp-specialised kernels")
{
    using tile = warp_specialized_scaled_tiles<arch::sm_90a, float8_e4m3>::ws16x128;
    using kernel = warp_specialized_gemm<tile, k_contiguous, k_contiguous, float, epilogue::none, output_store::direct>;
    emulated_device device;
    const gemm_case what = ragged_tile_cases<tile>(k_contiguous, k_contiguous)[0];
    CHECK(check_form<form_by_roles<kernel>, block_scaled_form>(device, what, 1) == "");
}

TEST_CASE("every product of a list is compared")
{
    using tile = gemm_tiles<arch::gfx1100, bfloat16>::t32x128;
    using kernel = gemm_kernels<tile, float, test_epilogue<float>::type>::aligned<k_contiguous, row_contiguous>;
    emulated_device device;
    CHECK(check_list<kernel>(device, cases_of<tile>(k_contiguous, row_contiguous, false), 1) == "");
}
