#pragma once

#include <tegula/core/config.hpp>

namespace tegula::detail {

/// A pointer that tells one launch's arguments from something else.
template <class Arguments>
constexpr TEGULA_INLINE const void* marker(const Arguments& args)
{
    if constexpr (requires { args.workspace; })
        return args.workspace.data;
    else
        return args.c.data;
}

/// The arguments of the running kernel, for the epilogue or for part of one round of a loop over tiles. Precondition on
/// a device: `args` is the first parameter of the __global__ function, by value; it stops where the two differ in C or
/// the workspace.
///
/// On AMD everything made of arguments alone would be computed before the loop over tiles or over k, and would not fit
/// the scalar registers (50 to 100 spilled with LLVM 19). Here the compiler must load them where this is called, from
/// the constant memory they lie in, which costs a few scalar loads a tile.
template <class Arguments>
TEGULA_INLINE const Arguments& read_anew(const Arguments& args)
{
#if TEGULA_DEVICE_PASS && defined(__AMDGCN__)
    auto* parameters = __builtin_amdgcn_kernarg_segment_ptr();
    asm volatile("" : "+s"(parameters));
    const auto& again = *(const Arguments*)(const __attribute__((address_space(4))) Arguments*)parameters;
    if (marker(again) != marker(args))
        __builtin_trap();
    return again;
#else
    return args;
#endif
}

} // namespace tegula::detail
