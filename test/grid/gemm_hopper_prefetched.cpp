// C0 and bias of warp-specialised kernels: the producer copies C0 by tensor copies, in every mode, as wide as C or not,
// and consumers load the bias once a tile. What tensor copies cannot address is refused by describe_maps (refusals.cpp).

#include "test/kernel/gemm/warp_specialized/prefetched.hpp"

template <class T>
using tiles = warp_specialized_tiles<arch::sm_90a, T>;

TEST_CASE("sm_90a: warp-specialised, C0 by tensor copies, consumers in turns", "[gemm][hopper]")
{
    check_source<tiles<bfloat16>::ws128x128_2x1, bfloat16, bfloat16>(300, 400, 72);
    check_source<tiles<bfloat16>::ws128x128, float, float>(300, 260, 520);
    check_source<tiles<half>::ws64x256_2x1, half, float>(200, 600, 136);
}

TEST_CASE("sm_90a: warp-specialised, C0 by tensor copies, few rows", "[gemm][hopper]")
{
    check_source<tiles<bfloat16>::ws16x128, bfloat16, float>(19, 400, 264);
    check_source<tiles<half>::ws64x64, half, half>(70, 200, 72);
    check_source<tiles<float8_e4m3>::ws32x64, bfloat16, float8_e4m3>(40, 136, 528);
}

// The copy's own part reads another matrix at its own place.
TEST_CASE("sm_90a: warp-specialised, C0 prefetched for one part, read by another", "[gemm][hopper]")
{
    using tile = tiles<bfloat16>::ws128x128;
    const gemm_case e = two_products(200, 136, 100);
    epilogue_data<bfloat16, float, half> data(e);
    stored_matrix<bfloat16> first(e.m, e.n, e.batch, memory_order::row_major, e.rows), second = first;
    first.fill(3);
    second.fill(4);
    using source = epilogue::add_source<bfloat16>;
    const auto parts =
        epilogue::make_chain(epilogue::make_store_copy(data.d.argument(), e.m, e.batch, source{second.source(), 2.0f}),
                             epilogue::make_chain(source{first.source(), 0.75f}));
    using kernel = kernel<tile, float, std::remove_cvref_t<decltype(parts)>>;
    static_assert(kernel::source::fit);
    run<kernel>(data.arguments(parts));
    const auto added = [](auto& matrix, double beta) {
        return [&matrix, beta](followed_value v, auto... at) {
            v.add(beta * static_cast<double>(matrix.values[matrix.where.at(at...)]));
            return v;
        };
    };
    data.check_output(data.c, e.k, added(first, 0.75));
    data.check_output(data.d, e.k, added(second, 2));
}
