#pragma once

#include <tegula/core/float4.hpp>
#include <tegula/core/float6.hpp>
#include <tegula/core/scale_formats.hpp>

/// Scales of blocks of elements: value = element * scale of its block (* scale of the tensor for NVFP4).

namespace tegula {

/// How the scale of a Microscaling block is chosen.
enum class mx_rule {
    /// Microscaling Formats 1.0, 6.3: the largest power of two in the block, divided by that of the element type.
    /// Elements of the largest binade may exceed the type's largest value; they saturate.
    floor,
    /// The smallest power of two with which no element saturates; others call it RCEIL.
    ceil
};

/// Elements along k that share a scale.
inline constexpr int mx_block = 32, nvfp4_block = 16;

/// Largest finite value of an element type, as a float.
template <class T>
inline constexpr float largest_value = static_cast<float>(T::from_bits(T::format::max_bits));

/// Exponent of the largest power of two that an element type has: 2 for float4_e2m1 and float6_e2m3, 4 for
/// float6_e3m2, 8 for float8_e4m3, 15 for float8_e5m2.
template <class T>
inline constexpr int largest_exponent = float8_e8m0(largest_value<T>, scale_rounding::down).exponent();

/// The scale of a Microscaling block of T whose largest magnitude is `largest`: 2^-127 if that is 0, NaN if it is
/// NaN or infinite (of the element types only float8_e5m2 has infinities).
template <class T>
constexpr TEGULA_HOST_DEVICE float8_e8m0 mx_scale(float largest, mx_rule rule = mx_rule::floor)
{
    if (!(largest <= 0x1.fffffep127f))
        return float8_e8m0::from_bits(float8_e8m0::nan_bits);
    const float8_e8m0 below(largest, scale_rounding::down);
    // 2^-127 is the least scale; with it every element type reaches 2^-126.
    if (below.bits == 0)
        return below;
    const int exponent = below.exponent() - largest_exponent<T>;
    // Exact: the divisor is a power of two and no subnormal float.
    const float mantissa = largest / static_cast<float>(below);
    constexpr float most = largest_value<T> / static_cast<float>(float8_e8m0::power(largest_exponent<T>));
    return float8_e8m0::power(rule == mx_rule::ceil && mantissa > most ? exponent + 1 : exponent);
}

/// x over a power of two, in two steps, since the inverse of the scale may be no normal float. Neither step overflows
/// or loses bits that the result has. NaN if the scale is NaN.
constexpr TEGULA_HOST_DEVICE float divide_by(float x, float8_e8m0 scale)
{
    const int half = scale.exponent() / 2;
    const float first = static_cast<float>(float8_e8m0::power(-half));
    const float second = static_cast<float>(float8_e8m0::power(half - scale.exponent()));
    return scale.is_nan() ? static_cast<float>(scale) : x * first * second;
}

/// The element of T that stands for x in a block with this scale: x / scale rounded once to nearest even, saturated.
/// If the scale is NaN the element is zero.
template <class T>
constexpr TEGULA_HOST_DEVICE T mx_element(float x, float8_e8m0 scale)
{
    return scale.is_nan() ? T(0.0f) : T(divide_by(x, scale), overflow::saturate);
}

/// The scale of a tensor in NVFP4 whose largest magnitude is `largest`: with it the block that has the largest element
/// gets the largest scale, 448. 1 if the tensor is all zeros. At least 2^-126, the least normal float, as smaller
/// scales have fewer digits; the blocks' scales of such a tensor stay below 448.
constexpr TEGULA_HOST_DEVICE float nvfp4_tensor_scale(float largest)
{
    constexpr float most = largest_value<float8_e4m3> * largest_value<float4_e2m1>;
    return !(largest > 0) ? 1.0f : largest < most * 0x1p-126f ? 0x1p-126f : largest / most;
}

/// The scale of an NVFP4 block whose largest magnitude is `largest`.
constexpr TEGULA_HOST_DEVICE float8_ue4m3 nvfp4_scale(float largest, float tensor_scale)
{
    return float8_ue4m3(largest / largest_value<float4_e2m1> / tensor_scale);
}

/// The element that stands for x in an NVFP4 block; zero if the block's scale is 0 or NaN.
constexpr TEGULA_HOST_DEVICE float4_e2m1 nvfp4_element(float x, float8_ue4m3 scale, float tensor_scale)
{
    if (scale.bits == 0 || scale.is_nan())
        return float4_e2m1(0.0f);
    return float4_e2m1(x / (static_cast<float>(scale) * tensor_scale));
}

/// A Microscaling format as kernels take it: elements of T, a power of two for each 32 of them.
template <class T, mx_rule Rule = mx_rule::floor>
struct mx_format
{
    using element_type = T;
    using scale_type = float8_e8m0;
    static constexpr int block = mx_block;
    static constexpr bool has_tensor_scale = false;

    /// The scale of a block whose largest magnitude is `largest`.
    static constexpr TEGULA_HOST_DEVICE float8_e8m0 scale(float largest, float) { return mx_scale<T>(largest, Rule); }
    static constexpr TEGULA_HOST_DEVICE T element(float x, float8_e8m0 scale, float) { return mx_element<T>(x, scale); }
};

/// NVFP4 as kernels take it.
struct nvfp4_format
{
    using element_type = float4_e2m1;
    using scale_type = float8_ue4m3;
    static constexpr int block = nvfp4_block;
    static constexpr bool has_tensor_scale = true;

    /// The scale of a block; NaN if the largest magnitude is NaN or infinite.
    static constexpr TEGULA_HOST_DEVICE float8_ue4m3 scale(float largest, float tensor_scale)
    {
        return largest <= 0x1.fffffep127f ? nvfp4_scale(largest, tensor_scale) : float8_ue4m3::from_bits(0x7f);
    }
    static constexpr TEGULA_HOST_DEVICE float4_e2m1 element(float x, float8_ue4m3 scale, float tensor_scale)
    {
        return nvfp4_element(x, scale, tensor_scale);
    }
};

/// Bytes from the first scale to that of row `row` and block number `block` along k, in the order of Blackwell's
/// block-scaled products. Scales lie in atoms of 128 rows by 4 blocks, 512 bytes each. The atoms of 128 rows follow
/// each other along k. Rows are padded to a multiple of 128 and `blocks`, the blocks of a row, to a multiple of 4.
/// (PTX ISA 9.0, 9.7.16.10.7: rows of scale factors in tensor memory.)
constexpr TEGULA_HOST_DEVICE long_index_t scale_atom_offset(long_index_t row, long_index_t block, long_index_t blocks)
{
    const long_index_t atom = row / 128 * ((blocks + 3) / 4) + block / 4;
    const long_index_t r = row % 128;
    return atom * 512 + r % 32 * 16 + r / 32 * 4 + block % 4;
}

/// Bytes that the scales of `rows` rows take in that order, padding included. A row has `blocks` blocks.
constexpr TEGULA_HOST_DEVICE long_index_t scale_atom_bytes(long_index_t rows, long_index_t blocks)
{
    return (rows + 127) / 128 * ((blocks + 3) / 4) * 512;
}

} // namespace tegula
