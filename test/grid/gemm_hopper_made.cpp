/// sm_90a: operands that a warpgroup makes in shared memory for wgmma, with two consumers, in turns, and transposed.

#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

#include "test/kernel/gemm/warp_specialized/made_operands.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

namespace {

template <class T>
using tiles = warp_specialized_tiles<arch::sm_90a, T>;

} // namespace

TEST_CASE("sm_90a: wgmma, unsigned int8 weights with column scales by f16", "[gemm]")
{
    check_made_weights<tiles<half>::ws128x128, quantized<std::uint8_t>>(quarter::first);
    check_made_weights<tiles<half>::ws16x128, quantized<std::uint8_t>>(quarter::second);
}
TEST_CASE("sm_90a: wgmma, int4 weights in groups of 64, bf16", "[gemm]")
{
    check_made_weights<tiles<bfloat16>::ws256x128, quantized<int4x2, 64, bfloat16, std::int8_t>>(quarter::second);
    check_made_weights<tiles<bfloat16>::ws64x64, quantized<int4x2, 64, bfloat16, std::int8_t>>(quarter::third);
}
TEST_CASE("sm_90a: wgmma, rows by index and made elements, bf16", "[gemm]")
{
    check_made_prologue<tiles<bfloat16>::ws128x256, row_contiguous>(quarter::third);
    check_made_prologue<tiles<bfloat16>::ws128x128, k_contiguous>(quarter::all);
    check_made_prologue<tiles<bfloat16>::ws32x128, k_contiguous>(quarter::first);
}
TEST_CASE("sm_90a: wgmma, gated products", "[gemm]")
{
    check_gated_by_clusters<tiles<bfloat16>::ws128x256, row_contiguous>(quarter::first);
    check_gated_by_clusters<tiles<half>::ws128x128, k_contiguous>(quarter::second);
}
TEST_CASE("sm_90a: wgmma refuses weights whose neighbours along k lie apart", "[gemm]")
{
    using kernels = persistent_quantized_kernels<tiles<half>::ws128x128, quantized<std::int8_t>, float, epilogue::none>;
    alignas(16) half a[16 * 16] = {};
    alignas(16) std::int8_t b[16 * 16] = {};
    alignas(16) float c[16 * 16] = {};
    kernels::arguments args{};
    args.m = args.n = args.k = 16;
    args.batch = 1;
    args.a = {a, 16, 1, 0}, args.b = {b, 1, 16, 0}, args.c = {c, 16, 1, 0};
    emulated_device device;
    CHECK(launch(device, kernels{}, args).ok());
    args.b = {b, 16, 1, 0};
    const status refused = launch(device, kernels{}, args);
    CHECK(refused.code() == status_code::unsupported);
    CHECK(std::string(refused.message()).find("along k in vectors of 16 bytes") != std::string::npos);
}
