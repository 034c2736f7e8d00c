#pragma once

/// The GEMM problems that the emulator's and the GPU's tests share.

#include <tegula/core/activation.hpp>

#include "test/kernel/pairwise.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace tegula::test {

enum class memory_order { row_major, column_major, strided };

/// How rows (or columns) follow each other: without a gap; padded so that each starts at a multiple of 16 bytes; padded
/// and shifted so that none does.
enum class padding { none, vectors, odd };

struct gemm_case
{
    long_index_t m = 1, n = 1, k = 1, batch = 1;
    memory_order a = memory_order::row_major, b = memory_order::row_major;
    padding rows = padding::none;
    float alpha = 1, beta = 0;
    bool in_place = false; ///< C0 is C
    bool bias = false;
    tegula::activation activation = tegula::activation::none;

    std::string text() const
    {
        std::ostringstream s;
        s << m << " x " << n << " x " << k << ", batch " << batch << ", orders " << static_cast<int>(a)
          << static_cast<int>(b) << ", padding " << static_cast<int>(rows) << ", alpha " << alpha << ", beta " << beta
          << (in_place ? " in place" : "") << (bias ? ", bias" : "") << ", activation " << static_cast<int>(activation);
        return s.str();
    }
};

/// Values of the sizes; the other factors always take all of theirs.
struct gemm_sizes
{
    std::vector<long_index_t> m, n, k;
};

/// Sizes below, at and past the edges of tiles, primes, odd ones.
inline gemm_sizes all_gemm_sizes()
{
    const std::vector<long_index_t> sizes = {1, 7, 63, 64, 65, 129, 255, 300};
    return {sizes, sizes, sizes};
}

inline gemm_sizes few_gemm_sizes() { return {{1, 65, 130}, {7, 64, 133}, {1, 64, 131}}; }

namespace detail {

/// The case of a row of levels: sizes m, n, k first, then the factors of `operation_levels`.
inline gemm_case make_case(const gemm_sizes& sizes, const std::vector<int>& row)
{
    const auto at = [&](std::size_t f) { return static_cast<std::size_t>(row[f]); };
    constexpr float alphas[] = {1.0f, -0.625f}, betas[] = {0.0f, 1.0f, 0.75f};
    gemm_case c;
    c.m = sizes.m[at(0)];
    c.n = sizes.n[at(1)];
    c.k = sizes.k[at(2)];
    c.a = static_cast<memory_order>(row[3]);
    c.b = static_cast<memory_order>(row[4]);
    c.rows = static_cast<padding>(row[5]);
    c.alpha = alphas[at(6)];
    c.beta = betas[at(7)];
    c.in_place = row[8] != 0;
    c.bias = row[9] != 0;
    c.activation = static_cast<tegula::activation>(row[10]);
    c.batch = row[11] != 0 ? 3 : 1;
    return c;
}

inline std::vector<int> operation_levels() { return {3, 3, 3, 2, 3, 2, 2, 4, 2}; }

} // namespace detail

/// Every pair of two factors' values occurs.
inline std::vector<gemm_case> pairwise_gemm_cases(const gemm_sizes& sizes)
{
    std::vector<int> levels = {static_cast<int>(sizes.m.size()), static_cast<int>(sizes.n.size()),
                               static_cast<int>(sizes.k.size())};
    for (int l : detail::operation_levels())
        levels.push_back(l);
    std::vector<gemm_case> cases;
    for (const auto& row : pairwise_rows(levels))
        cases.push_back(detail::make_case(sizes, row));
    return cases;
}

/// Every combination of sizes and orders; the other factors take their values in turn.
inline std::vector<gemm_case> all_gemm_cases(const gemm_sizes& sizes)
{
    std::vector<gemm_case> cases;
    const std::vector<int> operations = detail::operation_levels();
    int turn = 0;
    for (std::size_t m = 0; m < sizes.m.size(); ++m)
        for (std::size_t n = 0; n < sizes.n.size(); ++n)
            for (std::size_t k = 0; k < sizes.k.size(); ++k)
                for (int orders = 0; orders < 9; ++orders) {
                    std::vector<int> row = {static_cast<int>(m), static_cast<int>(n), static_cast<int>(k), orders / 3,
                                            orders % 3};
                    int rest = turn++;
                    for (std::size_t f = 2; f < operations.size(); rest /= operations[f++])
                        row.push_back(rest % operations[f]);
                    cases.push_back(detail::make_case(sizes, row));
                }
    return cases;
}

} // namespace tegula::test
