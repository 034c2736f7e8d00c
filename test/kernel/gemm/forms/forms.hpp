#pragma once

/// GEMM with inputs of other forms on the emulator, against the sums in double.

#include <tegula/host/emulated_device.hpp>
#include <tegula/kernel/gemm/pair_atom.hpp>
#include <tegula/kernel/gemm/tiles.hpp>

#include "test/catch.hpp"
#include "test/kernel/gemm/data.hpp"

namespace tegula::test {

/// The product of operands in double; a_at(batch, i, k) and b_at(batch, k, j) give their elements.
template <class A, class B>
reference_gemm_result multiply_in_double(const gemm_case& what, const A& a_at, const B& b_at)
{
    const auto elements = [&](long_index_t rows, long_index_t columns, const auto& at) {
        std::vector<double> values;
        values.reserve(static_cast<std::size_t>(what.batch * rows * columns));
        for (long_index_t batch = 0; batch < what.batch; ++batch)
            for (long_index_t i = 0; i < rows; ++i)
                for (long_index_t j = 0; j < columns; ++j)
                    values.push_back(at(batch, i, j));
        return values;
    };
    const std::vector<double> a = elements(what.m, what.k, a_at), b = elements(what.k, what.n, b_at);
    return reference_gemm(reference_gemm_problem<double, double>{
        what.m, what.n, what.k, what.batch, row_major(a.data(), what.m, what.k), row_major(b.data(), what.k, what.n)});
}

/// Whether is_right(element of c, value, magnitude, batch, i, j) holds of every element.
template <class C, class Test>
bool all_elements(const gemm_case& what, const stored_matrix<C>& c, const reference_gemm_result& exact,
                  const Test& is_right)
{
    std::size_t n = 0;
    for (long_index_t batch = 0; batch < what.batch; ++batch)
        for (long_index_t i = 0; i < what.m; ++i)
            for (long_index_t j = 0; j < what.n; ++j, ++n)
                if (!is_right(c.values[c.where.at(batch, i, j)], exact.values[n], exact.magnitudes[n], batch, i, j))
                    return false;
    return true;
}

/// One kernel for aligned operands of these orders, and the one for all others.
template <class Kernels, operand_order A, operand_order B>
struct two_of
{
    using arguments = typename Kernels::arguments;

    template <class Launch>
    static auto dispatch(const arguments& args, Launch&& launch)
    {
        return Kernels::dispatch(args, [&](auto kernel) {
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
    if constexpr (requires { Kernels::run(args); }) { // those of CPUs, which have no orders of operands
        ++uses[0], ++uses[1];
        return Kernels::run(args);
    } else {
        bool shares_banks = false;
        const auto run = Kernels::dispatch(args, [&](auto kernel) {
            if constexpr (requires { decltype(kernel)::tile::rows_share_banks; })
                shares_banks = decltype(kernel)::tile::rows_share_banks;
            ++uses[decltype(kernel)::order_a == operand_order::any];
            return emulate(kernel, args);
        });
        INFO(run.report << run.status.message());
        REQUIRE(run.status.ok());
        CHECK((run.counters.shared_load_conflicts == 0 || shares_banks));
        CHECK(run.counters.shared_store_conflicts == 0);
    }
}

/// Whether c is within `roundings` float operations on terms of that magnitude, each relative by `input` too.
inline bool is_close(double c, double value, double magnitude, double roundings, double input = 0)
{
    const double n = roundings * float_truncation_unit + input;
    return std::fabs(c - value) <= n / (1 - n) * magnitude + 0x1p-120;
}

} // namespace tegula::test
