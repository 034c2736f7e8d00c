#pragma once

// The contents of the matrices: the GPU fills them, the host computes single elements anew to verify products.

#include <tegula/core/convert.hpp>
#include <tegula/core/mix_bits.hpp>

#include <cstdint>

namespace gemm_benchmark {

/// Element `index` of the random matrix `seed`: a multiple of 2^-23 uniform in [-1, 1), rounded to T. The bits are
/// splitmix64's.
template <class T>
TEGULA_HOST_DEVICE constexpr T random_element(std::uint64_t seed, std::uint64_t index)
{
    const std::uint64_t z = tegula::mix_bits((seed << 40) + (index + 1) * 0x9e3779b97f4a7c15ull);
    const auto bits = static_cast<std::int32_t>(z >> 40); // 24 of them
    return tegula::convert<T>(static_cast<float>(bits - (1 << 23)) * 0x1p-23f);
}

} // namespace gemm_benchmark
