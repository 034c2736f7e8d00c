#pragma once

#include <cstdint>

namespace tegula {

/// The unsigned integer type of that many bytes: 1, 2, 4 or 8.
template <int Bytes>
struct word_of_bytes;
template <>
struct word_of_bytes<1>
{
    using type = std::uint8_t;
};
template <>
struct word_of_bytes<2>
{
    using type = std::uint16_t;
};
template <>
struct word_of_bytes<4>
{
    using type = std::uint32_t;
};
template <>
struct word_of_bytes<8>
{
    using type = std::uint64_t;
};

} // namespace tegula
