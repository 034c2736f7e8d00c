#pragma once

#include <tegula/arch/amd/async_copy.hpp>
#include <tegula/arch/amd/cluster.hpp>
#include <tegula/arch/amd/direct_load.hpp>
#include <tegula/arch/amd/primitives.hpp>
#include <tegula/arch/amd/scaled_conversion.hpp>
#include <tegula/arch/amd/tensor_mover.hpp>

namespace tegula::arch {

namespace amd {

/// The base of AMD's targets: their chip, and the passes of the compiler that make code for them.
template <const chip_info& Chip>
struct basic_target : primitives<Chip.wave_size>
{
    static consteval chip_info chip() { return Chip; }
    static consteval bool in_this_pass()
    {
#if !TEGULA_DEVICE_PASS
        return true;
#elif defined(__amdgcn_processor__)
        return internal::equal_text(Chip.name, __amdgcn_processor__);
#else
        return false;
#endif
    }
};

} // namespace amd

struct gfx908 : amd::basic_target<chip::gfx908>
{};
struct gfx90a : amd::basic_target<chip::gfx90a>
{};
struct gfx942 : amd::basic_target<chip::gfx942>
{};
struct gfx950 : amd::basic_target<chip::gfx950>, amd::direct_loads, amd::scaled_conversions
{
    static constexpr bool rounds_to_bfloat16 = true;
    static constexpr bool rounds_to_half = true;
};
struct gfx1250 : amd::basic_target<chip::gfx1250>, amd::async_copies, amd::tensor_mover, amd::workgroup_clusters
{
    static constexpr bool has_async_copy = true; // both bases define one
    static constexpr bool rounds_to_bfloat16 = true;
};
struct gfx1100 : amd::basic_target<chip::gfx1100>
{};
struct gfx1201 : amd::basic_target<chip::gfx1201>
{};

#define TEGULA_TARGET(name, ...)                                                                                       \
    struct name : amd::basic_target<chip::name>                                                                        \
    {};
TEGULA_AMD_RELATIVES(TEGULA_TARGET)
#undef TEGULA_TARGET

} // namespace tegula::arch
