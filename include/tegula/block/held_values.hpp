#pragma once

#include <tegula/block/float_pairs.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/core/convert.hpp>
#include <tegula/tensor/elementwise.hpp>

#include <cstdint>

namespace tegula {

/// A lane's part of a row's numbers as they lie in memory. Elements of 16 bits are two in a register of a GPU: a register
/// each, or as floats, is what compilers would carry through branches. Others, and those of a CPU, are floats.
template <class Tile, class T>
struct held_values
{
    using target = typename Tile::target;
    using floats_type = typename Tile::template values<float>;
    static constexpr bool packed = target::wave_size != 1 && sizeof(T) == 2 && Tile::vector % 2 == 0;
    static constexpr int per_word = packed ? 2 : 1;

    array<std::conditional_t<packed, std::uint32_t, float>, Tile::registers / per_word> words;

    /// Pair p of the numbers (float_pairs) as floats, which are made here and not before a branch.
    template <class P>
    TEGULA_INLINE auto pair(P p) const
    {
        if constexpr (packed) {
            std::uint32_t word = words[p];
            if constexpr (target::vendor == vendor::amd)
                target::hide(word);
            const auto two = __builtin_bit_cast(array<T, 2>, word);
            return array<float, 2>{convert<float>(two[0]), convert<float>(two[1])};
        } else {
            return float_pairs<target>::get(words, p);
        }
    }
    /// All of them.
    TEGULA_INLINE floats_type floats() const
    {
        floats_type x;
        if constexpr (packed)
            float_pairs<target>::update(x.registers, [&](const auto&, auto p) TEGULA_INLINE_LAMBDA { return pair(p); });
        else
            x.registers = words;
        return x;
    }
    /// x, rounded to T.
    ///
    ///   ShortNan  the lower half of every NaN is 0
    template <bool ShortNan = false>
    static TEGULA_INLINE held_values round(floats_type x)
    {
        held_values held;
#if TEGULA_AMD_PASS
        if constexpr (packed && std::is_same_v<T, bfloat16>) {
            if constexpr (!ShortNan && !target::rounds_to_bfloat16)
                shorten_nans(x);
            internal::for_registers<Tile::registers / 2>([&](auto w) {
                if constexpr (target::rounds_to_bfloat16)
                    held.words[w] = target::round_pair(x[2 * w], x[2 * w + 1]);
                else // one permutation takes the upper halves of two
                    held.words[w] = target::template pick_bytes<0x7632>(internal::rounded_above(x[2 * w]),
                                                                        internal::rounded_above(x[2 * w + 1]));
            });
            return held;
        }
#endif
        const typename Tile::template values<T> rounded = cast<T>(x);
        if constexpr (packed)
            held.words = __builtin_bit_cast(decltype(words), rounded);
        else
            internal::convert_all(held.words, rounded.registers);
        return held;
    }

    /// Part p of the tile's parts.
    template <class Part, class P>
    TEGULA_INLINE held_values<Part, T> part(P p) const
    {
        held_values<Part, T> some;
        constexpr int count = Part::registers / per_word;
        internal::for_registers<count>([&](auto w) { some.words[w] = words[p * count + w]; });
        return some;
    }
    template <class Part, class P>
    TEGULA_INLINE void set_part(P p, const held_values<Part, T>& some)
    {
        constexpr int count = Part::registers / per_word;
        internal::for_registers<count>([&](auto w) { words[p * count + w] = some.words[w]; });
    }

private:
    /// Makes the lower half of every NaN 0. Most of rounding to bfloat16 would be about NaN, which almost no chunk has.
    static TEGULA_INLINE void shorten_nans(floats_type& x)
    {
        using pairs = float_pairs<target>;
        const float zero = pairs::template sum<Tile::registers>([&](const auto& sum, auto p) {
            return pairs::multiply_add(pairs::get(x.registers, p), pairs::of(0.0f), sum);
        });
        if (target::any_lane(zero != 0)) // a NaN or an infinity
            internal::for_registers<Tile::registers>([&](auto r) {
                const auto bits = __builtin_bit_cast(std::uint32_t, x[r]);
                const auto quiet = __builtin_bit_cast(float, (bits & 0x80000000u) | 0x7fc00000u);
                x[r] = x[r] != x[r] ? quiet : x[r];
            });
    }
};

} // namespace tegula
