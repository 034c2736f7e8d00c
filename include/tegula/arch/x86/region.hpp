#pragma once

#include <tegula/core/config.hpp>

#if !defined(__x86_64__)
#error "tegula: CPU kernels are for x86-64."
#endif

/// Functions compiled for an instruction set that the rest of the unit need not have.
///
///     TEGULA_X86_BEGIN("avx2,fma")
///     inline void f() { ... }      // may use the intrinsics of those
///     TEGULA_X86_END()
///
/// Why not flags for whole sources: a unit compiled with -mavx512f emits its own copies of inline functions that other
/// units have too, and the linker keeps any one of them, for old machines as well. Inside a region only the region's
/// own functions are compiled this way; what they call is inlined or stays as it was. A user's own -march comes on top.
///
/// No header may be included inside a region but the *.inl files that are written for it; <immintrin.h> comes before.

#define TEGULA_X86_TEXT(...) #__VA_ARGS__
#if defined(__clang__)
#define TEGULA_X86_BEGIN(features)                                                                                     \
    _Pragma(TEGULA_X86_TEXT(clang attribute push(__attribute__((target(features))), apply_to = function)))
#define TEGULA_X86_END() _Pragma("clang attribute pop")
#else
#define TEGULA_X86_BEGIN(features) _Pragma("GCC push_options") _Pragma(TEGULA_X86_TEXT(GCC target features))
#define TEGULA_X86_END() _Pragma("GCC pop_options")
#endif

/// Inlined into the region's functions, so that its vectors stay in registers.
#define TEGULA_X86_INLINE inline __attribute__((always_inline))

// The compiler features of each instruction set of the library.
#define TEGULA_X86_AVX2 "avx2,fma,f16c"
#define TEGULA_X86_AVX_VNNI "avx2,fma,f16c,avxvnni"
#define TEGULA_X86_AVX512 "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl"
#define TEGULA_X86_AVX512_DOT "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx512bf16"
#define TEGULA_X86_AVX512_FP16 "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,avx512fp16"
#define TEGULA_X86_AMX "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl,amx-tile,amx-bf16,amx-int8"
