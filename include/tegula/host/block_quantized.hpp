#pragma once

#include <tegula/core/block_scale.hpp>
#include <tegula/core/math.hpp>
#include <tegula/core/status.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

/// Matrices of elements of 4, 6 or 8 bits with a scale for each block of neighbours along k, on the host.

namespace tegula {

/// A matrix [rows, k] of elements T of 4, 6 or 8 bits, with one Scale for each `block` elements of a row. A row starts
/// at a byte boundary. Elements lie without gaps, the first in the lowest bits. Zeros fill the last bytes of a row.
template <class T, class Scale>
struct block_quantized
{
    long_index_t rows = 0, k = 0;
    int block = mx_block;          ///< elements along k that share a scale
    float tensor_scale = 1;        ///< NVFP4's second level, else 1
    std::vector<std::byte> values; ///< [rows, row_bytes()]
    std::vector<Scale> scales;     ///< [rows, blocks()]

    static constexpr int bits = T::format::width;

    /// Scales per row; the last may cover fewer elements.
    long_index_t blocks() const { return ceil_div(k, block); }
    /// Bytes per row: whole bytes for 4 bits, whole groups of 3 bytes for 6 bits.
    long_index_t row_bytes() const
    {
        constexpr int elements = bits == 4 ? 2 : bits == 6 ? 4 : 1;
        return ceil_div(k, elements) * (elements * bits / 8);
    }

    /// Element i of a row, as it is stored. Here and below: row in [0, rows), i in [0, k).
    T element(long_index_t row, long_index_t i) const
    {
        std::uint32_t pattern = 0;
        for (int b = 0; b < bits; ++b)
            pattern |= (byte_at(row, i * bits + b) >> ((i * bits + b) % 8) & 1u) << b;
        return T::from_bits(pattern);
    }
    void set(long_index_t row, long_index_t i, T x)
    {
        for (int b = 0; b < bits; ++b) {
            const auto one = static_cast<std::byte>(1u << ((i * bits + b) % 8));
            std::byte& at = values[static_cast<std::size_t>(row * row_bytes() + (i * bits + b) / 8)];
            at = (x.bits >> b & 1u) != 0 ? at | one : at & ~one;
        }
    }
    /// The scale of the block that element i of a row lies in.
    Scale scale(long_index_t row, long_index_t i) const
    {
        return scales[static_cast<std::size_t>(row * blocks() + i / block)];
    }

    /// The number that element i of a row stands for: element * scale * tensor_scale, exactly.
    double value(long_index_t row, long_index_t i) const
    {
        return static_cast<double>(static_cast<float>(element(row, i))) * static_cast<double>(scale(row, i)) *
               static_cast<double>(tensor_scale);
    }

    /// The scales in the order in which Blackwell's matrix instructions read them: in atoms of 128 rows by 4 blocks
    /// (scale_atom_offset). Rows and blocks past the matrix have the scale bits 0.
    std::vector<Scale> scale_atoms() const
    {
        const long_index_t padded = round_up(rows, 128) * round_up(blocks(), 4);
        std::vector<Scale> atoms(static_cast<std::size_t>(padded), Scale::from_bits(0));
        for (long_index_t r = 0; r < rows; ++r)
            for (long_index_t b = 0; b < blocks(); ++b)
                atoms[static_cast<std::size_t>(scale_atom_offset(r, b, blocks()))] =
                    scales[static_cast<std::size_t>(r * blocks() + b)];
        return atoms;
    }

private:
    unsigned byte_at(long_index_t row, long_index_t bit) const
    {
        return static_cast<unsigned>(values[static_cast<std::size_t>(row * row_bytes() + bit / 8)]);
    }
};

namespace detail {

/// The greatest magnitude of the numbers x; NaN if one of them is NaN or infinite, 0 if x is empty.
inline float largest_magnitude(std::span<const float> x)
{
    float largest = 0;
    for (float v : x) {
        if (!std::isfinite(v))
            return std::numeric_limits<float>::quiet_NaN();
        largest = std::fmax(largest, std::fabs(v));
    }
    return largest;
}

/// Quantises x, a row-major [q.rows, q.k], by blocks: scale_of(block) gives a scale, element_of(x, scale) an element.
template <class Quantized, class ScaleOf, class ElementOf>
void quantize_rows(Quantized& q, std::span<const float> x, const ScaleOf& scale_of, const ElementOf& element_of)
{
    q.values.assign(static_cast<std::size_t>(q.rows * q.row_bytes()), std::byte{0});
    q.scales.clear();
    q.scales.reserve(static_cast<std::size_t>(q.rows * q.blocks()));
    for (long_index_t row = 0; row < q.rows; ++row)
        for (long_index_t first = 0; first < q.k; first += q.block) {
            const long_index_t count = std::min<long_index_t>(q.block, q.k - first);
            const auto block = x.subspan(static_cast<std::size_t>(row * q.k + first), static_cast<std::size_t>(count));
            const auto scale = scale_of(block);
            q.scales.push_back(scale);
            for (long_index_t i = 0; i < count; ++i)
                q.set(row, first + i, element_of(block[static_cast<std::size_t>(i)], scale));
        }
}

inline status nvfp4_not_finite()
{
    return status(status_code::invalid_argument,
                  "the tensor has NaN or an infinity, which NVFP4 cannot hold; remove it before quantising");
}

inline status check_matrix(std::span<const float> x, long_index_t rows, long_index_t k)
{
    if (rows < 0 || k < 0 || static_cast<long_index_t>(x.size()) != rows * k)
        return status(status_code::invalid_argument, "quantising ")
               << rows << " rows of " << k << " needs " << rows * k << " numbers, but "
               << static_cast<long_index_t>(x.size()) << " are given";
    return {};
}

} // namespace detail

/// Quantises a row-major [rows, k] matrix by the Microscaling rule: blocks of 32 along k, the last one shorter if 32
/// does not divide k. A block with NaN or an infinity gets a NaN scale. `result` is left alone on an error.
template <class T>
status quantize_mx(std::span<const float> x, long_index_t rows, long_index_t k, block_quantized<T, float8_e8m0>& result,
                   mx_rule rule = mx_rule::floor)
{
    const status s = detail::check_matrix(x, rows, k);
    if (!s)
        return s;
    result.rows = rows;
    result.k = k;
    result.block = mx_block;
    result.tensor_scale = 1;
    detail::quantize_rows(
        result, x, [&](auto block) { return mx_scale<T>(detail::largest_magnitude(block), rule); },
        [](float v, float8_e8m0 scale) { return mx_element<T>(v, scale); });
    return {};
}

/// Quantises a row-major [rows, k] matrix to NVFP4: blocks of 16 along k with a scale of 8 bits each, and one scale of
/// the tensor. A tensor with NaN or an infinity is refused, as its scale would fit no other element.
inline status quantize_nvfp4(std::span<const float> x, long_index_t rows, long_index_t k,
                             block_quantized<float4_e2m1, float8_ue4m3>& result)
{
    const status s = detail::check_matrix(x, rows, k);
    if (!s)
        return s;
    const float largest = detail::largest_magnitude(x);
    if (!std::isfinite(largest))
        return detail::nvfp4_not_finite();
    result.rows = rows;
    result.k = k;
    result.block = nvfp4_block;
    result.tensor_scale = nvfp4_tensor_scale(largest);
    detail::quantize_rows(
        result, x, [&](auto block) { return nvfp4_scale(detail::largest_magnitude(block), result.tensor_scale); },
        [&](float v, float8_ue4m3 scale) { return nvfp4_element(v, scale, result.tensor_scale); });
    return {};
}

/// The factor of the product of two NVFP4 tensors, a's scale times b's, in two parts for kernels: the tensor_scale of
/// the arguments, and a power of two for alpha. The power is 1 unless the operands are tiny or huge.
struct nvfp4_product_scale
{
    float tensor_scale, of_alpha;

    /// The scales are those of nvfp4_tensor_scale.
    nvfp4_product_scale(float a, float b)
    {
        const double scale = static_cast<double>(a) * static_cast<double>(b);
        const int exponent = std::ilogb(scale);
        const int kept = std::clamp(exponent, -100, 106); // products of elements and blocks' scales stay normal numbers
        tensor_scale = static_cast<float>(std::ldexp(scale, kept - exponent));
        of_alpha = static_cast<float>(std::ldexp(1.0, exponent - kept)); // 0 if float holds no result
    }
};

} // namespace tegula
