#pragma once

/// Runs GEMM cases on the emulator with every check on.

#include <tegula/host/emulated_device.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include "test/catch.hpp"
#include "test/kernel/gemm/data.hpp"

namespace tegula::test {

/// One kernel for aligned operands of these orders, and the one for all others.
template <class Tile, operand_order A, operand_order B, class C, class Epilogue>
struct two_kernels
{
    using all = gemm_kernels<Tile, C, Epilogue>;
    using arguments = typename all::arguments;

    template <class Launch>
    static auto dispatch(const arguments& args, Launch&& launch)
    {
        return suits_aligned<A, B>(args, args.k) ? launch(typename all::template aligned<A, B>{})
                                                 : launch(typename all::element_wise{});
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
};

inline void check_launched(const emulator::launch_result& run)
{
    INFO(run.report << run.status.message());
    REQUIRE(run.status.ok());
    CHECK(run.counters.shared_load_conflicts == 0);
    CHECK(run.counters.shared_store_conflicts == 0);
}

inline void check_error(const error_report& error, bool surroundings_untouched)
{
    INFO("error " << error.max_abs_error << ", " << error.worst_ratio << " of the bound, at " << error.worst_index);
    CHECK(error.passed);
    CHECK(surroundings_untouched);
}

template <class Kernels, class T, class C>
void check_case(const gemm_case& what, kernel_uses& uses)
{
    INFO(what.text());
    gemm_data<T, C> data(what);
    const auto args = data.arguments();
    double least_input = 0;
    const emulator::launch_result run = Kernels::dispatch(args, [&](auto kernel) {
        uses.add<decltype(kernel)>();
        least_input = least_input_of<decltype(kernel)>;
        return emulate(kernel, args);
    });
    check_launched(run);
    check_error(data.verify(least_input), data.c.surroundings_untouched());
}

template <class Kernels, class T, class C>
kernel_uses check_cases(const std::vector<gemm_case>& cases)
{
    kernel_uses uses;
    for (const gemm_case& what : cases)
        check_case<Kernels, T, C>(what, uses);
    return uses;
}

/// For whole tiles, no access takes more sectors than its bytes. A is read for each tile of columns, B for each tile of
/// rows.
template <class Kernels, class Tile, class C>
void check_sectors(operand_order a, operand_order b)
{
    using T = typename Tile::a_type;
    gemm_case what{Tile::block_m, 2 * Tile::block_n, 2 * Tile::block_k};
    what.a = a == operand_order::k_contiguous ? memory_order::row_major : memory_order::column_major;
    what.b = b == operand_order::k_contiguous ? memory_order::column_major : memory_order::row_major;
    INFO(what.text());
    gemm_data<T, C> data(what);
    const auto args = data.arguments();
    const emulator::launch_result run = Kernels::dispatch(args, [&](auto kernel) { return emulate(kernel, args); });
    check_launched(run);
    CHECK(run.counters.global_load_sectors ==
          (2 * what.m + what.n) * what.k * static_cast<long_index_t>(sizeof(T)) / 32);
    CHECK(run.counters.global_store_sectors == what.m * what.n * static_cast<long_index_t>(sizeof(C)) / 32);
}

/// All five kernels of one tile.
template <class Tile, class C>
void check_all_kernels()
{
    using enum operand_order;
    using T = typename Tile::a_type;
    using kernels = gemm_kernels<Tile, C, typename test_epilogue<C>::type>;
    const auto all = two_kernel_cases(k_contiguous, row_contiguous, quarter::all);
    CHECK(check_cases<kernels, T, C>(all).of(any, any) > 10);
    for (const operand_order a : {k_contiguous, row_contiguous})
        for (const operand_order b : {k_contiguous, row_contiguous}) {
            const auto aligned = aligned_gemm_cases(few_gemm_sizes(), a, b);
            CHECK(check_cases<kernels, T, C>(aligned).of(a, b) > 10);
            check_sectors<kernels, Tile, C>(a, b);
        }
}

template <class Tile, class C>
void check_all_sizes()
{
    using kernels = gemm_kernels<Tile, C, typename test_epilogue<C>::type>;
    check_cases<kernels, typename Tile::a_type, C>(all_gemm_cases(all_gemm_sizes(), 5));
}

/// Two kernels of one tile over a part of the pairwise set.
template <class Tile, class C, operand_order A, operand_order B>
void check_two_kernels(quarter part)
{
    using T = typename Tile::a_type;
    using kernels = two_kernels<Tile, A, B, C, typename test_epilogue<C>::type>;
    const kernel_uses uses = check_cases<kernels, T, C>(two_kernel_cases(A, B, part));
    CHECK(uses.of(A, B) > 10);
    CHECK(uses.of(operand_order::any, operand_order::any) > 10);
    check_sectors<kernels, Tile, C>(A, B);
}

} // namespace tegula::test
