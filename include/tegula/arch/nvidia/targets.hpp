#pragma once

#include <tegula/arch/nvidia/primitives.hpp>

namespace tegula::arch {

// Code for sm_80 and sm_89 runs on every later NVIDIA GPU, so that their kernels are compiled for those as well; what
// sm_90a, sm_100a and sm_103a add runs on nothing else.

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
