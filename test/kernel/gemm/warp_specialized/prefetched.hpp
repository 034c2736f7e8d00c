#pragma once

/// Checks of C0 by tensor copies and of the bias, for prefetched.cpp here and in ../tcgen05 and for their grids.

#include "test/kernel/gemm/epilogue/epilogue.hpp"
#include "test/kernel/gemm/warp_specialized/warp_specialized.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

constexpr operand_order k = operand_order::k_contiguous;

template <class Tile, class C, class Epilogue, work_partition Partition = work_partition::tiles>
using kernel = typename Tile::template gemm<Tile, k, k, C, Epilogue, output_store::tensor_copies, Partition>;

/// Consumers that read C0 and bias of a block's tile.
template <class Tile>
constexpr int readers_of()
{
    if constexpr (requires { Tile::consumers_of_stage; })
        return Tile::consumers_of_stage;
    else
        return 1;
}

inline gemm_case two_products(long_index_t m, long_index_t n, long_index_t depth)
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
    const auto args = data.arguments(epilogue_type{});
    const auto tiles = static_cast<std::int64_t>(kernel::cluster_tiles_m(args)) * kernel::cluster_tiles_n(args) *
                       kernel::cluster_blocks * data.e.batch;
    CHECK(without.global_loads == 0);
    CHECK(with.global_loads > 0);
    CHECK(with.global_loads <= tiles * readers_of<Tile>() * 4 * ceil_div(Tile::block_n, 128));
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
