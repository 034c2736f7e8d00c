#pragma once

#include <tegula/arch/nvidia/primitives.hpp>

namespace tegula::arch {

// Code for sm_75, sm_80, sm_86 and sm_89 runs on every later NVIDIA GPU, so that their kernels are compiled for those
// as well; what sm_90a, sm_100a and sm_103a add runs on nothing else.

/// Without asynchronous copies and without instructions that reduce a warp, which came with sm_80.
struct sm_75 : nvidia::primitives
{
    static constexpr bool has_async_copy = false;
    template <class Op, class T>
    static constexpr bool has_wave_reduction = false;

    static consteval chip_info chip() { return tegula::chip::sm_75; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__CUDA_ARCH__)
        return false;
#else
        return true;
#endif
    }
};

struct sm_80 : nvidia::primitives
{
    static consteval chip_info chip() { return tegula::chip::sm_80; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 800)
        return false;
#else
        return true;
#endif
    }
};

struct sm_86 : nvidia::primitives
{
    static consteval chip_info chip() { return tegula::chip::sm_86; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 860)
        return false;
#else
        return true;
#endif
    }
};

struct sm_89 : nvidia::primitives
{
    static consteval chip_info chip() { return tegula::chip::sm_89; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 890)
        return false;
#else
        return true;
#endif
    }
};

struct sm_90a : nvidia::primitives
{
    static consteval chip_info chip() { return tegula::chip::sm_90a; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__CUDA_ARCH_FEAT_SM90_ALL)
        return false;
#else
        return true;
#endif
    }
};

struct sm_120a : nvidia::primitives
{
    static consteval chip_info chip() { return tegula::chip::sm_120a; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__CUDA_ARCH_FEAT_SM120_ALL)
        return false;
#else
        return true;
#endif
    }
};

struct sm_100a : nvidia::primitives
{
    static consteval chip_info chip() { return tegula::chip::sm_100a; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__CUDA_ARCH_FEAT_SM100_ALL)
        return false;
#else
        return true;
#endif
    }
};

struct sm_121 : nvidia::primitives
{
    static consteval chip_info chip() { return tegula::chip::sm_121; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && (!defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 1210)
        return false;
#else
        return true;
#endif
    }
};

struct sm_103a : nvidia::primitives
{
    static consteval chip_info chip() { return tegula::chip::sm_103a; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__CUDA_ARCH_FEAT_SM103_ALL)
        return false;
#else
        return true;
#endif
    }
};

} // namespace tegula::arch
