#pragma once

#include <tegula/host/gemm_memory.hpp>
#include <tegula/kernel/gemm/forms/prologue.hpp>

/// Tells the emulator which memory a product with a prologue reads and writes.

namespace tegula {

template <class T>
void add_operand(emulator::memory_ranges& memory, const strided_rows<T>& x, long_index_t rows, long_index_t k,
                 long_index_t batch, const char* name)
{
    detail::add_matrix(memory, x.matrix(), rows, k, batch, name);
}

template <class T>
void add_operand(emulator::memory_ranges& memory, const gathered_rows<T>& x, long_index_t rows, long_index_t k,
                 long_index_t batch, const char* name)
{
    const matrix_argument<const T> table{x.data, x.row_stride, x.k_stride, x.batch_stride};
    detail::add_matrix(memory, table, x.table_rows, k, batch, name);
    detail::add_matrix(memory, matrix_argument<const index_t>{x.indices, 1, 0, x.batch_indices}, rows, 1, batch,
                       "indices");
}

template <class T>
void add_operand(emulator::memory_ranges& memory, const gated_rows<T>& x, long_index_t rows, long_index_t k,
                 long_index_t batch, const char* name)
{
    add_operand(memory, x.gate, rows, k, batch, name);
    add_operand(memory, x.up, rows, k, batch, "the second weight");
}

/// A maker with pointers has an overload add_operand(memory, maker, rows, k, batch, name) in its namespace.
template <class T, class Maker>
void add_operand(emulator::memory_ranges& memory, const made_elements<T, Maker>& x, long_index_t rows, long_index_t k,
                 long_index_t batch, const char* name)
{
    if constexpr (requires { add_operand(memory, x.maker, rows, k, batch, name); })
        add_operand(memory, x.maker, rows, k, batch, name);
    else
        static_assert(detail::memory_of_part_is_known<holds_no_pointer<Maker>(), Maker>::ok);
}

template <class A, class B, class C, class Epilogue>
void add_matrices(emulator::memory_ranges& memory, const prologue_arguments<A, B, C, Epilogue>& args)
{
    add_operand(memory, args.a, args.m, args.k, args.batch, "A");
    add_operand(memory, args.b, args.n, args.k, args.batch, "B");
    if (args.c_rows != nullptr)
        memory.read(args.c_rows, static_cast<std::size_t>(args.m) * sizeof(index_t), "rows of C");
    detail::add_matrix(memory, args.c, args.c_rows != nullptr ? args.c_height : args.m, args.n, args.batch, "C");
}

} // namespace tegula
