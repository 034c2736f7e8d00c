#pragma once

#include <tegula/arch/amd/async_copy.hpp>
#include <tegula/arch/amd/cluster.hpp>
#include <tegula/arch/amd/direct_load.hpp>
#include <tegula/arch/amd/primitives.hpp>
#include <tegula/arch/amd/scaled_conversion.hpp>
#include <tegula/arch/amd/tensor_mover.hpp>

namespace tegula::arch {

struct gfx908 : amd::primitives<64>
{
    static consteval chip_info chip() { return tegula::chip::gfx908; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__gfx908__)
        return false;
#else
        return true;
#endif
    }
};

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

struct gfx950 : amd::primitives<64>, amd::direct_loads, amd::scaled_conversions
{
    static constexpr bool rounds_to_bfloat16 = true;
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

struct gfx1250 : amd::primitives<32>, amd::async_copies, amd::tensor_mover, amd::workgroup_clusters
{
    static constexpr bool has_async_copy = true; // both bases say one
    static constexpr bool rounds_to_bfloat16 = true;
    static consteval chip_info chip() { return tegula::chip::gfx1250; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__gfx1250__)
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

struct gfx1101 : amd::primitives<32>
{
    static consteval chip_info chip() { return tegula::chip::gfx1101; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__gfx1101__)
        return false;
#else
        return true;
#endif
    }
};

struct gfx1102 : amd::primitives<32>
{
    static consteval chip_info chip() { return tegula::chip::gfx1102; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__gfx1102__)
        return false;
#else
        return true;
#endif
    }
};

struct gfx1103 : amd::primitives<32>
{
    static consteval chip_info chip() { return tegula::chip::gfx1103; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__gfx1103__)
        return false;
#else
        return true;
#endif
    }
};

struct gfx1150 : amd::primitives<32>
{
    static consteval chip_info chip() { return tegula::chip::gfx1150; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__gfx1150__)
        return false;
#else
        return true;
#endif
    }
};

struct gfx1151 : amd::primitives<32>
{
    static consteval chip_info chip() { return tegula::chip::gfx1151; }
    static consteval bool in_this_pass()
    {
#if TEGULA_DEVICE_PASS && !defined(__gfx1151__)
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
