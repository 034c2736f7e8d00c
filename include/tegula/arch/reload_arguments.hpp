#pragma once

#include <tegula/core/config.hpp>

namespace tegula::detail {

/// The arguments of the running kernel, for part of one round of a loop over tiles. Precondition on a device: `args` is
/// the first parameter of the __global__ function, by value; check_reload traps if it is not.
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

/// Traps if reload_arguments would give other arguments than `args`, told by a pointer of theirs: pointer_of(arguments).
template <class Arguments, class PointerOf>
TEGULA_INLINE void check_reload([[maybe_unused]] const Arguments& args, [[maybe_unused]] const PointerOf& pointer_of)
{
#if TEGULA_DEVICE_PASS && defined(__AMDGCN__)
    if (pointer_of(reload_arguments(args)) != pointer_of(args))
        __builtin_trap();
#endif
}

} // namespace tegula::detail

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::check_reload;
using tegula::detail::reload_arguments;
} // namespace tegula::internal
