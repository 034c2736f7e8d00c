#pragma once

/// Runs GEMM cases as the machine's own code.

#include <tegula/gemm_cpu.hpp>
#include <tegula/mma/choose.hpp>

#include "test/catch.hpp"
#include "test/kernel/device_of_cpu.hpp"
#include "test/kernel/gemm/data.hpp"

#include <array>
#include <cmath>

namespace tegula::test {

template <class T, class C, class Run>
void check_case(const gemm_case& what, const Run& run)
{
    INFO(what.text());
    gemm_data<T, C> data(what);
    cpu_device device;
    device.threads = static_cast<int>(what.m % 3);
    const status s = run(device, data.arguments());
    INFO(s.message());
    REQUIRE(s.ok());
    const error_report error = data.verify();
    INFO("error " << error.max_abs_error << ", " << error.worst_ratio << " of the bound, at " << error.worst_index);
    CHECK(error.passed);
    CHECK(data.c.surroundings_untouched());
}

/// The product as users call it, and each tile of each instruction on its edges.
template <class Target, class T, class C>
void check_type(quarter part)
{
    if (!has_target<Target>())
        return;
    for (const gemm_case& what : two_kernel_cases(operand_order::k_contiguous, operand_order::row_contiguous, part))
        check_case<T, C>(what,
                         [](cpu_device& device, const auto& args) { return launch(device, cpu_gemm<Target>{}, args); });
}

/// Few rows, for which B is read where it lies: whole columns and ragged ones, k of more than a step, both orders of B.
template <class Target, class T, class C>
void check_few_rows()
{
    if (!has_target<Target>())
        return;
    for (const index_t m : {1, 2, 5, 16})
        for (const memory_order order : {memory_order::row_major, memory_order::column_major})
            for (const index_t n : {128, 75}) {
                gemm_case what;
                what.m = m;
                what.n = n;
                what.k = 4160 + (n == 75 ? 3 : 0);
                what.a = memory_order::row_major;
                what.b = order;
                check_case<T, C>(what, [](cpu_device& device, const auto& args) {
                    return launch(device, cpu_gemm<Target>{}, args);
                });
            }
    gemm_case wide; // more than a block of the widest tile, the rest of it ragged
    wide.m = 1;
    wide.n = 4096 + 69;
    wide.k = 66;
    wide.a = wide.b = memory_order::row_major;
    check_case<T, C>(wide,
                     [](cpu_device& device, const auto& args) { return launch(device, cpu_gemm<Target>{}, args); });
}

/// Operands that are multiplied where they lie: every remainder of rows and columns, one step of k and several. Results are
/// copied to C, or an epilogue changes them. Then rows of B are pages apart, for few rows of A and for many.
template <class Target, class T>
void check_in_place()
{
    if (!has_target<Target>())
        return;
    const auto check = [](const gemm_case& what) {
        check_case<T, T>(what,
                         [](cpu_device& device, const auto& args) { return launch(device, cpu_gemm<Target>{}, args); });
    };
    long_index_t number = 0;
    for (const long_index_t n : {1, 7, 8, 16, 17, 31, 33, 48, 75})
        for (const long_index_t m : {1, 3, 8, 13, 22}) {
            gemm_case what;
            what.m = m;
            what.n = n;
            what.k = std::array{1, 5, 64, 255, 600}[static_cast<std::size_t>(++number % 5)];
            what.batch = 1 + number % 3;
            what.a = number % 2 == 0 ? memory_order::row_major : memory_order::column_major;
            what.c = number % 7 == 0 ? memory_order::column_major : memory_order::row_major;
            what.rows = number % 4 == 0 ? padding::vectors : padding::odd;
            check(what);
            what.bias = true;
            what.beta = 0.5f;
            what.alpha = number % 2 == 0 ? 1.0f : -2.0f;
            check(what);
        }
    for (const long_index_t m : {40, 150}) {
        gemm_case pages;
        pages.m = m;
        pages.n = 1024;
        pages.k = 300;
        check(pages);
    }
}

template <class Tile, class T, class C>
void check_edges()
{
    using epilogue = typename test_epilogue<C>::type;
    using I = typename Tile::instruction;
    if (!has(Tile::needed, "the tile"))
        return;
    for (const memory_order order : {memory_order::row_major, memory_order::column_major, memory_order::strided}) {
        gemm_case what;
        what.m = Tile::block_m + I::rows / 2 + 1;
        what.n = Tile::block_n + I::columns + 1;
        what.k = 2 * Tile::block_k + I::per_word * I::columns + 1;
        what.a = what.b = order;
        what.bias = true;
        check_case<T, C>(what, [](cpu_device& device, const auto& args) {
            using kernel =
                gemm_kernel<Tile, operand_order::any, operand_order::any, C, epilogue, output_access::elements>;
            return launch(device, kernel{}, args);
        });
    }
}

} // namespace tegula::test
