#pragma once

#include <tegula/block/direct_column_loader.hpp>
#include <tegula/block/direct_located_loader.hpp>
#include <tegula/block/located_loader.hpp>
#include <tegula/block/making_loader.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/epilogue/part.hpp>
#include <tegula/kernel/gemm/product_protocol.hpp>

/// Operands of prologue_gemm, [rows, k]: A as it is, B transposed. Each is a class with
///
///   element_type, loader<...>       what the block multiplies and what loads it
///   direct_loader<...>              what loads it straight into shared memory on targets with direct loads
///   loads_directly<Rows, Order>     whether there is such a loader
///   source(extent, first_k, batch)  what the loader reads
///   allows<Order>, order(...)       orders its loader has, and the one for these arguments
///   check(name, ...)                what is wrong with it
///   memory(name, ..., memory)       what it reads

namespace tegula {

/// The part of an operand that a block multiplies: all its rows, and columns [first_k, first_k + k).
struct operand_part
{
    index_t rows;
    index_t first_k;
    index_t k;
    long_index_t batch;
    const char* name;
};

/// Rows in memory, element (row, k) at row * row_stride + k * k_stride of each matrix of a batch.
template <class T>
struct strided_rows
{
    using element_type = T;

    const T* data = nullptr;
    long_index_t row_stride = 0;
    long_index_t k_stride = 0;
    long_index_t batch_stride = 0;

    template <class Target, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
              int InstructionRows>
    using loader = best_operand_loader<Target, T, Rows, K, Waves, Order, ReadDistribution, InstructionRows>;
    template <class Target, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution>
    using direct_loader = direct_loader_of<Target, T, Rows, K, Waves, Order, ReadDistribution, 1>;
    template <index_t Rows, operand_order Order>
    static constexpr bool loads_directly = uses_direct_loads<T, Rows, Order>;

    template <operand_order Order>
    static constexpr bool allows = true;

    TEGULA_INLINE operand_source<T> source(const operand_part& p) const
    {
        return {data + p.batch * batch_stride + p.first_k * k_stride,
                p.rows,
                p.k,
                p.rows > 1 ? row_stride : 0, // as gemm_kernel::stride_of_rows
                k_stride,
                p.name};
    }

    operand_order order(long_index_t rows, long_index_t k, long_index_t batch) const
    {
        return find_order(matrix(), row_stride, k_stride, rows, k, batch);
    }
    /// Whether a kernel of this order can read the operand, which may suit several.
    template <operand_order Order>
    bool suits(long_index_t rows, long_index_t k, long_index_t batch) const
    {
        return internal::lies_in<Order>(matrix(), row_stride, k_stride, rows, k, batch, false);
    }
    status check(const char* name, long_index_t rows, long_index_t k, long_index_t batch) const
    {
        return gemm_checks::check_input(name, matrix(), rows, k, batch);
    }
    template <class Memory>
    void memory(const char* name, long_index_t rows, long_index_t k, long_index_t batch, Memory& memory) const
    {
        add_matrix(memory, matrix(), rows, k, batch, name);
    }
    matrix_argument<const T> matrix() const { return {data, row_stride, k_stride, batch_stride}; }

    /// Moves to the matrix of another expert, which has no batch.
    TEGULA_INLINE void move(long_index_t elements)
    {
        data += elements;
        batch_stride = 0;
    }
    void set_batch_stride(long_index_t stride) { batch_stride = stride; }
    /// Starts at row `first`; every product of a batch then has this matrix.
    TEGULA_INLINE void skip_rows(index_t first)
    {
        data += first * row_stride;
        batch_stride = 0;
    }
};

/// A matrix [m, k] as A, and a matrix [k, n] as B.
template <class T>
strided_rows<std::remove_const_t<T>> make_a_operand(const matrix_argument<T>& a)
{
    return {a.data, a.row_stride, a.column_stride, a.batch_stride};
}
template <class T>
strided_rows<std::remove_const_t<T>> make_b_operand(const matrix_argument<T>& b)
{
    return {b.data, b.column_stride, b.row_stride, b.batch_stride};
}

namespace detail {

/// located_source of gathered_rows.
template <class T>
struct gathered_source
{
    struct row_place
    {
        const T* start;
        bool there;
    };
    struct k_place
    {
        long_index_t offset;
        bool there;
    };

    const T* data;
    const index_t* indices;
    long_index_t row_stride;
    long_index_t k_stride;
    long_index_t extent;
    index_t table_rows;
    index_t rows;
    index_t k;
    index_t first_k;
    const char* name;

    TEGULA_INLINE row_place row(index_t i) const
    {
        // The index is an element of another tensor.
        const index_t at = i < rows ? indices[i] : -1;
        const bool there = at >= 0 && at < table_rows;
        return {data + (there ? at : 0) * row_stride, there};
    }
    TEGULA_INLINE k_place column(index_t j) const { return {j * k_stride, j < first_k + k}; }
    TEGULA_INLINE located_element<T> find(const row_place& r, const k_place& c) const
    {
        return {r.start + c.offset, r.there && c.there};
    }
};

} // namespace detail

/// Rows of a table, by index: row i is table row indices[i], or zero if that is not in [0, table_rows).
///
/// indices        one index per row
/// batch_indices  distance to the indices of the batch's next matrix, in indices; 0 if all matrices share them
template <class T>
struct gathered_rows
{
    using element_type = T;

    const T* data = nullptr;
    long_index_t row_stride = 0; ///< of the table, in elements
    long_index_t k_stride = 0;
    long_index_t batch_stride = 0;
    const index_t* indices = nullptr;
    long_index_t batch_indices = 0;
    long_index_t table_rows = 0;

    template <class Target, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
              int InstructionRows>
    using loader =
        located_loader<Target, detail::gathered_source<T>, T, Rows, K, Waves, Order, ReadDistribution, InstructionRows>;
    template <class Target, index_t Rows, index_t K, int Waves, operand_order, class ReadDistribution>
    using direct_loader =
        direct_gathered_loader<Target, detail::gathered_source<T>, T, Rows, K, Waves, ReadDistribution>;
    template <index_t Rows, operand_order Order>
    static constexpr bool loads_directly = Order == operand_order::k_contiguous;

    /// Neighbouring rows need not be neighbours in the table.
    template <operand_order Order>
    static constexpr bool allows = Order != operand_order::row_contiguous;

    TEGULA_INLINE detail::gathered_source<T> source(const operand_part& p) const
    {
        return {data + p.batch * batch_stride,
                indices + p.batch * batch_indices,
                row_stride,
                k_stride,
                extent(p.first_k + p.k),
                static_cast<index_t>(table_rows),
                p.rows,
                p.k,
                p.first_k,
                p.name};
    }

    /// A vector of 16 bytes is in the table as a whole or not at all, so k must be a multiple of a vector.
    operand_order order(long_index_t, long_index_t k, long_index_t batch) const
    {
        const matrix_argument<const T> table{data, row_stride, k_stride, batch_stride};
        constexpr long_index_t v = 16 / static_cast<long_index_t>(sizeof(T));
        return k_stride == 1 && k % v == 0 && has_aligned_rows(table, row_stride, table_rows, batch)
                   ? operand_order::k_contiguous
                   : operand_order::any;
    }
    template <operand_order Order>
    bool suits(long_index_t rows, long_index_t k, long_index_t batch) const
    {
        return Order == operand_order::any || k == 0 || order(rows, k, batch) == Order;
    }
    status check(const char* name, long_index_t rows, long_index_t k, long_index_t batch) const
    {
        if (status s = gemm_checks::check_size("the number of rows of the table", table_rows); !s)
            return s;
        if (rows > 0 && batch > 0 && indices == nullptr)
            return gemm_checks::invalid(name) << " has no indices, but " << rows << " rows; give one index a row";
        return gemm_checks::check_input(name, matrix_argument<const T>{data, row_stride, k_stride, batch_stride},
                                        table_rows, k, batch);
    }
    template <class Memory>
    void memory(const char* name, long_index_t rows, long_index_t k, long_index_t batch, Memory& memory) const
    {
        add_matrix(memory, matrix_argument<const T>{data, row_stride, k_stride, batch_stride}, table_rows, k, batch,
                   name);
        add_matrix(memory, matrix_argument<const index_t>{indices, 1, 0, batch_indices}, rows, 1, batch, "indices");
    }

    /// Whether direct loads reach the whole table.
    status check_reach(const char* name, long_index_t k) const { return check_direct_reach<T>(name, extent(k)); }

    /// Starts at index `first`, as strided_rows does at a row.
    TEGULA_INLINE void skip_rows(index_t first)
    {
        indices += first;
        batch_stride = 0;
        batch_indices = 0;
    }

private:
    /// Elements from the table's first on to the end of the last row's first k.
    constexpr TEGULA_HOST_DEVICE long_index_t extent(long_index_t k) const
    {
        return table_rows > 0 && k > 0 ? (table_rows - 1) * row_stride + k : 0;
    }
};

/// Elements that `maker` computes; see made_source for what it has. It may also have
///
///     status check(const char* name, long_index_t rows, long_index_t k, long_index_t batch) const;
///
/// A maker that may hold a pointer must also say what it reads:
///
///     template <class Memory>
///     void memory(const char* name, long_index_t rows, long_index_t k, long_index_t batch, Memory&) const;
template <class T, class Maker>
struct made_elements
{
    using element_type = T;

    Maker maker{};

    template <class Target, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
              int InstructionRows>
    using loader = making_loader<Target, Maker, T, Rows, K, Waves, ReadDistribution, InstructionRows>;
    template <index_t, operand_order>
    static constexpr bool loads_directly = false;

    template <operand_order Order>
    static constexpr bool allows = Order == operand_order::k_contiguous || Order == operand_order::any;

    TEGULA_INLINE made_source<Maker> source(const operand_part& p) const
    {
        return {maker, p.rows, p.k, p.first_k, p.batch, p.name};
    }
    static operand_order order(long_index_t, long_index_t, long_index_t) { return operand_order::k_contiguous; }
    status check(const char* name, long_index_t rows, long_index_t k, long_index_t batch) const
    {
        if constexpr (requires { maker.check(name, rows, k, batch); })
            return maker.check(name, rows, k, batch);
        else
            return {};
    }
    template <class Memory>
    void memory(const char* name, long_index_t rows, long_index_t k, long_index_t batch, Memory& memory) const
    {
        if constexpr (requires { maker.memory(name, rows, k, batch, memory); })
            maker.memory(name, rows, k, batch, memory);
        else
            static_assert(internal::memory_of_part_is_known<holds_no_pointer<Maker>(), Maker>::ok);
    }
};

} // namespace tegula
