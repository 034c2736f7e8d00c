#pragma once

/// The GEMM problems that the emulator's and the GPU's tests share; shared/gemm_case.cpp has the definitions.

#include <tegula/core/activation.hpp>
#include <tegula/core/config.hpp>

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

    std::string text() const;
};

/// Values of the sizes; the other factors always take all of theirs.
struct gemm_sizes
{
    std::vector<long_index_t> m, n, k;
};

/// Sizes below, at and past the edges of tiles, primes, odd ones.
gemm_sizes all_gemm_sizes();
gemm_sizes few_gemm_sizes();

/// One of four parts of a pairwise set, or all of it. The part is one more factor of the set: every value of every
/// other factor occurs in each part, and all four together hold every pair.
enum class quarter { first, second, third, fourth, all };

/// Every pair of two factors' values occurs.
std::vector<gemm_case> pairwise_gemm_cases(const gemm_sizes& sizes, quarter part = quarter::all);

/// Every such pair for kernels of aligned operands: rows of A and columns of B by one of two orders each, at multiples
/// of 16 bytes.
std::vector<gemm_case> aligned_gemm_cases(const gemm_sizes& sizes, const memory_order (&a)[2],
                                          const memory_order (&b)[2], quarter part = quarter::all);

/// Every combination of sizes, several times, with random other factors.
std::vector<gemm_case> all_gemm_cases(const gemm_sizes& sizes, int times);

} // namespace tegula::test
