#pragma once

#include <tegula/arch/nvidia/pass.hpp>
#include <tegula/core/array.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/core/convert.hpp>
#include <tegula/core/static_for.hpp>

/// Integers of at most 8 bits, scaled, as numbers of 16 bits: one by one, and a run of neighbours at a time.

namespace tegula::detail {

/// The integer minus its zero point, times its scale.
template <class Wide, class Form>
constexpr TEGULA_INLINE Wide dequantized(int q, typename Form::scale scale, [[maybe_unused]] typename Form::zero zero)
{
    float x = static_cast<float>(q);
    if constexpr (Form::has_zero_points)
        x -= static_cast<float>(zero);
    return convert<Wide>(x * static_cast<float>(scale));
}

/// Element i of a packet.
template <class Packet>
constexpr TEGULA_INLINE int packet_element(Packet p, [[maybe_unused]] int i)
{
    if constexpr (number_traits<Packet>::packing > 1)
        return p[i];
    else
        return p;
}

/// An integer of at most 8 bits in a floating-point type; exact.
template <class Wide>
constexpr TEGULA_INLINE Wide widen_integer(int q)
{
    const float x = static_cast<float>(q);
    if constexpr (std::is_same_v<Wide, bfloat16>) // no rounding: the lower half is zero
        return Wide::from_bits(__builtin_bit_cast(std::uint32_t, x) >> 16);
    else
        return convert<Wide>(x);
}

/// The N integers of a run that has one scale and one zero point, as Wide: bit for bit what dequantized() gives for
/// each, or widen_integer() if Form has no groups. A NaN may have another payload.
///
/// On GPUs whole words are converted, without the single-number conversions, which take four times as long as other
/// instructions. On AMD bytes are converted to floats, or become the low bits of the f16 number 1024. On NVIDIA they
/// become the low bits of the float 2^23. Integers of 4 bits without a scale become those of the f16 number 1024 or the
/// bf16 number 128, two at a time.
///
///   Together  whether neighbours were loaded together; if not, integers without a scale are converted one by one
template <class Target, class Wide, class Form, int N, bool Together>
struct dequantized_run
{
    using packet = typename Form::packet;
    using scale_type = typename Form::scale;
    using zero_type = typename Form::zero;
    static constexpr int packing = Form::packing;
    static constexpr int packets = N / packing;
    static constexpr bool scaled = Form::group != 0;

    static TEGULA_INLINE array<Wide, N> make(const array<packet, packets>& from, scale_type scale, zero_type zero)
    {
        array<Wide, N> wide;
#if TEGULA_DEVICE_PASS && defined(__AMDGCN__)
        constexpr bool in_pairs = N % 2 == 0 && (scaled || Together);
        if constexpr (in_pairs && std::is_same_v<Wide, bfloat16>)
            return __builtin_bit_cast(decltype(wide), pairs_by_floats(words_of(from), scale, zero));
        else if constexpr (in_pairs && by_halves)
            return __builtin_bit_cast(decltype(wide), pairs_by_halves(words_of(from), scale, zero));
#elif TEGULA_NVIDIA_PASS
        if constexpr (packing == 2 && packets % 4 == 0 && !scaled && sizeof(Wide) == 2)
            return __builtin_bit_cast(decltype(wide), pairs_by_places(__builtin_bit_cast(word_array, from)));
        else if constexpr (N % 2 == 0 && packets % 4 == 0 && sizeof(Wide) == 2)
            return by_places(__builtin_bit_cast(word_array, from), scale, zero);
#endif
        static_for<N>([&](auto i) {
            const int q = packet_element(from[i / packing], i % packing);
            if constexpr (scaled)
                wide[i] = dequantized<Wide, Form>(q, scale, zero);
            else
                wide[i] = widen_integer<Wide>(q);
        });
        return wide;
    }

private:
    static constexpr bool has_integer_zeros = Form::has_zero_points && std::is_integral_v<zero_type>;
    static constexpr bool is_signed = std::is_same_v<packet, std::int8_t> || std::is_same_v<packet, int4x2>;
    /// Its sum with a signed integer is an unsigned one: the integer with its sign bit flipped.
    static constexpr int bias = !is_signed ? 0 : packing == 2 ? 8 : 128;

    using word_array = array<std::uint32_t, (packets + 3) / 4>;

    /// To be subtracted from a biased integer: the bias, and the zero point if it is an integer.
    static TEGULA_INLINE float excess([[maybe_unused]] zero_type zero)
    {
        if constexpr (has_integer_zeros)
            return static_cast<float>(bias) + static_cast<float>(zero);
        else
            return static_cast<float>(bias);
    }
    /// One element a byte. 4-bit elements take two words, one for the even elements and one for the odd ones.
    static TEGULA_INLINE array<std::uint32_t, packing * word_array::size()> planes_of(const word_array& words)
    {
        array<std::uint32_t, packing * word_array::size()> planes;
        static_for<word_array::size()>([&](auto w) {
            if constexpr (packing == 2) {
                planes[2 * w] = words[w] & 0x0f0f0f0f;
                planes[2 * w + 1] = words[w] >> 4 & 0x0f0f0f0f;
            } else {
                planes[w] = words[w];
            }
        });
        return planes;
    }
    /// The integers with their sign bits flipped.
    static TEGULA_INLINE void flip_signs(word_array& words)
    {
        if constexpr (is_signed)
            static_for<word_array::size()>([&](auto w) { words[w] ^= packing == 2 ? 0x88888888u : 0x80808080u; });
    }

#if TEGULA_NVIDIA_PASS
    /// Three instructions a pair, and one a word. The sums are exact.
    static TEGULA_INLINE array<std::uint32_t, N / 2> pairs_by_places(const word_array& words)
    {
        constexpr bool is_bf16 = std::is_same_v<Wide, bfloat16>;
        // The number with the integer 0 in its low bits; signed integers are there with their sign bits flipped.
        constexpr std::uint32_t zero = is_bf16 ? 0x4300 : 0x6400, one = is_bf16 ? 0x3f80 : 0x3c00;
        constexpr std::uint32_t base = zero + bias, both = 0x10001;
        array<std::uint32_t, N / 2> pairs;
        static_for<N / 2>([&](auto p) {
            constexpr std::uint32_t byte = p % 4;
            const std::uint32_t word = words[p / 4];
            const std::uint32_t parts = __byte_perm(word, word >> 4, 0x4400 + 0x1111 * byte);
            std::uint32_t places; // parts & 0x000f000f ^ base * both: nvcc makes two instructions of it
            asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(places) : "r"(parts), "r"(0x000f000f), "r"(base * both));
            if constexpr (is_bf16)
                asm("fma.rn.bf16x2 %0, %1, %2, %3;"
                    : "=r"(pairs[p])
                    : "r"(places), "r"(one * both), "r"((base | 0x8000) * both));
            else
                asm("fma.rn.f16x2 %0, %1, %2, %3;"
                    : "=r"(pairs[p])
                    : "r"(places), "r"(one * both), "r"((base | 0x8000) * both));
        });
        return pairs;
    }
    static TEGULA_INLINE array<Wide, N> by_places(word_array words, [[maybe_unused]] scale_type scale, zero_type zero)
    {
        flip_signs(words);
        const auto planes = planes_of(words);
        const float less = 0x1p23f + excess(zero);
        index_t upper = 0x4b000000; // of the float 2^23
        Target::make_opaque(upper); // stays in a register
        array<Wide, N> wide;
        static_for<N>([&](auto i) {
            constexpr int packet = i / packing;
            const std::uint32_t plane = planes[packing * (packet / 4) + i % packing];
            float x =
                __uint_as_float(__byte_perm(plane, static_cast<std::uint32_t>(upper), 0x7650 + packet % 4)) - less;
            if constexpr (Form::has_zero_points && !has_integer_zeros)
                x -= static_cast<float>(zero);
            if constexpr (scaled)
                x *= static_cast<float>(scale);
            wide[i] = convert<Wide>(x);
        });
        return wide;
    }
#endif
#if TEGULA_DEVICE_PASS && defined(__AMDGCN__)
    /// The product of a 9-bit integer and an f16 scale is exact in float, so that rounding in f16 gives the same.
    static constexpr bool by_halves = std::is_same_v<Wide, half> && (!scaled || std::is_same_v<scale_type, half>) &&
                                      (!Form::has_zero_points || has_integer_zeros);
    using pair_array = array<std::uint32_t, N / 2>;
    typedef float float_pair __attribute__((ext_vector_type(2)));
    typedef _Float16 half_pair __attribute__((ext_vector_type(2)));

    static TEGULA_INLINE word_array words_of(const array<packet, packets>& from)
    {
        word_array words{};
        static_for<packets>([&](auto i) {
            words[i / 4] |= static_cast<std::uint32_t>(__builtin_bit_cast(std::uint8_t, from[i])) << i % 4 * 8;
        });
        flip_signs(words);
        return words;
    }

    static TEGULA_INLINE pair_array pairs_by_floats(const word_array& words, [[maybe_unused]] scale_type scale,
                                                    [[maybe_unused]] zero_type zero)
    {
        auto planes = planes_of(words);
        // Opaque, or LLVM takes each integer of 4 bits out of its word by two instructions before it converts it.
        if constexpr (packing == 2)
            for (auto& plane : planes)
                asm("" : "+v"(plane));
        const auto byte = [&](int i) {
            const int packet = i / packing;
            return static_cast<float>(planes[packing * (packet / 4) + i % packing] >> packet % 4 * 8 & 0xff);
        };
        const float less = excess(zero);
        pair_array result;
        static_for<N / 2>([&](auto p) {
            float_pair x{byte(2 * p), byte(2 * p + 1)};
            if constexpr (is_signed || has_integer_zeros)
                x -= float_pair{less, less};
            if constexpr (Form::has_zero_points && !has_integer_zeros) {
                const auto point = quiet(static_cast<float>(zero));
                x -= float_pair{point, point};
            }
            if constexpr (scaled) {
                const float factor = quiet(static_cast<float>(scale));
                x *= float_pair{factor, factor};
                if constexpr (Target::rounds_to_bfloat16)
                    result[p] = Target::round_pair(x[0], x[1]);
                else
                    result[p] = upper_halves(internal::rounded_above(x[0]), internal::rounded_above(x[1]));
            } else {
                result[p] = upper_halves(__builtin_bit_cast(std::uint32_t, float{x[0]}),
                                         __builtin_bit_cast(std::uint32_t, float{x[1]}));
            }
        });
        return result;
    }
    static TEGULA_INLINE std::uint32_t upper_halves(std::uint32_t low, std::uint32_t high)
    {
        return Target::template pick_bytes<0x7632>(low, high);
    }
    /// Drops the payload of a NaN, which rounding could carry into the sign. In integers: compilers may swap NaNs.
    static TEGULA_INLINE float quiet(float x)
    {
        const auto pattern = __builtin_bit_cast(std::uint32_t, x);
        const std::uint32_t number = (pattern & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : pattern;
        return __builtin_bit_cast(float, number);
    }

    static TEGULA_INLINE pair_array pairs_by_halves(const word_array& words, [[maybe_unused]] scale_type scale,
                                                    zero_type zero)
    {
        const float less = excess(zero);
        pair_array result;
        static_for<N / 2>([&](auto p) {
            constexpr int packet = 2 * decltype(p)::value / packing, byte = packet % 4;
            // An element's byte under 0x64, the upper byte of 1024. Two 4-bit elements share their byte.
            constexpr std::uint32_t bytes = 0x4040 + byte + ((packing == 2 ? byte : byte + 1) << 8);
            std::uint32_t word = Target::template pick_bytes<bytes>(words[packet / 4], 0x64646464u);
            half_pair x;
            if constexpr (packing == 2) {
                word &= 0xfff0ff0fu; // 1024 + the lower bits, 1024 + 16 times the upper ones
                const half_pair places{static_cast<_Float16>(1.0f), static_cast<_Float16>(0.0625f)};
                const half_pair base{static_cast<_Float16>(-1024.0f - less), static_cast<_Float16>(-64.0f - less)};
                x = __builtin_elementwise_fma(__builtin_bit_cast(half_pair, word), places, base);
            } else {
                const auto base = static_cast<_Float16>(1024.0f + less);
                x = __builtin_bit_cast(half_pair, word) - half_pair{base, base};
            }
            if constexpr (scaled) {
                const auto factor = __builtin_bit_cast(_Float16, scale);
                x *= half_pair{factor, factor};
            }
            result[p] = __builtin_bit_cast(std::uint32_t, x);
        });
        return result;
    }
#endif
};

} // namespace tegula::detail

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::dequantized;
using tegula::detail::packet_element;
using tegula::detail::widen_integer;
} // namespace tegula::internal
