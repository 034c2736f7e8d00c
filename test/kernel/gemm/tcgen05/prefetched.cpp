// C0 and bias of tcgen05 kernels: a lane copies C0 by tensor copies into the slots that C leaves by, and the epilogue loads
// the bias once a tile. What tensor copies cannot address is refused. C0 as wide as C is in tiles.cpp and in the grid.

#include <tegula/kernel/gemm/tcgen05/dispatch.hpp>
#include <tegula/kernel/gemm/tcgen05/scaled_tile.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>

#include "test/kernel/gemm/warp_specialized/prefetched.hpp"

#include <string_view>

template <class T>
using tiles = tcgen05_tiles<arch::sm_100a, T>;

TEST_CASE("sm_100a: tcgen05, C0 by tensor copies, wider than C", "[gemm][tcgen05]")
{
    check_source<tiles<bfloat16>::tc128x128, bfloat16, float>(140, 264, 200);
}

TEST_CASE("sm_100a: which tcgen05 kernels bring C0", "[gemm][tcgen05]")
{
    using namespace epilogue;
    using source = add_source<float>;
    using tile = tiles<bfloat16>::tc128x128;
    STATIC_REQUIRE(kernel<tile, float, linear<>>::source::fit);
    STATIC_REQUIRE(kernel<tile, float, linear<>, work_partition::stream>::source::fit);
    STATIC_REQUIRE(kernel<tile, float, as_float<scale, source>>::source::fit);
    STATIC_REQUIRE(!kernel<tile, float, chain<source, source>>::source::fit);
    STATIC_REQUIRE(!kernel<tile, float, none>::source::fit);
    STATIC_REQUIRE(!kernel<tile, float, linear<>, work_partition::split_k>::source::fit);
    STATIC_REQUIRE(!tcgen05_gemm<tile, k, k, float, linear<>, output_store::direct>::source::fit);
    // C0 takes a stage of the operands, or none where these are few.
    using pair = tiles<bfloat16>::tc256x256_2x1;
    STATIC_REQUIRE(kernel<pair, bfloat16, none>::stages == 6);
    STATIC_REQUIRE(kernel<pair, bfloat16, linear<bfloat16>>::stages == 5);
    STATIC_REQUIRE(kernel<tiles<bfloat16>::tc128x256, bfloat16, none>::stages == 4);
    STATIC_REQUIRE(kernel<tiles<bfloat16>::tc128x256, bfloat16, linear<bfloat16>>::stages == 4);
    using scaled = tcgen05_gemm<tcgen05_scaled_tiles<arch::sm_100a, nvfp4_format>::tc256x256_2x1, k, k, bfloat16,
                                linear<bfloat16>, output_store::tensor_copies>;
    STATIC_REQUIRE(scaled::source::fit);
    STATIC_REQUIRE(scaled::stages == 4);
}

TEST_CASE("sm_100a: tcgen05, a C0 that tensor copies cannot address", "[gemm][tcgen05]")
{
    using kernels = tcgen05_kernels<tiles<bfloat16>::tc128x128, bfloat16, epilogue::linear<bfloat16>>;
    epilogue_data<bfloat16, bfloat16, bfloat16> data(two_products(140, 264, 70));
    const auto why = [&](long_index_t row_stride, float beta) {
        auto source = data.d.source();
        source.row_stride = row_stride;
        return std::string(
            kernels::can_take(data.arguments(epilogue::make_linear<bfloat16, float>(1, beta, source, nullptr)))
                .message());
    };
    CHECK(why(272, 1).empty());
    CHECK(why(0, 0).empty());
    CHECK(why(0, 1).find("C0 has a leading stride of 0") != std::string::npos);
    CHECK(why(268, 1).find("C0") != std::string::npos);
}
