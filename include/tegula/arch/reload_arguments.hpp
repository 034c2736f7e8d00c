#pragma once

#include <tegula/core/config.hpp>

namespace tegula::detail {

/// Reloads the kernel's arguments inside a loop over tiles, to save scalar registers on AMD. Returns `args` on other targets.
/// Precondition: `args` is the first parameter of the __global__ function, passed by value. check_reload() checks it.
///
/// Without the reload, the compiler hoists all that depends on arguments alone out of the loop, and spills 50 to 100 scalar
/// registers (LLVM 19). With it, the compiler loads the arguments from constant memory at each call. This costs a few
/// scalar loads for each tile.
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

/// Traps on AMD if a reload would not give `args`, because they are not the first parameter of the __global__ function. It
/// compares one member only, the pointer that pointer_of(arguments) returns.
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
