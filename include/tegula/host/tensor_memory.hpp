#pragma once

#include <tegula/emulator/memory_ranges.hpp>
#include <tegula/kernel/tensor_argument.hpp>

namespace tegula {

/// Tells the emulator the memory of a tensor: readable, and writable where its elements are not const. Precondition:
/// check_tensor.
template <class T>
void add_tensor(emulator::memory_ranges& memory, const tensor_argument<T>& tensor, const char* name)
{
    const element_range range = range_of(tensor);
    if (range.count() > 0)
        memory.add(tensor.data + range.first, static_cast<std::size_t>(range.count()) * sizeof(T), name,
                   !std::is_const_v<T>);
}

} // namespace tegula
