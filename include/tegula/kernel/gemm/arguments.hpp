#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// A matrix in memory, one of `batch` that lie batch_stride apart. All strides in elements.
template <class T>
struct matrix_argument
{
    T* data = nullptr;
    long_index_t row_stride = 0;
    long_index_t column_stride = 0;
    long_index_t batch_stride = 0;
};

/// How a kernel reads and writes C and what its epilogue has with C's shape.
enum class output_access {
    elements, ///< one by one, whatever the strides
    vectors,  ///< of 16 bytes: columns are neighbours, rows start at multiples of 16 bytes
};

/// C[b] = epilogue(A[b] B[b]) for b in [0, batch): A is [m, k], B is [k, n], C is [m, n], whatever their strides.
template <class A, class B, class C, class Epilogue>
struct gemm_arguments
{
    long_index_t m = 0;
    long_index_t n = 0;
    long_index_t k = 0;
    long_index_t batch = 1;
    matrix_argument<const A> a = {};
    matrix_argument<const B> b = {};
    matrix_argument<C> c = {};
    Epilogue epilogue = {};

    /// Tells what of a kernel's memory() is a matrix of the product.
    template <class Memory>
    void memory(Memory& memory) const
    {
        add_matrix(memory, a, m, k, batch, "A");
        add_matrix(memory, b, k, n, batch, "B");
        add_matrix(memory, c, m, n, batch, "C");
    }
};

} // namespace tegula
