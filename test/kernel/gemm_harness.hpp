#pragma once

/// Runs GEMM cases on the emulator with every check on.

#include <tegula/host/emulated_gemm.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include "test/catch.hpp"
#include "test/kernel/gemm_data.hpp"

namespace tegula::test {

/// One kernel for aligned operands of these orders, and the one for all others.
template <class Tile, operand_order A, operand_order B, class C, class Epilogue>
struct two_kernels
{
    using all = gemm_kernels<Tile, C, Epilogue>;
    using arguments = typename all::arguments;

    template <class Launch>
    static auto dispatch(const arguments& args, bool aligned_epilogue, Launch&& launch)
    {
        const bool suits =
            find_order(args.a, args.a.row_stride, args.a.column_stride, args.m, args.k, args.batch) == A &&
            find_order(args.b, args.b.column_stride, args.b.row_stride, args.n, args.k, args.batch) == B &&
            aligned_epilogue && has_aligned_rows(args.c, args.c.row_stride, args.m, args.batch);
        return suits ? launch(typename all::template aligned<A, B>{}) : launch(typename all::element_wise{});
    }
};

/// How often each kernel ran: by the orders of A and B.
struct kernel_uses
{
    int count[3][3] = {};

    template <class Kernel>
    void add()
    {
        ++count[static_cast<int>(Kernel::order_a)][static_cast<int>(Kernel::order_b)];
    }
    int of(operand_order a, operand_order b) const { return count[static_cast<int>(a)][static_cast<int>(b)]; }
    int different() const
    {
        int n = 0;
        for (const auto& row : count)
            for (const int uses : row)
                n += uses > 0;
        return n;
    }
};

template <class Kernels, class T, class C>
void check_case(const gemm_case& what, kernel_uses& uses)
{
    INFO(what.text());
    gemm_data<T, C> data(what);
    const auto args = data.arguments();
    const emulator::launch_result run = Kernels::dispatch(args, data.aligned_epilogue(), [&](auto kernel) {
        uses.add<decltype(kernel)>();
        return emulate_gemm(kernel, args);
    });
    INFO(run.report << run.status.message());
    REQUIRE(run.status.ok());
    CHECK(run.counters.shared_load_conflicts == 0);
    CHECK(run.counters.shared_store_conflicts == 0);
    const error_report error = data.verify();
    INFO("error " << error.max_abs_error << ", " << error.worst_ratio << " of the bound, at " << error.worst_index);
    CHECK(error.passed);
    CHECK(data.c.surroundings_untouched());
}

template <class Kernels, class T, class C>
kernel_uses check_cases(const std::vector<gemm_case>& cases)
{
    kernel_uses uses;
    for (const gemm_case& what : cases)
        check_case<Kernels, T, C>(what, uses);
    return uses;
}

/// All five kernels of one tile over the pairwise set of all sizes.
template <class Tile, class C>
void check_all_kernels(const std::vector<gemm_case>& cases)
{
    using T = typename Tile::a_type;
    using kernels = gemm_kernels<Tile, C, typename test_epilogue<C>::type>;
    CHECK(check_cases<kernels, T, C>(cases).different() == 5);
}

/// Two kernels of one tile over the pairwise set of few sizes.
template <class Tile, class C, operand_order A, operand_order B>
void check_two_kernels()
{
    using T = typename Tile::a_type;
    using kernels = two_kernels<Tile, A, B, C, typename test_epilogue<C>::type>;
    CHECK(check_cases<kernels, T, C>(pairwise_gemm_cases(few_gemm_sizes())).different() == 2);
}

} // namespace tegula::test
