#pragma once

/// Runs lists of products in one launch on the emulator, with every check on.

#include <tegula/host/emulated_gemm.hpp>
#include <tegula/kernel/gemm/grouped.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include "test/catch.hpp"
#include "test/kernel/gemm_data.hpp"

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
        const typename grouped::arguments args{products.data(), first_block.data(), count(), first_block.back()};
        emulator::launch_config config;
        config.chip = &chip_of<typename Kernel::target>;
        config.kernel_name = "grouped";
        config.grid = {static_cast<int>(grouped::blocks(args)), 1, 1};
        config.block_threads = grouped::block_threads;
        config.shared_bytes = grouped::shared_bytes;
        config.cpu_threads = cpu_threads;
        for (const auto& p : products) {
            config.memory.read(p.a.data, tegula::detail::bytes_of(p.a, p.m, p.k, p.batch), "A")
                .read(p.b.data, tegula::detail::bytes_of(p.b, p.k, p.n, p.batch), "B")
                .write(p.c.data, tegula::detail::bytes_of(p.c, p.m, p.n, p.batch), "C");
            tegula::detail::add_memory(config.memory, p.epilogue, p);
        }
        return emulator::launch(config, [&] { grouped{}(args); });
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
            const error_report error = one.verify();
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

/// The cases that lie in memory as the kernel needs them.
template <class Kernel>
std::vector<gemm_case> suitable(const std::vector<gemm_case>& cases)
{
    std::vector<gemm_case> chosen;
    for (const gemm_case& what : cases) {
        grouped_run<Kernel> one({what});
        if (one.number() && (!Kernel::vector_c || one.data[0].aligned_epilogue()))
            chosen.push_back(what);
    }
    return chosen;
}

} // namespace tegula::test
