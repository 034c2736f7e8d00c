#pragma once

#include <tegula/kernel/gemm/can_implement.hpp>

namespace tegula {

/// Makes the matrices of a batch readable and, if their elements are not const, writable.
///
/// memory  the argument of a kernel's memory() (kernel/protocol.hpp)
template <class Memory, class T>
void add_matrix(Memory& memory, const matrix_argument<T>& x, long_index_t rows, long_index_t columns,
                long_index_t batch, const char* name)
{
    const gemm_checks::element_range r = gemm_checks::range_of(x, rows, columns, batch);
    if (x.data != nullptr)
        memory.add(x.data + r.first, static_cast<std::size_t>(r.count) * sizeof(T), name, !std::is_const_v<T>);
}

} // namespace tegula
