#pragma once

/// Runs lists of products in one launch on the emulator, with every check on.

#include <tegula/host/emulated_device.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include "test/catch.hpp"
#include "test/kernel/gemm/data.hpp"

#include <algorithm>
#include <deque>

namespace tegula::test {

template <class Kernel>
struct grouped_run
{
    using grouped = grouped_gemm<Kernel>;
    using data_type = gemm_data<typename Kernel::a_type, typename Kernel::c_type>;

    std::deque<data_type> data;
    std::vector<typename Kernel::arguments> products;
    std::vector<index_t> first_block;

    explicit grouped_run(const std::vector<gemm_case>& cases)
    {
        for (const gemm_case& what : cases) {
            data.emplace_back(what);
            products.push_back(data.back().arguments());
        }
        first_block.assign(products.size() + 1, -1);
    }

    index_t count() const { return static_cast<index_t>(products.size()); }
    status number() { return grouped::number_blocks(products.data(), count(), first_block.data()); }

    emulator::launch_result run(int cpu_threads = 0)
    {
        emulator::launch_result result;
        result.status = number();
        if (!result.status)
            return result;
        emulator::run_config config;
        config.cpu_threads = cpu_threads;
        return emulate(grouped{}, {products.data(), first_block.data(), count(), first_block.back()}, config);
    }

    void check(int cpu_threads = 0)
    {
        const emulator::launch_result result = run(cpu_threads);
        INFO(result.report << result.status.message());
        REQUIRE(result.status.ok());
        CHECK(result.counters.shared_load_conflicts == 0);
        CHECK(result.counters.shared_store_conflicts == 0);
        for (data_type& one : data) {
            INFO(one.what.text());
            const error_report error = one.verify(least_input_of<Kernel>);
            INFO("error " << error.max_abs_error << ", " << error.worst_ratio << " of the bound, at "
                          << error.worst_index);
            CHECK(error.passed);
            CHECK(one.c.surroundings_untouched());
        }
    }
};

/// Cases with products of nothing before, between and behind them, and one of k = 0.
inline std::vector<gemm_case> with_empty_ones(const std::vector<gemm_case>& cases)
{
    const auto sized = [](long_index_t m, long_index_t n, long_index_t k, long_index_t batch) {
        gemm_case what;
        what.m = m;
        what.n = n;
        what.k = k;
        what.batch = batch;
        what.bias = true;
        what.beta = 0.5f;
        return what;
    };
    std::vector<gemm_case> all = {sized(0, 8, 8, 1), sized(8, 0, 8, 1)};
    for (const gemm_case& what : cases) {
        all.push_back(what);
        if (all.size() % 3 == 0)
            all.push_back(sized(8, 8, 8, 0));
    }
    all.push_back(sized(67, 72, 0, 2));
    all.push_back(sized(0, 0, 0, 1));
    return all;
}

/// Checks the cases in lists of a dozen, with products of nothing among them.
template <class Kernel>
void check_lists(const std::vector<gemm_case>& cases)
{
    for (std::size_t first = 0; first < cases.size(); first += 12) {
        const auto at = cases.begin() + static_cast<std::ptrdiff_t>(first);
        const auto size = static_cast<std::ptrdiff_t>(std::min<std::size_t>(12, cases.size() - first));
        grouped_run<Kernel>(with_empty_ones({at, at + size})).check();
    }
}

/// Every combination of sizes.
template <class Tile, operand_order A, operand_order B, class C>
void check_grouped_grid()
{
    using kernels = gemm_kernels<Tile, C, typename test_epilogue<C>::type>;
    std::vector<gemm_case> cases[2];
    int turn = 0;
    for (const gemm_case& what : grid_cases(A, B))
        cases[turn++ % 2].push_back(what);
    check_lists<typename kernels::element_wise>(cases[0]);
    check_lists<typename kernels::template aligned<A, B>>(cases[1]);
}

/// Ragged products by a tile with a schedule of its own.
template <class Tile, operand_order A, operand_order B, class C>
void check_grouped_tile()
{
    using kernels = gemm_kernels<Tile, C, typename test_epilogue<C>::type>;
    check_lists<typename kernels::template aligned<A, B>>(ragged_tile_cases<Tile>(A, B));
}

/// Lists for the element-wise kernel, and lists of operands in these orders; grouped_kernels finds the kernel of each.
template <class Tile, operand_order A, operand_order B, class C>
void check_grouped(quarter part)
{
    using kernels = gemm_kernels<Tile, C, typename test_epilogue<C>::type>;
    check_lists<typename kernels::element_wise>(pairwise_gemm_cases(all_gemm_sizes(), part));
    check_lists<typename kernels::template aligned<A, B>>(aligned_gemm_cases(all_gemm_sizes(), A, B, part));
}

} // namespace tegula::test
