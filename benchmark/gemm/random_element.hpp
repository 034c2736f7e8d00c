#pragma once

// The contents of the matrices: the GPU fills them, the host computes single elements anew to verify products.

#include <tegula/core/convert.hpp>

#include <cstdint>

namespace gemm_benchmark {

/// Element `index` of the random matrix `seed`: a multiple of 2^-23 uniform in [-1, 1), rounded to T. The bits are
/// splitmix64's (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
template <class T>
TEGULA_HOST_DEVICE constexpr T random_element(std::uint64_t seed, std::uint64_t index)
{
    std::uint64_t z = (seed << 40) + (index + 1) * 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    z = z ^ (z >> 31);
    const auto bits = static_cast<std::int32_t>(z >> 40); // 24 of them
    return tegula::convert<T>(static_cast<float>(bits - (1 << 23)) * 0x1p-23f);
}

} // namespace gemm_benchmark
