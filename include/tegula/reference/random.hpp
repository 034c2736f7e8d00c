#pragma once

#include <tegula/core/convert.hpp>
#include <tegula/core/mix_bits.hpp>

#include <cmath>
#include <cstdint>
#include <span>

namespace tegula {

/// Seeded random numbers, the same on every platform: integer arithmetic and single rounded operations only.
/// xoshiro256++ (Blackman and Vigna), its state filled by splitmix64.
class random_source
{
public:
    explicit random_source(std::uint64_t seed)
    {
        for (std::uint64_t& word : state_) {
            seed += 0x9e3779b97f4a7c15ull;
            word = mix_bits(seed);
        }
    }

    /// 64 random bits.
    std::uint64_t next()
    {
        const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotate(state_[3], 45);
        return result;
    }

    /// In [0, 1), a multiple of 2^-53.
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
    /// In [low, high], rounded once.
    double uniform(double low, double high) { return std::fma(uniform(), high - low, low); }

    /// Mean 0, variance 1: the sum of twelve uniform numbers less its mean (Irwin-Hall). Close to normal to about three
    /// standard deviations, never past six; unlike exact methods it needs no logarithm, which platforms round
    /// differently.
    double normal()
    {
        std::int64_t sum = 0;
        for (int i = 0; i < 6; ++i) {
            const std::uint64_t pair = next();
            sum += static_cast<std::int64_t>(pair >> 32) + static_cast<std::int64_t>(pair & 0xffffffffu);
        }
        return static_cast<double>(sum + 6 - (std::int64_t{6} << 32)) * 0x1p-32;
    }

    /// In [low, high], each as likely as the others to within 2^-32; high - low must be below 2^32.
    std::int64_t integer(std::int64_t low, std::int64_t high)
    {
        const auto count = static_cast<std::uint64_t>(high - low) + 1;
        return low + static_cast<std::int64_t>(((next() >> 32) * count) >> 32);
    }

private:
    static constexpr std::uint64_t rotate(std::uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

    std::uint64_t state_[4];
};

/// Fills `values` with convert<T> of uniform numbers from [low, high].
template <class T>
void fill_uniform(std::span<T> values, std::uint64_t seed, double low = -1, double high = 1)
{
    random_source random(seed);
    for (T& value : values)
        value = convert<T>(random.uniform(low, high));
}

/// Fills `values` with convert<T> of normal numbers.
template <class T>
void fill_normal(std::span<T> values, std::uint64_t seed, double mean = 0, double deviation = 1)
{
    random_source random(seed);
    for (T& value : values)
        value = convert<T>(std::fma(random.normal(), deviation, mean));
}

/// Fills `values` with integers from [low, high]; sums of their products stay exact as long as they fit T's
/// accumulator.
template <class T>
void fill_integers(std::span<T> values, std::uint64_t seed, std::int64_t low, std::int64_t high)
{
    random_source random(seed);
    for (T& value : values)
        value = convert<T>(static_cast<double>(random.integer(low, high)));
}

} // namespace tegula
