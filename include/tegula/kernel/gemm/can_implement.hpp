#pragma once

#include <tegula/block/operand_load.hpp>
#include <tegula/core/status.hpp>
#include <tegula/kernel/gemm/arguments.hpp>

namespace tegula {

namespace gemm_checks {

constexpr status invalid(const char* text) { return {status_code::invalid_argument, text}; }

inline bool is_aligned(const void* p, long bytes)
{
    return reinterpret_cast<std::uintptr_t>(p) % static_cast<std::uintptr_t>(bytes) == 0;
}

/// x * y; -1 if a factor is negative or the product is 2^63 or more.
constexpr long_index_t product(long_index_t x, long_index_t y)
{
    long_index_t z = 0;
    return x < 0 || y < 0 || __builtin_mul_overflow(x, y, &z) ? -1 : z;
}

constexpr long_index_t absolute(long_index_t x) { return x < 0 ? -x : x; }

inline status check_size(const char* name, long_index_t size)
{
    // Indices inside a matrix are 32 bits wide and a tile may stand across the edge.
    constexpr long_index_t limit = INT32_MAX - 65536;
    if (size < 0)
        return invalid(name) << " is " << size << "; sizes start at 0";
    if (size > limit)
        return status(status_code::unsupported, name) << " is " << size << "; the limit is " << limit;
    return {};
}

/// check_size() of m, n, k and batch of a product.
inline status check_sizes(long_index_t m, long_index_t n, long_index_t k, long_index_t batch)
{
    const char* const names[] = {"m", "n", "k", "batch"};
    const long_index_t sizes[] = {m, n, k, batch};
    for (int i = 0; i < 4; ++i)
        if (status s = check_size(names[i], sizes[i]); !s)
            return s;
    return {};
}

/// A matrix_argument of any type: checks are compiled once.
struct untyped_matrix
{
    const void* data;
    long_index_t row_stride, column_stride, batch_stride;
    int bytes, alignment; ///< of an element

    template <class T>
    constexpr untyped_matrix(const matrix_argument<T>& x)
        : data(x.data), row_stride(x.row_stride), column_stride(x.column_stride), batch_stride(x.batch_stride),
          bytes(static_cast<int>(sizeof(T))), alignment(static_cast<int>(alignof(T)))
    {}
};

/// Whether the first and the last element in memory are less than 2^63 bytes apart. Precondition: all lengths >= 1.
template <int Rank>
constexpr bool has_extent(const long_index_t (&lengths)[Rank], const long_index_t (&strides)[Rank], long_index_t bytes)
{
    const long_index_t limit = INT64_MAX / bytes;
    long_index_t extent = 0;
    for (int i = 0; i < Rank; ++i) {
        const long_index_t reach = strides[i] == INT64_MIN ? -1 : product(lengths[i] - 1, absolute(strides[i]));
        if (reach < 0 || reach >= limit - extent)
            return false;
        extent += reach;
    }
    return true;
}

/// Checks the pointer, strides and extent of an input [batch, rows, columns]. Strides may have any sign, rows may
/// overlap, and stride 0 repeats.
inline status check_input(const char* name, const untyped_matrix& x, long_index_t rows, long_index_t columns,
                          long_index_t batch)
{
    if (rows == 0 || columns == 0 || batch == 0)
        return {};
    if (x.data == nullptr)
        return invalid(name) << " is a null pointer, but it has " << rows << " x " << columns << " elements";
    if (!is_aligned(x.data, x.alignment))
        return invalid(name) << " is not aligned to its elements of " << x.bytes << " bytes";
    if (!has_extent<3>({rows, columns, batch}, {x.row_stride, x.column_stride, x.batch_stride}, x.bytes))
        return invalid(name) << " of " << rows << " x " << columns << " x " << batch
                             << " elements with these strides reaches past 2^63 bytes; use smaller strides";
    return {};
}

/// Checks an output [batch, rows, columns] as check_input does, and that no two of its elements share memory.
inline status check_output(const char* name, const untyped_matrix& x, long_index_t rows, long_index_t columns,
                           long_index_t batch)
{
    if (rows == 0 || columns == 0 || batch == 0)
        return {};
    if (status s = check_input(name, x, rows, columns, batch); !s)
        return s;
    // The sign of a stride does not change whether elements overlap.
    const long_index_t row_stride = absolute(x.row_stride);
    const long_index_t column_stride = absolute(x.column_stride);
    const bool by_rows = rows == 1 || (columns > 1 && column_stride <= row_stride);
    const long_index_t inner = by_rows ? columns : rows;
    const long_index_t outer = by_rows ? rows : columns;
    const long_index_t inner_stride = by_rows ? column_stride : row_stride;
    const long_index_t leading = by_rows ? row_stride : column_stride;
    if (inner > 1 && inner_stride == 0)
        return invalid(name) << " has stride 0 along a dimension of length " << inner << "; it must be at least 1";
    const long_index_t line = (inner - 1) * inner_stride + 1;
    if (outer > 1 && leading < line)
        return invalid(name) << " has leading dimension " << leading << ", shorter than a "
                             << (by_rows ? "row" : "column") << " of " << inner << " elements; it must be at least "
                             << line;
    const long_index_t one = (outer - 1) * leading + line;
    if (batch > 1 && absolute(x.batch_stride) < one)
        return invalid(name) << " has batch stride " << x.batch_stride << ", which overlaps outputs of " << one
                             << " elements; it must be at least " << one;
    return {};
}

/// Where elements lie: at the offsets [first, first + count) from a pointer.
struct element_range
{
    long_index_t first = 0;
    long_index_t count = 0;
};

/// The elements of all matrices [rows, columns] of the batch and what is between them.
template <class T>
constexpr element_range range_of(const matrix_argument<T>& x, long_index_t rows, long_index_t columns,
                                 long_index_t batch)
{
    if (rows == 0 || columns == 0 || batch == 0)
        return {};
    element_range r{0, 1};
    const long_index_t reaches[] = {(rows - 1) * x.row_stride, (columns - 1) * x.column_stride,
                                    (batch - 1) * x.batch_stride};
    for (const long_index_t reach : reaches) {
        r.first += reach < 0 ? reach : 0;
        r.count += absolute(reach);
    }
    return r;
}

/// can_implement() for operands of any type.
inline status check_product(long_index_t m, long_index_t n, long_index_t k, long_index_t batch, const untyped_matrix& a,
                            const untyped_matrix& b, const untyped_matrix& c)
{
    if (status s = check_sizes(m, n, k, batch); !s)
        return s;
    const long_index_t shapes[3][2] = {{m, k}, {k, n}, {m, n}};
    for (const auto& shape : shapes)
        if (product(product(shape[0], shape[1]), batch) < 0)
            return invalid("a matrix of ")
                   << shape[0] << " x " << shape[1] << " x " << batch << " elements passes 2^63";
    if (status s = check_input("A", a, m, k, batch); !s)
        return s;
    if (status s = check_input("B", b, k, n, batch); !s)
        return s;
    return check_output("C", c, m, n, batch);
}

} // namespace gemm_checks

/// Whether the arguments describe a product that can be computed: sizes, pointers, strides, overlap of the outputs.
/// check_epilogue checks the epilogue's own operands. Nothing is read or written.
template <class A, class B, class C, class Epilogue>
status can_implement(const gemm_arguments<A, B, C, Epilogue>& g)
{
    return gemm_checks::check_product(g.m, g.n, g.k, g.batch, g.a, g.b, g.c);
}

/// Whether vectors of 16 bytes reach every row of the matrix: start, leading stride and batch stride are multiples.
template <class T>
inline bool has_aligned_rows(const matrix_argument<T>& x, long_index_t leading, long_index_t outer, long_index_t batch)
{
    constexpr long_index_t v = 16 / static_cast<long_index_t>(sizeof(T));
    // Buffer loads take no negative offsets.
    return gemm_checks::is_aligned(x.data, 16) && (outer <= 1 || (leading >= 0 && leading % v == 0)) &&
           (batch <= 1 || x.batch_stride % v == 0);
}

/// Whether a matrix [m, n] can be read and written in vectors of 16 bytes along its rows.
template <class T>
inline bool has_vector_rows(const matrix_argument<T>& x, long_index_t m, long_index_t n, long_index_t batch)
{
    return (x.column_stride == 1 || n <= 1) && has_aligned_rows(x, x.row_stride, m, batch);
}

/// How the multistage kernel may read the operand [rows, k] with these strides.
template <class T>
inline operand_order find_order(const matrix_argument<T>& x, long_index_t row_stride, long_index_t k_stride,
                                long_index_t rows, long_index_t k, long_index_t batch)
{
    if ((k_stride == 1 || k <= 1) && has_aligned_rows(x, row_stride, rows, batch))
        return operand_order::k_contiguous;
    if ((row_stride == 1 || rows <= 1) && has_aligned_rows(x, k_stride, k, batch))
        return operand_order::row_contiguous;
    return operand_order::any;
}

} // namespace tegula
