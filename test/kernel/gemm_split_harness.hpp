#pragma once

/// Runs split-K and stream-K on the emulator, both kernels of each, with every check on.

#include <tegula/host/emulated_gemm.hpp>
#include <tegula/kernel/gemm/split_k.hpp>
#include <tegula/kernel/gemm/stream_k.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include "test/catch.hpp"
#include "test/kernel/gemm_data.hpp"

namespace tegula::test {

inline std::vector<gemm_case> split_sizes() { return pairwise_gemm_cases(all_gemm_sizes()); }
inline std::vector<gemm_case> few_split_sizes()
{
    return pairwise_gemm_cases({{1, 65, 130}, {7, 64, 133}, {1, 131, 300}});
}

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
struct shared_k_run
{
    using plain = typename Shared::plain;
    using arguments = typename Shared::arguments;
    using a_type = typename plain::a_type;
    using c_type = typename plain::c_type;

    gemm_data<a_type, c_type> data;
    arguments args;
    std::vector<std::uint64_t> workspace;

    shared_k_run(const gemm_case& what, index_t sharers) : data(what), args{data.arguments(), sharers, {}}
    {
        const long_index_t bytes = Shared::workspace_bytes(args);
        // Every float in it is NaN: what is added without having been written shows.
        workspace.assign(static_cast<std::size_t>(bytes / 8), ~std::uint64_t{0});
        args.workspace = {workspace.data(), bytes};
    }

    /// One of the two kernels. The first may write the workspace and not read what the second reads alone.
    template <class Kernel>
    emulator::launch_result launch(Kernel kernel, int cpu_threads)
    {
        constexpr bool first = std::is_same_v<Kernel, Shared>;
        const auto& p = args.product;
        emulator::launch_config config;
        config.chip = &chip_of<typename plain::target>;
        config.kernel_name = first ? "first kernel" : "sum_parts";
        config.grid = {static_cast<int>(Kernel::blocks(args)), 1, 1};
        config.block_threads = Kernel::block_threads;
        config.shared_bytes = Kernel::shared_bytes;
        config.cpu_threads = cpu_threads;
        config.memory.write(p.c.data, tegula::detail::bytes_of(p.c, p.m, p.n, p.batch), "C")
            .add(workspace.data(), workspace.size() * 8, "workspace", first);
        if (first)
            config.memory.read(p.a.data, tegula::detail::bytes_of(p.a, p.m, p.k, p.batch), "A")
                .read(p.b.data, tegula::detail::bytes_of(p.b, p.k, p.n, p.batch), "B");
        tegula::detail::add_memory(config.memory, p.epilogue, p);
        return emulator::launch(config, [&] { kernel(args); });
    }

    void require_fine(const emulator::launch_result& run)
    {
        INFO(run.report << run.status.message());
        REQUIRE(run.status.ok());
        CHECK(run.counters.shared_load_conflicts == 0);
        CHECK(run.counters.shared_store_conflicts == 0);
    }

    void run(int cpu_threads = 0)
    {
        const status checked = Shared::check(args);
        INFO(checked.message());
        REQUIRE(checked.ok());
        require_fine(launch(Shared{}, cpu_threads));
        require_fine(launch(sum_parts<Shared>{}, cpu_threads));
    }

    void check()
    {
        const error_report error = data.verify();
        INFO("error " << error.max_abs_error << ", " << error.worst_ratio << " of the bound, at " << error.worst_index);
        CHECK(error.passed);
        CHECK(data.c.surroundings_untouched());
    }
};

template <class Shared>
void check_shared_k(const gemm_case& what, index_t sharers)
{
    INFO(what.text() << ", k shared by " << sharers);
    shared_k_run<Shared> run(what, sharers);
    run.run();
    run.check();
}

/// The kernel for aligned operands where it suits, else the one for all. Form: split_k_gemm or stream_k_gemm.
template <template <class> class Form, class Tile, operand_order A, operand_order B, class C>
void check_shared_k_cases(const std::vector<gemm_case>& cases, const std::vector<index_t>& sharers)
{
    using all = gemm_kernels<Tile, C, typename test_epilogue<C>::type>;
    int aligned = 0;
    std::size_t turn = 0;
    for (const gemm_case& what : cases) {
        gemm_data<typename Tile::a_type, C> data(what);
        const auto args = data.arguments();
        const index_t count = sharers[turn++ % sharers.size()];
        if (find_order(args.a, args.a.row_stride, args.a.column_stride, args.m, args.k, args.batch) == A &&
            find_order(args.b, args.b.column_stride, args.b.row_stride, args.n, args.k, args.batch) == B &&
            data.aligned_epilogue() && has_aligned_rows(args.c, args.c.row_stride, args.m, args.batch)) {
            ++aligned;
            check_shared_k<Form<typename all::template aligned<A, B>>>(what, count);
        } else {
            check_shared_k<Form<typename all::element_wise>>(what, count);
        }
    }
    CHECK(aligned > 0);
}

/// Twice the same with other CPU threads: the results are equal, bit by bit.
template <class Shared>
void check_repeats(gemm_case what, index_t sharers)
{
    what.beta = 0;
    shared_k_run<Shared> one(what, sharers), two(what, sharers);
    one.run(1);
    two.run(2);
    one.check();
    CHECK(std::memcmp(one.data.c.values.data(), two.data.c.values.data(),
                      one.data.c.values.size() * sizeof(typename Shared::plain::c_type)) == 0);
}

} // namespace tegula::test
