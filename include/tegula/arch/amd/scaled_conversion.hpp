#pragma once

#include <tegula/arch/amd/primitives.hpp>
#include <tegula/core/array.hpp>
#include <tegula/core/block_scale.hpp>
#include <tegula/core/float8.hpp>
#include <tegula/core/static_for.hpp>

namespace tegula::arch::amd {

/// gfx950's conversions with the scale of a block (v_cvt_scalef32_pk_fp8_f32, _bf8_f32, _fp4_f32): two elements each.
struct scaled_conversions
{
    /// Whether a conversion to T takes the eight floats of a lane. (Those to fp6 take 32 of a lane.)
    template <class T>
    static constexpr bool has_scaled_conversion =
        std::is_same_v<T, float8_e4m3> || std::is_same_v<T, float8_e5m2> || std::is_same_v<T, float4_e2m1>;

    /// mx_element of each x in a block with this scale, packed, the first in the lowest bits.
    template <class T>
    static TEGULA_INLINE std::uint64_t convert_scaled(const array<float, 8>& x, float8_e8m0 scale)
    {
        static_assert(has_scaled_conversion<T>);
#if defined(__gfx950__)
        // Saturated first: the conversion's result for larger numbers depends on the wave's mode.
        const float most = __builtin_ldexpf(largest_value<T>, static_cast<int>(scale.bits) - 127);
        // Only the scale's exponent counts, also that of 2^-127, which is subnormal as a float.
        const float power = __builtin_bit_cast(float, static_cast<std::uint32_t>(scale.bits) << 23);
        std::uint32_t words[2] = {};
        static_for<4>([&](auto pair) {
            const float first = __builtin_amdgcn_fmed3f(x[2 * pair], -most, most);
            const float second = __builtin_amdgcn_fmed3f(x[2 * pair + 1], -most, most);
            typedef short halves __attribute__((ext_vector_type(2)));
            std::uint32_t& word = words[T::format::width == 4 ? 0 : pair / 2];
            if constexpr (std::is_same_v<T, float4_e2m1>)
                word = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, first, second, power, pair);
            else if constexpr (std::is_same_v<T, float8_e4m3>)
                word = __builtin_bit_cast(
                    std::uint32_t, __builtin_amdgcn_cvt_scalef32_pk_fp8_f32(__builtin_bit_cast(halves, word), first,
                                                                            second, power, pair % 2 == 1));
            else
                word = __builtin_bit_cast(
                    std::uint32_t, __builtin_amdgcn_cvt_scalef32_pk_bf8_f32(__builtin_bit_cast(halves, word), first,
                                                                            second, power, pair % 2 == 1));
        });
        const std::uint64_t packed = static_cast<std::uint64_t>(words[1]) << 32 | words[0];
        return scale.is_nan() ? 0 : packed;
#else
        std::uint64_t packed = 0;
        static_for<8>([&](auto i) {
            packed |= static_cast<std::uint64_t>(mx_element<T>(x[i], scale).bits) << T::format::width * i;
        });
        return packed;
#endif
    }
};

} // namespace tegula::arch::amd
