#pragma once

#include <tegula/core/config.hpp>

// Which pass of the compiler this is. TEGULA_NVIDIA_PASS: 1 if it makes code for an NVIDIA GPU, else 0.
// TEGULA_SPECIFIC_PASS: __CUDA_ARCH__ of a pass for an "a" architecture such as sm_90a, else 0.

#if TEGULA_DEVICE_PASS && defined(__CUDA_ARCH__)
#define TEGULA_NVIDIA_PASS 1
#else
#define TEGULA_NVIDIA_PASS 0
#endif

// CUDA before 12.9 has one macro per architecture for it.
#if TEGULA_NVIDIA_PASS &&                                                                                              \
    (defined(__CUDA_ARCH_SPECIFIC__) || defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL) ||   \
     defined(__CUDA_ARCH_FEAT_SM103_ALL) || defined(__CUDA_ARCH_FEAT_SM120_ALL))
#define TEGULA_SPECIFIC_PASS __CUDA_ARCH__
#else
#define TEGULA_SPECIFIC_PASS 0
#endif

namespace tegula::arch::nvidia {

/// Whether this pass makes code for a chip; host passes do so for all. Code for sm_75, sm_80, sm_86 and sm_89 runs on every
/// later NVIDIA GPU, so that their kernels are compiled for those as well. Code for an "a" architecture runs on that one
/// alone.
///
/// compute_capability  the chip's (chip_info)
/// has_own_code        whether no later chip runs its code
consteval bool is_compiled_for([[maybe_unused]] int compute_capability, [[maybe_unused]] bool has_own_code)
{
#if TEGULA_NVIDIA_PASS
    const int number = 10 * compute_capability;
    return has_own_code ? TEGULA_SPECIFIC_PASS == number : __CUDA_ARCH__ >= number;
#else
    return TEGULA_DEVICE_PASS == 0;
#endif
}

} // namespace tegula::arch::nvidia
