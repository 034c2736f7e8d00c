#pragma once

#include <tegula/core/array.hpp>
#include <tegula/core/half.hpp>

#include <bit>
#include <type_traits>

/// Patterns for registers that must not be read yet. They exist in registers alone: for memory the shadow knows the
/// writers.

namespace tegula::emulator {

/// Patterns of one run of a cluster. Data may look like them, and arithmetic may hide them. So a suspicion is followed
/// by a run with other patterns, in which only values made from such registers differ.
struct poison_words
{
    std::uint32_t unset;             ///< tiles of floats that were declared and not written
    std::uint32_t unset_double;      ///< of floats of 64 bits
    std::uint32_t unset_half;        ///< of half
    std::uint32_t unset_byte;        ///< of floats of 8 bits
    std::uint32_t unset_integer;     ///< of integers
    std::uint32_t unset_bool;        ///< of bool
    std::uint32_t in_flight;         ///< results of an asynchronous matrix instruction before the wait
    std::uint32_t in_flight_integer; ///< likewise, of integers
};

namespace poison {
/// NaN as float, bfloat16, half and double, and as both 8-bit floats: arithmetic propagates their bits, and sets
/// quiet_bit. They are signalling ones if the processor has the type, so that every comparison sets FE_INVALID.
/// Integers are negative.
inline constexpr poison_words first = {0x7fbb7fbb, 0x7ff57ff5, 0x7d7b7d7b, 0x7f7f7f7f,
                                       0x9a5b9a5b, 0x01010101, 0x7fbd7fbd, 0x9a5d9a5d};
inline constexpr std::uint32_t quiet_bit = 0x00400000;

/// Words of a run with other patterns in unwritten registers, and of one with other patterns in registers in flight.
constexpr poison_words unset_as(std::uint32_t word, std::uint32_t byte)
{
    poison_words words = first;
    words.unset = words.unset_double = words.unset_half = word;
    words.unset_byte = byte;
    words.unset_integer = ~first.unset_integer;
    words.unset_bool = 0;
    return words;
}
constexpr poison_words in_flight_as(std::uint32_t word)
{
    poison_words words = first;
    words.in_flight = word;
    words.in_flight_integer = ~first.in_flight_integer;
    return words;
}
/// Large numbers in all types of float.
inline constexpr poison_words other_unset = unset_as(0x64046404, 0x40404040);
inline constexpr poison_words other_in_flight = in_flight_as(0x64026402);
/// Negative numbers, as floats within int32's range: a comparison may choose, and a conversion end, as with a NaN.
inline constexpr poison_words negative_unset = unset_as(0xcb4dcb4d, 0xc0c0c0c0);
inline constexpr poison_words negative_in_flight = in_flight_as(0xcb4bcb4b);

/// Whether a stored word may come from a register that holds poison. Such a word is a NaN of 32 bits, or of 16 bits in
/// its upper half, other than the one that a processor makes of infinities. Or it is an integer pattern, a little
/// changed or converted to float.
constexpr bool looks_like_word(std::uint32_t word)
{
    constexpr std::uint32_t least = 0x7c010000;
    constexpr std::uint32_t sign = 0x80000000;
    constexpr auto as_float = std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(first.unset_integer)));
    const std::uint32_t quiet = word | quiet_bit;
    return word - least < sign - least || quiet == (first.unset | sign | quiet_bit) ||
           quiet == (first.in_flight | sign | quiet_bit) || word - (first.unset_integer - 256) < 512 ||
           (word & ~7U) == (as_float & ~7U);
}
/// Whether 16 bits look like a pattern: a NaN; with a sign, only a pattern or a conversion of one.
constexpr bool looks_like_half(std::uint16_t word)
{
    constexpr unsigned quiet_bits = quiet_bit >> 16;
    constexpr unsigned unset = (first.unset & 0xffff) | 0x8000 | quiet_bits;
    constexpr unsigned in_flight = (first.in_flight & 0xffff) | 0x8000 | quiet_bits;
    const unsigned quiet = word | quiet_bits;
    return (word > 0x7c00 && word < 0x8000) || quiet == unset || quiet == in_flight || word == 0xfe00 ||
           word == 0xffc0 || (word | 0x200) == ((first.unset_half & 0xffff) | 0x8200) ||
           word == (first.unset_integer & 0xffff);
}
constexpr bool looks_like_byte(std::uint8_t byte) { return byte == (first.unset_byte & 0xff); }
} // namespace poison

namespace detail {

/// The declaration that left registers unwritten.
enum unset_kind : std::uint8_t {
    some_unset = 1,
    integers_unset = 2, ///< whose pattern arithmetic changes
    bytes_unset = 4,    ///< floats of 8 bits
    integers_in_flight = 8
};

/// Type of the elements of a register array, at any depth.
template <class T>
struct innermost
{
    using type = T;
};
template <class T, int N>
struct innermost<array<T, N>>
{
    using type = typename innermost<T>::type;
};

template <class Element>
inline constexpr unset_kind unset_kind_of =
    static_cast<unset_kind>(some_unset | (std::is_integral_v<Element> ? integers_unset
                                          : sizeof(Element) == 1      ? bytes_unset
                                                                      : 0));
template <class Element>
constexpr std::uint32_t unset_word(const poison_words& words)
{
    return std::is_same_v<Element, bool>   ? words.unset_bool
           : std::is_integral_v<Element>   ? words.unset_integer
           : sizeof(Element) == 1          ? words.unset_byte
           : sizeof(Element) == 8          ? words.unset_double
           : std::is_same_v<Element, half> ? words.unset_half
                                           : words.unset;
}

} // namespace detail
} // namespace tegula::emulator
