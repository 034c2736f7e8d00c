#pragma once

/// Runs split-K and stream-K on the emulator, both kernels of each, with every check on.

#include <tegula/host/emulated_device.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>
#include <tegula/kernel/gemm/forms/stream_k.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include "test/catch.hpp"
#include "test/kernel/gemm/data.hpp"

namespace tegula::test {

/// Blocks a tile, one; as many as there are steps of k and more.
inline std::vector<index_t> split_counts() { return {2, 3, 1, 5, 1000}; }
/// Fewer than there are tiles, about as many, more than there are steps of all tiles.
inline std::vector<index_t> worker_counts() { return {7, 1, 4, 13, 60, 304, 5000}; }

/// Ragged tiles, five steps of 64, two products.
inline gemm_case repeated_case()
{
    gemm_case what;
    what.m = 130;
    what.n = 127;
    what.k = 301;
    what.batch = 2;
    what.alpha = 0.375f;
    what.bias = true;
    what.activation = activation::silu;
    return what;
}

/// One kernel whose k is shared, as the tests call it: Shared is split_k_gemm or stream_k_gemm.
template <class Shared>
struct split_k_run
{
    using plain = typename Shared::plain;
    using arguments = typename Shared::arguments;
    using a_type = typename plain::a_type;
    using c_type = typename plain::c_type;

    gemm_data<a_type, c_type> data;
    arguments args;
    std::vector<std::uint64_t> workspace;

    split_k_run(const gemm_case& what, index_t splits) : data(what), args{data.arguments(), splits, {}}
    {
        const long_index_t bytes = Shared::workspace_bytes(args);
        // Every float in it is NaN: what is added without having been written shows.
        workspace.assign(static_cast<std::size_t>(bytes / 8), ~std::uint64_t{0});
        args.workspace = {workspace.data(), bytes};
    }

    void run(int cpu_threads = 0)
    {
        emulator::run_config config;
        config.cpu_threads = cpu_threads;
        const emulator::launch_result run = emulate(Shared{}, args, config);
        INFO(run.report << run.status.message());
        REQUIRE(run.status.ok());
        CHECK(run.counters.shared_load_conflicts == 0);
        CHECK(run.counters.shared_store_conflicts == 0);
    }

    void check()
    {
        const error_report error = data.verify(least_input_of<plain>);
        INFO("error " << error.max_abs_error << ", " << error.worst_ratio << " of the bound, at " << error.worst_index);
        CHECK(error.passed);
        CHECK(data.c.surroundings_untouched());
    }
};

/// For whole tiles, the sums of the parts are written and read once. C is written once, in 16 bytes a lane whatever its
/// type. Form: split_k_gemm or stream_k_gemm.
template <template <class> class Form, class Tile, class C>
void check_sum_sectors()
{
    using enum operand_order;
    using kernel = gemm_kernel<Tile, k_contiguous, k_contiguous, C, epilogue::none, output_access::vectors>;
    using shared = Form<kernel>;
    gemm_case what{Tile::block_m, 2 * Tile::block_n, 4 * Tile::block_k};
    what.a = memory_order::row_major;
    what.b = memory_order::column_major;
    INFO(what.text());
    gemm_data<typename Tile::a_type, C> data(what);
    const auto all = data.arguments();
    constexpr index_t splits = std::is_same_v<shared, stream_k_gemm<kernel>> ? 4 : 2; // two of each tile
    typename shared::arguments args{{all.m, all.n, all.k, 1, all.a, all.b, all.c}, splits, {}};
    std::vector<raw_vector<16>> workspace(static_cast<std::size_t>(shared::workspace_bytes(args) / 16));
    args.workspace = {workspace.data(), shared::workspace_bytes(args)};
    const emulator::launch_result run = emulate(shared{}, args, {});
    INFO(run.report << run.status.message());
    REQUIRE(run.status.ok());
    const auto parts = 2 * what.m * what.n * static_cast<long_index_t>(sizeof(typename Tile::accumulator_type));
    const auto read = (2 * what.m + what.n) * what.k * static_cast<long_index_t>(sizeof(typename Tile::a_type));
    const auto written = what.m * what.n * static_cast<long_index_t>(sizeof(C));
    CHECK(run.counters.global_load_sectors == (read + parts) / 32);
    CHECK(run.counters.global_store_sectors == (written + parts) / 32);
    CHECK(run.counters.global_stores == (written + parts) / 16 / Tile::target::wave_size);
    CHECK(data.verify(least_input_of<kernel>).passed);
}

/// Runs the product; with `again` once more, with other CPU threads and other contents of the workspace, and the
/// results are equal bit by bit.
template <class Shared>
void check_split_k(const gemm_case& what, index_t splits, bool again = false)
{
    INFO(what.text() << ", k shared by " << splits);
    split_k_run<Shared> one(what, splits);
    one.run(again ? 1 : 0);
    one.check();
    if (again) {
        split_k_run<Shared> two(what, splits);
        std::fill(two.workspace.begin(), two.workspace.end(), 0x4040404040404040u);
        two.run(2);
        CHECK(std::memcmp(one.data.c.values.data(), two.data.c.values.data(),
                          one.data.c.values.size() * sizeof(typename Shared::plain::c_type)) == 0);
    }
}

/// The kernel for aligned operands where it suits, else the one for all; every eighth case twice.
/// Form: split_k_gemm or stream_k_gemm.
template <template <class> class Form, class Tile, operand_order A, operand_order B, class C>
void check_split_k_cases(const std::vector<gemm_case>& cases, const std::vector<index_t>& splits)
{
    using all = gemm_kernels<Tile, C, typename test_epilogue<C>::type>;
    int aligned = 0;
    std::size_t turn = 0;
    for (const gemm_case& what : cases) {
        gemm_data<typename Tile::a_type, C> data(what);
        const auto args = data.arguments();
        const index_t count = splits[turn++ % splits.size()];
        const bool suits = suits_aligned<A, B>(args, args.k);
        aligned += suits;
        if (suits)
            check_split_k<Form<typename all::template aligned<A, B>>>(what, count, turn % 8 == 0);
        else
            check_split_k<Form<typename all::element_wise>>(what, count, turn % 8 == 0);
    }
    CHECK(aligned > 10);
}

/// Ragged products by a tile with a schedule of its own; every one twice.
template <template <class> class Form, class Tile, operand_order A, operand_order B, class C>
void check_split_k_tile(const std::vector<index_t>& splits)
{
    using kernels = gemm_kernels<Tile, C, typename test_epilogue<C>::type>;
    for (const gemm_case& what : ragged_tile_cases<Tile>(A, B))
        for (index_t count : splits)
            check_split_k<Form<typename kernels::template aligned<A, B>>>(what, count, true);
}

template <class Tile, operand_order A, operand_order B, class C>
void check_split_k(quarter part)
{
    check_split_k_cases<split_k_gemm, Tile, A, B, C>(two_kernel_cases(A, B, part), split_counts());
}
template <class Tile, operand_order A, operand_order B, class C>
void check_stream_k(quarter part)
{
    check_split_k_cases<stream_k_gemm, Tile, A, B, C>(two_kernel_cases(A, B, part), worker_counts());
}

} // namespace tegula::test
