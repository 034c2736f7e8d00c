#pragma once

#include <tegula/chip/chip_info.hpp>
#include <tegula/core/array.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/core/convert.hpp>
#include <tegula/core/half.hpp>

/// Atomic additions of two neighbours of 16 bits: f16x2 and bf16x2.

namespace tegula {

namespace detail {

/// Whether a chip adds pairs of T to global or shared memory in one instruction. AMD: the instructions
/// global_atomic_pk_add_f16, ..._bf16 and ds_pk_add_f16, ..._bf16 of the ISA guides; gfx90a has the first alone, gfx11
/// none. NVIDIA: atom of .f16x2 from sm_60 on, of .bf16x2 from sm_90 on (PTX ISA, "atom").
template <class T>
consteval bool adds_pairs(const chip_info& chip, bool in_shared_memory)
{
    constexpr bool is_f16 = std::is_same_v<T, half>;
    if (!is_f16 && !std::is_same_v<T, bfloat16>)
        return false;
    if (chip.vendor == vendor::nvidia)
        return is_f16 || chip.family >= chip_family::hopper;
    if (chip.family == chip_family::cdna_2)
        return is_f16 && !in_shared_memory;
    return chip.family == chip_family::cdna_3 || chip.family == chip_family::cdna_4 || chip.has_wmma_2();
}

/// Pairs of T, the first in the low half, after the addition of each: rounded to nearest even. The sum of two numbers of
/// 16 bits in float has digits enough that rounding it again changes nothing.
template <class T>
constexpr std::uint32_t add_pair(std::uint32_t old, std::uint32_t value)
{
    const auto x = __builtin_bit_cast(array<T, 2>, old), y = __builtin_bit_cast(array<T, 2>, value);
    array<T, 2> sum{};
    for (int i = 0; i < 2; ++i)
        sum[i] = convert<T>(static_cast<float>(x[i]) + static_cast<float>(y[i]));
    return __builtin_bit_cast(std::uint32_t, sum);
}

} // namespace detail
} // namespace tegula
