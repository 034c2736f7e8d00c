#pragma once

// The matrices of a product: read or made up, rounded, and laid out as the kernel is to find them.

#include "kernels.hpp"
#include "options.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace gemm_example {

/// A matrix or a batch of them, in C order.
struct host_matrix
{
    long_index_t batch = 1, rows = 0, columns = 0;
    bool batched = false; ///< one for each product, not one for all
    std::vector<float> values;
    std::vector<long_index_t> shape = {}; ///< as an array: a batch has any number of dimensions, a vector has one

    /// Elements from one product's matrix to the next one's.
    long_index_t batch_stride() const { return batched ? rows * columns : 0; }
};

/// A matrix in the kernel's memory. Strides in elements.
struct device_matrix
{
    std::vector<std::byte> data;
    long_index_t row_stride = 0, column_stride = 0, batch_stride = 0;
};

struct operands
{
    long_index_t m = 0, n = 0, k = 0, batch = 1;
    bool batched = false;                        ///< C has more than two dimensions
    host_matrix a, b, c;                         ///< c: C0, empty where there is none
    std::optional<host_matrix> given_a, given_b; ///< before they were quantised, if they were
    std::vector<float> bias;                     ///< empty where there is none
    std::vector<long_index_t> batch_shape;       ///< the dimensions before the rows, to which A and B are broadcast
    std::vector<long_index_t> shape;             ///< of C, by the rules of numpy.matmul
};

/// The sizes of made-up operands. Throws bad_input.
operands random_sizes(const options& o);

/// Reads or makes up A, B, C0 and the bias and checks that they fit together. Throws bad_input.
operands read_operands(const options& o);

/// The first infinity or NaN that the product reads, as "A[0, 3] is NaN" with `how` after it; empty if there is none.
std::string find_not_finite(const options& o, const operands& x, const std::string& how);

/// Rounds the values of A and B to what the kernel multiplies. Throws bad_input.
void round_operands(const kernel_entry& kernel, operands& x);

/// The matrix as elements of type `e` with the rows, or the columns, following each other; between them `pad` elements,
/// or as many as make each begin at a multiple of 16 bytes. The padding has no defined value, so that a product
/// that reads it is wrong.
device_matrix lay_out(element e, const host_matrix& x, matrix_layout layout, std::optional<long_index_t> pad);

/// Where a matrix of these sizes, or a batch of them, would lie: lay_out without the memory.
device_matrix place(const operands& x, long_index_t rows, long_index_t columns, int element_bytes, matrix_layout layout,
                    std::optional<long_index_t> pad);

/// The product of matrices that lie like this.
problem make_problem(const options& o, const operands& x, const device_matrix& a, const device_matrix& b,
                     const device_matrix& source, device_matrix& c);

/// Memory for C: rows of float or int32, padded in the same way.
device_matrix make_output(const operands& x, std::optional<long_index_t> pad);

} // namespace gemm_example
