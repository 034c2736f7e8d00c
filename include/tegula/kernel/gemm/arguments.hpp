#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// The matrices of a batch. Element (row, column) of matrix b is data[b * batch_stride + row * row_stride + column *
/// column_stride]: strides are in elements.
template <class T>
struct matrix_argument
{
    T* data = nullptr;
    long_index_t row_stride = 0;
    long_index_t column_stride = 0;
    long_index_t batch_stride = 0;
};

/// How a kernel accesses C, and the matrices of C's shape that its epilogue reads or writes.
enum class output_access {
    elements, ///< one element at a time; any strides
    vectors,  ///< 16 bytes at a time; column_stride is 1, and rows start at multiples of 16 bytes
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

    /// Names A, B and C as memory that the kernel reads or writes (memory() in kernel/protocol.hpp).
    template <class Memory>
    void memory(Memory& memory) const
    {
        add_matrix(memory, a, m, k, batch, "A");
        add_matrix(memory, b, k, n, batch, "B");
        add_matrix(memory, c, m, n, batch, "C");
    }
};

} // namespace tegula
