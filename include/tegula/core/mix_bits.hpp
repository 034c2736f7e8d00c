#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// The output function of splitmix64: a permutation of 64-bit words in which each bit depends on all bits of x. (Steele,
/// Lea and Flood, "Fast splittable pseudorandom number generators", 2014, with the constants of Stafford's variant 13.)
constexpr TEGULA_HOST_DEVICE std::uint64_t mix_bits(std::uint64_t x)
{
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

} // namespace tegula
