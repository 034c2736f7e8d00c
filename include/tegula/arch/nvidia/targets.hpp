#pragma once

#include <tegula/arch/nvidia/pass.hpp>
#include <tegula/arch/nvidia/primitives.hpp>

namespace tegula::arch {

namespace nvidia {

/// The base of NVIDIA's targets: their chip, and the passes of the compiler that make code for them.
template <const chip_info& Chip>
struct basic_target : primitives
{
    static consteval chip_info chip() { return Chip; }
    static consteval bool in_this_pass() { return is_compiled_for(Chip.compute_capability, Chip.has_own_code); }
};

} // namespace nvidia

/// Without asynchronous copies and without instructions that reduce a warp, which came with sm_80.
struct sm_75 : nvidia::basic_target<chip::sm_75>
{
    static constexpr bool has_async_copy = false;
    template <class Op, class T>
    static constexpr bool has_wave_reduction = false;
};
struct sm_80 : nvidia::basic_target<chip::sm_80>
{};
struct sm_89 : nvidia::basic_target<chip::sm_89>
{};
struct sm_90a : nvidia::basic_target<chip::sm_90a>
{};
struct sm_100a : nvidia::basic_target<chip::sm_100a>
{};
struct sm_103a : nvidia::basic_target<chip::sm_103a>
{};
struct sm_120a : nvidia::basic_target<chip::sm_120a>
{};
struct sm_121 : nvidia::basic_target<chip::sm_121>
{};

#define TEGULA_TARGET(name, ...)                                                                                       \
    struct name : nvidia::basic_target<chip::name>                                                                     \
    {};
TEGULA_NVIDIA_RELATIVES(TEGULA_TARGET)
#undef TEGULA_TARGET

} // namespace tegula::arch
