#pragma once

#include <tegula/arch/amd/direct_load.hpp>
#include <tegula/arch/amd/primitives.hpp>

namespace tegula::arch {

struct gfx90a : amd::primitives<64>
{
    static consteval chip_info chip() { return tegula::chip::gfx90a; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__gfx90a__)
        return false;
#else
        return true;
#endif
    }
};

struct gfx942 : amd::primitives<64>
{
    static consteval chip_info chip() { return tegula::chip::gfx942; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__gfx942__)
        return false;
#else
        return true;
#endif
    }
};

struct gfx950 : amd::primitives<64>, amd::direct_loads
{
    static consteval chip_info chip() { return tegula::chip::gfx950; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__gfx950__)
        return false;
#else
        return true;
#endif
    }
};

struct gfx1100 : amd::primitives<32>
{
    static consteval chip_info chip() { return tegula::chip::gfx1100; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__gfx1100__)
        return false;
#else
        return true;
#endif
    }
};

struct gfx1200 : amd::primitives<32>
{
    static consteval chip_info chip() { return tegula::chip::gfx1200; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__gfx1200__)
        return false;
#else
        return true;
#endif
    }
};

struct gfx1201 : amd::primitives<32>
{
    static consteval chip_info chip() { return tegula::chip::gfx1201; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__gfx1201__)
        return false;
#else
        return true;
#endif
    }
};

} // namespace tegula::arch
