#pragma once

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/gpu_target.hpp>
#include <tegula/arch/nvidia/targets.hpp>

// The architecture of this pass, for messages: "gfx90a", "__CUDA_ARCH__ 750".
#if TEGULA_DEVICE_PASS && defined(__CUDA_ARCH__)
#define TEGULA_TEXT_OF(x) #x
#define TEGULA_TEXT(x) TEGULA_TEXT_OF(x)
#define TEGULA_PASS_NAME "__CUDA_ARCH__ " TEGULA_TEXT(__CUDA_ARCH__)
#elif TEGULA_DEVICE_PASS && defined(__amdgcn_processor__)
#define TEGULA_PASS_NAME __amdgcn_processor__
#else
#define TEGULA_PASS_NAME "another architecture"
#endif

namespace tegula {

/// A target's chip_info as an object, for host code that needs its address.
template <gpu_target Target>
inline constexpr chip_info chip_of = Target::chip();

namespace detail {

/// The rule that a device pass compiles kernels of its own architecture only.
template <bool Ok, class Target>
struct kernel_is_for_this_pass
{
    static_assert(Ok,
                  "tegula: this pass compiles for " TEGULA_PASS_NAME
                  ", and the kernel is for the target that kernel_is_for_this_pass<false, Target> names; compile for "
                  "its architecture (clang --offload-arch=gfx942; nvcc -gencode arch=compute_90a,code=sm_90a, since "
                  "-arch=sm_90a makes code for compute_90 too), or, in a program for several "
                  "architectures, define TEGULA_SEVERAL_ARCHITECTURES: the kernel is then a trap in other passes");
    static constexpr bool ok = Ok;
};

/// The body of a kernel in a pass of another architecture: the launch ends in an error, not in an untouched result.
TEGULA_INLINE void trap()
{
#if TEGULA_DEVICE_PASS && defined(__CUDA_ARCH__)
    __trap();
#else
    __builtin_trap();
#endif
}

} // namespace detail

/// Blocks of a kernel that must fit one multiprocessor or compute unit by their registers: Kernel::blocks_together, or
/// 1 without it. The second argument of TEGULA_LAUNCH_BOUNDS.
template <class Kernel>
inline constexpr int blocks_together = 1;
template <class Kernel>
    requires(Kernel::blocks_together > 0)
inline constexpr int blocks_together<Kernel> = Kernel::blocks_together;

/// The body of a __global__ function: calls body(arguments...) if the pass compiles for `Target`.
///
///     __global__ void TEGULA_LAUNCH_BOUNDS(kernel::block_threads) gemm(kernel::arguments args)
///     {
///         run_kernel<kernel::target>(kernel{}, args);
///     }
///
/// In a device pass of another architecture this does not compile. In a program for several architectures, compiled
/// with TEGULA_SEVERAL_ARCHITECTURES defined, each pass meets the kernels of the others, and they trap there. They are
/// never empty: a launch of an empty kernel succeeds and computes nothing.
TEGULA_CALLS_BACK
template <gpu_target Target, class Body, class... Arguments>
TEGULA_INLINE void run_kernel(const Body& body, const Arguments&... arguments)
{
    if constexpr (Target::in_this_pass()) {
        body(arguments...);
    } else {
#if !defined(TEGULA_SEVERAL_ARCHITECTURES)
        static_assert(detail::kernel_is_for_this_pass<false, Target>::ok);
#endif
        detail::trap();
    }
}

} // namespace tegula
