#pragma once

/// The GEMM problems that the emulator's and the GPU's tests share.

#include <tegula/core/activation.hpp>
#include <tegula/host/random.hpp>

#include "test/kernel/pairwise.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace tegula::test {

/// How a matrix lies in memory. strided: no neighbours, both strides above 1; backwards: columns from last to first,
/// both strides below 0; overlapping: a row starts inside the one before it, or where it does. The last is not for
/// results.
enum class memory_order { row_major, column_major, strided, backwards, overlapping };

/// How rows (or columns) follow each other: without a gap; padded so that each starts at a multiple of 16 bytes; padded
/// and shifted by random odd numbers, so that none does.
enum class padding { none, vectors, odd };

struct gemm_case
{
    long_index_t m = 1, n = 1, k = 1, batch = 1;
    memory_order a = memory_order::row_major, b = memory_order::row_major, c = memory_order::row_major;
    padding rows = padding::none;
    float alpha = 1, beta = 0;
    bool in_place = false; ///< C0 is C
    bool bias = false;
    tegula::activation activation = tegula::activation::none;

    std::string text() const
    {
        std::ostringstream s;
        s << m << " x " << n << " x " << k << ", batch " << batch << ", orders " << static_cast<int>(a)
          << static_cast<int>(b) << static_cast<int>(c) << ", padding " << static_cast<int>(rows) << ", alpha " << alpha
          << ", beta " << beta << (in_place ? " in place" : "") << (bias ? ", bias" : "") << ", activation "
          << static_cast<int>(activation);
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
    // Half of the results are what the kernels for aligned operands write.
    c.c = static_cast<memory_order>(row[5] > 2 ? row[5] - 2 : 0);
    c.rows = static_cast<padding>(row[6]);
    c.alpha = alphas[at(7)];
    c.beta = betas[at(8)];
    c.in_place = row[9] != 0;
    c.bias = row[10] != 0;
    c.activation = static_cast<tegula::activation>(row[11]);
    c.batch = row[12] != 0 ? 3 : 1;
    return c;
}

inline std::vector<int> operation_levels() { return {5, 5, 6, 3, 2, 3, 2, 2, 4, 2}; }

} // namespace detail

/// One of four parts of a pairwise set, or all of it. The part is one more factor of the set: every value of every
/// other factor occurs in each part, and all four together hold every pair.
enum class quarter { first, second, third, fourth, all };

namespace detail {

/// The sizes and `operations` in pairs, each row made into a case and given to change(case, row).
template <class Change>
std::vector<gemm_case> pairwise_cases(const gemm_sizes& sizes, const std::vector<int>& operations, quarter part,
                                      const Change& change)
{
    std::vector<int> levels = {static_cast<int>(sizes.m.size()), static_cast<int>(sizes.n.size()),
                               static_cast<int>(sizes.k.size())};
    levels.insert(levels.end(), operations.begin(), operations.end());
    levels.push_back(4);
    std::vector<gemm_case> cases;
    for (const auto& row : pairwise_rows(levels))
        if (part == quarter::all || row.back() == static_cast<int>(part)) {
            cases.push_back(make_case(sizes, row));
            change(cases.back(), row);
        }
    return cases;
}

} // namespace detail

/// Every pair of two factors' values occurs.
inline std::vector<gemm_case> pairwise_gemm_cases(const gemm_sizes& sizes, quarter part = quarter::all)
{
    return detail::pairwise_cases(sizes, detail::operation_levels(), part, [](gemm_case&, const std::vector<int>&) {});
}

/// The same of what kernels for aligned operands take: rows of A and columns of B by one of two orders each, at
/// multiples of 16 bytes.
inline std::vector<gemm_case> aligned_gemm_cases(const gemm_sizes& sizes, const memory_order (&a)[2],
                                                 const memory_order (&b)[2], quarter part = quarter::all)
{
    std::vector<int> operations = detail::operation_levels();
    operations[0] = operations[1] = 2; // orders of A and B
    operations[2] = operations[3] = 1; // C row-major
    return detail::pairwise_cases(sizes, operations, part, [&](gemm_case& c, const std::vector<int>& row) {
        c.a = a[row[3]];
        c.b = b[row[4]];
        c.rows = padding::vectors;
    });
}

/// Every combination of sizes, several times, with random other factors.
inline std::vector<gemm_case> all_gemm_cases(const gemm_sizes& sizes, int times)
{
    std::vector<gemm_case> cases;
    random_source random(1);
    for (std::size_t m = 0; m < sizes.m.size(); ++m)
        for (std::size_t n = 0; n < sizes.n.size(); ++n)
            for (std::size_t k = 0; k < sizes.k.size(); ++k)
                for (int i = 0; i < times; ++i) {
                    std::vector<int> row = {static_cast<int>(m), static_cast<int>(n), static_cast<int>(k)};
                    for (int levels : detail::operation_levels())
                        row.push_back(static_cast<int>(random.integer(0, levels - 1)));
                    cases.push_back(detail::make_case(sizes, row));
                }
    return cases;
}

} // namespace tegula::test
