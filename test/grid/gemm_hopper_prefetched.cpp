// C0 and bias of warp-specialised kernels: the producer copies C0 by tensor copies, in every mode, as wide as C or not,
// and consumers load the bias once a tile. What tensor copies cannot address is refused by describe_maps (refusals.cpp).

#include "test/kernel/gemm/epilogue/epilogue.hpp"
#include "test/kernel/gemm/warp_specialized/warp_specialized.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

constexpr operand_order k = operand_order::k_contiguous;
template <class T>
using tiles = warp_specialized_tiles<arch::sm_90a, T>;

template <class Tile, class C, class Epilogue, work_partition Partition = work_partition::tiles>
using kernel = warp_specialized_gemm<Tile, k, k, C, Epilogue, output_store::tensor_copies, Partition>;

gemm_case two_products(long_index_t m, long_index_t n, long_index_t depth)
{
    gemm_case e{m, n, depth};
    e.batch = 2;
    e.b = memory_order::column_major;
    e.rows = padding::vectors;
    return e;
}

template <class Kernel>
emulator::counters run(const typename Kernel::product_type& args)
{
    // Few multiprocessors: clusters go through several tiles each.
    const emulator::launch_result run = emulate(Kernel{}, arguments_for(Kernel{}, args), {}, 4);
    INFO(run.report << run.status.message());
    REQUIRE(run.status.ok());
    CHECK(run.counters.shared_load_conflicts == 0);
    CHECK(run.counters.shared_store_conflicts == 0);
    return run.counters;
}

/// C = 0.5 A B + 0.75 C0 + bias, with C0 of the type Source: it comes whole, and lanes load the bias once a tile.
template <class Tile, class C, class Source>
void check_source(long_index_t m, long_index_t n, long_index_t depth)
{
    using epilogue_type = epilogue::chain<epilogue::scale, epilogue::add_source<Source>, epilogue::add_bias<float>>;
    using kernel = kernel<Tile, C, epilogue_type>;
    epilogue_data<typename Tile::a_type, C, Source> data(two_products(m, n, depth));
    INFO(data.e.text());
    data.d.fill(3);
    const auto bias = make_scales(n, 4);
    const auto copied = [&](float beta, const float* added) {
        return run<kernel>(data.arguments(epilogue::make_chain(epilogue::scale{0.5f},
                                                               epilogue::add_source<Source>{data.d.source(), beta},
                                                               epilogue::add_bias<float>{added})));
    };
    const auto without = copied(0, nullptr), with = copied(0.75f, bias.data());
    const auto tiles = static_cast<std::int64_t>(ceil_div(m, Tile::block_m * Tile::cluster_m)) *
                       ceil_div(n, Tile::block_n * Tile::cluster_n) * Tile::cluster_blocks * data.e.batch;
    CHECK(without.global_loads == 0);
    CHECK(with.global_loads > 0);
    CHECK(with.global_loads <= tiles * Tile::consumers_of_stage * 4 * ceil_div(Tile::block_n, 128));
    CHECK(with.bulk_load_bytes - without.bulk_load_bytes ==
          tiles * Tile::block_m * Tile::block_n * static_cast<std::int64_t>(sizeof(Source)));
    data.check_output(data.c, depth, [&](followed_value v, long_index_t batch, long_index_t i, long_index_t j) {
        v.multiply(0.5);
        v.add(0.75 * static_cast<double>(data.d.values[data.d.where.at(batch, i, j)]));
        v.add(bias[static_cast<std::size_t>(j)]);
        return v;
    });
}

} // namespace

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
