#pragma once

#include <tegula/core/config.hpp>

namespace tegula::detail {

/// The arguments of the running kernel, for part of one round of a loop over tiles. Precondition on a device: `args` is
/// the first parameter of the __global__ function, by value. A kernel with a workspace checks it by that pointer.
///
/// On AMD everything made of arguments alone would be computed before the loop, and would not fit the scalar registers
/// (50 to 100 spilled with LLVM 19). Here the compiler must load them where this is called, from the constant memory
/// they lie in, which costs a few scalar loads a tile.
template <class Arguments>
TEGULA_INLINE const Arguments& reload_arguments(const Arguments& args)
{
#if TEGULA_DEVICE_PASS && defined(__AMDGCN__)
    auto* parameters = __builtin_amdgcn_kernarg_segment_ptr();
    asm volatile("" : "+s"(parameters));
    return *(const Arguments*)(const __attribute__((address_space(4))) Arguments*)parameters;
#else
    return args;
#endif
}

} // namespace tegula::detail

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::reload_arguments;
} // namespace tegula::internal
