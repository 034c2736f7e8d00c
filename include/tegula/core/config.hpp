#pragma once

/// Compiler detection and the few macros everything else needs.
///
/// TEGULA_HOST_DEVICE   marks a function that a kernel may call; empty in a plain C++ compiler.
/// TEGULA_DEVICE_PASS   1 while the compiler emits GPU code, 0 in every host pass. A primitive's instruction body is
///                      chosen by it; its emulation is the other branch.
/// TEGULA_INLINE        forces inlining in device code, where a call would put registers into memory.
/// TEGULA_INLINE_CALL   stands before the only call of a function object: clang then optimises its body once, there.
/// TEGULA_INLINE_LAMBDA stands after the parameters of a large lambda: nvcc does not inline it for sm_100 and later.
/// TEGULA_ROLLED        stands before a loop that stays a loop: its body is rare or large.
/// TEGULA_LAUNCH_BOUNDS stands before a kernel's name with the threads of its blocks. On NVIDIA it also says that one
///                      block per multiprocessor is enough: ptxas may use all registers. An optional second argument
///                      is the number of blocks that must fit (blocks_together). On CDNA clang 20 and newer get it if it
///                      means more than two waves a SIMD.
/// TEGULA_CALLS_BACK    stands before a host-device template that calls a function object it is given. That may be a
///                      device-only lambda of a kernel, which nvcc would refuse in the unused host version.
///
/// The user defines TEGULA_SEVERAL_ARCHITECTURES if one source has kernels for targets of several architectures and
/// is compiled for all of them: run_kernel (arch/target.hpp).

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 202002L
// There is no such file: the compiler prints the name and stops. After an #error hundreds of other errors would follow.
#include "tegula needs C++20: compile with -std=c++20"
#endif

#if defined(__CUDACC__)
#if __CUDACC_VER_MAJOR__ < 12 || (__CUDACC_VER_MAJOR__ == 12 && __CUDACC_VER_MINOR__ < 8)
#error "tegula needs nvcc 12.8 or newer."
#endif
#endif

#if defined(__clang__)
#if __clang_major__ < 16
#error "tegula needs clang 16 or newer."
#endif
#elif defined(__GNUC__)
#if __GNUC__ < 12
#error "tegula needs g++ 12 or newer."
#endif
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__CUDACC__) || defined(__HIP__)
#define TEGULA_HOST_DEVICE __host__ __device__
#define TEGULA_GPU_COMPILER 1
#else
#define TEGULA_HOST_DEVICE
#define TEGULA_GPU_COMPILER 0
#endif

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define TEGULA_DEVICE_PASS 1
#else
#define TEGULA_DEVICE_PASS 0
#endif

#if TEGULA_DEVICE_PASS
#define TEGULA_INLINE TEGULA_HOST_DEVICE inline __attribute__((always_inline))
#define TEGULA_ROLLED _Pragma("unroll 1")
#else
#define TEGULA_INLINE TEGULA_HOST_DEVICE inline
#define TEGULA_ROLLED
#endif

#if TEGULA_DEVICE_PASS && defined(__clang__) && defined(__HIP__)
#define TEGULA_INLINE_CALL [[clang::always_inline]]
#else
#define TEGULA_INLINE_CALL
#endif

#if defined(__CUDA_ARCH__)
#define TEGULA_INLINE_LAMBDA __attribute__((always_inline))
#else
#define TEGULA_INLINE_LAMBDA
#endif

#if defined(__CUDACC__)
#define TEGULA_CALLS_BACK _Pragma("nv_exec_check_disable")
#else
#define TEGULA_CALLS_BACK
#endif

// Without a number of blocks ptxas may spill a few registers so that one more block fits a multiprocessor; with one
// block no shipped kernel spills.
#if defined(__CUDACC__)
#define TEGULA_LAUNCH_BOUNDS(threads, ...) __launch_bounds__(threads, 1 __VA_OPT__(*(__VA_ARGS__)))
#elif (defined(__gfx90a__) || defined(__gfx942__)) && __clang_major__ < 20
// Unless two waves must fit each of the four SIMDs, clang 19 keeps sums of MFMA in accumulation registers, and softmax
// copies them out in each round.
#define TEGULA_LAUNCH_BOUNDS(threads, ...)                                                                             \
    __launch_bounds__(threads) __VA_OPT__(__attribute__((amdgpu_waves_per_eu(((__VA_ARGS__) * (threads) + 255) / 256))))
#elif defined(__GFX9__)
// Two waves fit each SIMD without a word. For more, the compiler must know how few registers a wave has. 0 asks for nothing.
#define TEGULA_LAUNCH_BOUNDS(threads, ...)                                                                             \
    __launch_bounds__(threads) __VA_OPT__(                                                                             \
        __attribute__((amdgpu_waves_per_eu((__VA_ARGS__) * (threads) > 512 ? (__VA_ARGS__) * (threads) / 256 : 0))))
#elif defined(__HIP__)
#define TEGULA_LAUNCH_BOUNDS(threads, ...) __launch_bounds__(threads)
#endif

namespace tegula {

/// Index inside a tile or of one tensor dimension, in elements.
using index_t = std::int32_t;
/// Offset inside a tensor, in elements; element spaces are 64 bits wide.
using long_index_t = std::int64_t;

} // namespace tegula
