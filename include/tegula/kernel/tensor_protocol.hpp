#pragma once

#include <tegula/kernel/tensor_argument.hpp>

#include <cstddef>
#include <type_traits>

/// The part of kernel/protocol.hpp that kernels of tensors have in common.

namespace tegula {

/// Makes a tensor readable and, if its elements are not const, writable. Precondition: check_tensor.
///
/// memory  what memory() of a kernel is given
template <class Memory, class T>
void add_tensor(Memory& memory, const tensor_argument<T>& tensor, const char* name)
{
    const element_range range = range_of(tensor);
    if (tensor.data != nullptr && range.count() > 0)
        memory.add(tensor.data + range.first, static_cast<std::size_t>(range.count()) * sizeof(T), name,
                   !std::is_const_v<T>);
}

/// add_tensor of `count` numbers that follow each other; nothing for a null pointer.
template <class Memory, class T>
void add_array(Memory& memory, T* data, long_index_t count, const char* name)
{
    if (data != nullptr && count > 0)
        memory.add(data, static_cast<std::size_t>(count) * sizeof(T), name, !std::is_const_v<T>);
}

/// The protocol of kernels that can_implement checks and that take the arguments as they are.
template <class Arguments>
struct tensor_protocol
{
    /// Errors: those of can_implement.
    static status check(const Arguments& args) { return can_implement(args); }
    static Arguments normalize(const Arguments& args) { return args; }
};

} // namespace tegula
