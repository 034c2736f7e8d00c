#pragma once

/// GEMM with inputs of other forms on the emulator, against the sums in double.

#include <tegula/host/emulated_forms.hpp>
#include <tegula/kernel/gemm/pair_atom.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include "test/catch.hpp"
#include "test/kernel/gemm_data.hpp"

namespace tegula::test {

struct form_case
{
    long_index_t m, n, k, batch;
    memory_order a, b;
    padding rows;
};

inline std::vector<form_case> form_cases()
{
    using enum memory_order;
    using enum padding;
    return {{1, 1, 1, 1, row_major, row_major, none},
            {64, 64, 128, 1, row_major, column_major, none},
            {65, 133, 300, 2, column_major, column_major, vectors},
            {130, 70, 129, 1, row_major, row_major, vectors},
            {33, 64, 255, 2, row_major, strided, odd},
            {7, 200, 512, 1, row_major, column_major, vectors},
            {100, 96, 64, 1, column_major, row_major, vectors},
            {63, 65, 391, 1, row_major, column_major, vectors},
            {64, 16, 0, 1, row_major, row_major, none}};
}

/// One kernel for aligned operands of these orders, and the one for all others.
template <class Kernels, operand_order A, operand_order B>
struct two_of
{
    using arguments = typename Kernels::arguments;

    template <class Launch>
    static auto dispatch(const arguments& args, bool aligned_epilogue, Launch&& launch)
    {
        return Kernels::dispatch(args, aligned_epilogue, [&](auto kernel) {
            using k = decltype(kernel);
            if constexpr (k::order_a == A && k::order_b == B)
                return launch(kernel);
            else
                return launch(typename Kernels::element_wise{});
        });
    }
};

/// Runs the case's kernel; notes whether it was the element-wise one.
template <class Kernels>
void run_form(const typename Kernels::arguments& args, int (&uses)[2])
{
    const auto run = Kernels::dispatch(args, true, [&](auto kernel) {
        ++uses[decltype(kernel)::order_a == operand_order::any];
        return emulate_gemm(kernel, args);
    });
    INFO(run.report << run.status.message());
    REQUIRE(run.status.ok());
    CHECK(run.counters.shared_load_conflicts == 0);
    CHECK(run.counters.shared_store_conflicts == 0);
}

/// Whether c is within `roundings` float operations on terms of that magnitude, each relative by `input` too.
inline bool is_close(double c, double value, double magnitude, double roundings, double input = 0)
{
    const double n = roundings * float_truncation_unit + input;
    return std::fabs(c - value) <= n / (1 - n) * magnitude + 0x1p-120;
}

} // namespace tegula::test
