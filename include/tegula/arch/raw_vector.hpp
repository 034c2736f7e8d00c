#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

namespace detail {
template <int Bytes>
struct raw_word
{
    using type = std::uint32_t;
    static constexpr int bytes = 4;
};
template <>
struct raw_word<1>
{
    using type = std::uint8_t;
    static constexpr int bytes = 1;
};
template <>
struct raw_word<2>
{
    using type = std::uint16_t;
    static constexpr int bytes = 2;
};
} // namespace detail

/// `Bytes` bytes that one lane moves by one instruction, whatever they mean; aligned to their size.
template <int Bytes>
struct alignas(Bytes) raw_vector
{
    static_assert(Bytes == 1 || Bytes == 2 || Bytes == 4 || Bytes == 8 || Bytes == 16,
                  "one lane moves 1, 2, 4, 8 or 16 bytes at a time");
    using word = typename detail::raw_word<Bytes>::type;
    word words[Bytes / detail::raw_word<Bytes>::bytes];
};

/// Types that one instruction moves as they are.
template <class V>
concept one_access = std::is_trivially_copyable_v<V> && sizeof(V) == alignof(V) && sizeof(V) <= 16;

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::raw_word;
} // namespace tegula::internal
