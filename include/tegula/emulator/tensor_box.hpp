#pragma once

#include <tegula/chip/tensor_map.hpp>

#include <cstring>

/// Tensor maps as the emulator has them: the parameters themselves, packed into the bytes of a kernel's argument; and
/// the rows of a box, as the copy hardware walks them.

namespace tegula::emulator {

namespace detail {

struct packed_tensor_map
{
    static constexpr std::uint64_t tag = 0x70616d2e616c7567; // no encoding of the driver's begins so

    std::uint64_t mark;
    const void* base;
    std::uint64_t strides_bytes[4];
    std::uint32_t last[5]; // length - 1
    std::uint16_t box[5];
    std::uint8_t element_strides[5];
    std::uint8_t type, rank, swizzle, promotion;
};
static_assert(sizeof(packed_tensor_map) <= sizeof(tensor_map));

} // namespace detail

/// The map as the emulator reads it; the parameters have passed check_tensor_address().
inline tensor_map describe_tensor_map(const tensor_map_parameters& p)
{
    detail::packed_tensor_map packed{};
    packed.mark = detail::packed_tensor_map::tag;
    packed.base = p.base;
    for (int i = 0; i < p.rank; ++i) {
        packed.last[i] = static_cast<std::uint32_t>(p.lengths[i] - 1);
        packed.box[i] = static_cast<std::uint16_t>(p.box[i]);
        packed.element_strides[i] = static_cast<std::uint8_t>(p.element_strides[i]);
        if (i > 0)
            packed.strides_bytes[i - 1] = p.strides_bytes[i];
    }
    packed.type = static_cast<std::uint8_t>(p.type);
    packed.rank = static_cast<std::uint8_t>(p.rank);
    packed.swizzle = static_cast<std::uint8_t>(p.swizzle);
    packed.promotion = static_cast<std::uint8_t>(p.promotion);
    tensor_map map;
    std::memcpy(map.words, &packed, sizeof(packed));
    return map;
}

/// The parameters of a map made by describe_tensor_map(); false for any other.
inline bool read_tensor_map(const tensor_map& map, tensor_map_parameters& p)
{
    detail::packed_tensor_map packed;
    std::memcpy(&packed, map.words, sizeof(packed));
    if (packed.mark != detail::packed_tensor_map::tag)
        return false;
    p.base = packed.base;
    p.type = static_cast<tensor_element>(packed.type);
    p.rank = packed.rank;
    p.swizzle = static_cast<swizzle_mode>(packed.swizzle);
    p.promotion = static_cast<l2_promotion>(packed.promotion);
    for (int i = 0; i < p.rank; ++i) {
        p.lengths[i] = std::uint64_t{packed.last[i]} + 1;
        p.box[i] = packed.box[i];
        p.element_strides[i] = packed.element_strides[i];
        p.strides_bytes[i] = i > 0 ? packed.strides_bytes[i - 1] : 0;
    }
    return true;
}

namespace detail {

/// One row of a box: its first byte in the packed box, and which of its bytes lie in the tensor.
struct box_row
{
    int offset = 0;
    int bytes = 0; ///< bytes of the row
    int skipped = 0;
    int inside = 0; ///< bytes of the tensor, after the skipped ones
    const std::byte* global = nullptr;
};

/// Calls `look` for the rows of the box whose first element is `x`, in the order of shared memory.
template <class Look>
void for_each_row(const tensor_map_parameters& p, const int* x, const Look& look)
{
    const int size = bytes_of(p.type);
    // 16 elements spread over slots are slot_bytes() in memory.
    const auto in_memory = [&](long elements) { return elements * size * slot_bytes(p.type) / 16; };
    const long first = x[0] < 0 ? 0 : x[0];
    const long end = static_cast<long>(x[0]) + p.box[0] < static_cast<long>(p.lengths[0])
                         ? static_cast<long>(x[0]) + p.box[0]
                         : static_cast<long>(p.lengths[0]);
    std::uint32_t at[tensor_map_parameters::max_rank]{};
    box_row row;
    row.bytes = static_cast<int>(p.box[0]) * size;
    for (;;) {
        long from_base = in_memory(first);
        bool inside = first < end;
        for (int i = 1; i < p.rank; ++i) {
            const long position = x[i] + static_cast<long>(at[i]) * p.element_strides[i];
            inside = inside && position >= 0 && position < static_cast<long>(p.lengths[i]);
            from_base += position * static_cast<long>(p.strides_bytes[i]);
        }
        row.skipped = inside ? static_cast<int>(first - x[0]) * size : 0;
        row.inside = inside ? static_cast<int>(in_memory(end - first)) : 0;
        row.global = inside ? static_cast<const std::byte*>(p.base) + from_base : nullptr;
        look(static_cast<const box_row&>(row));
        row.offset += row.bytes;
        int i = 1;
        while (i < p.rank && ++at[i] == p.copied(i))
            at[i++] = 0;
        if (i >= p.rank)
            return;
    }
}

/// Copies bytes of a row of the tensor to their place in a box: spread over slots of 16 bytes, or unchanged.
inline void spread_row(tensor_element type, std::byte* to, const std::byte* from, int bytes)
{
    const int slot = slot_bytes(type);
    if (slot == 16) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
        return;
    }
    for (int at = 0; at < bytes; at += slot) {
        std::memset(to + at / slot * 16, 0xff, 16); // what is undefined
        std::memcpy(to + at / slot * 16, from + at, static_cast<std::size_t>(slot));
    }
}

/// Copies the packed box to the order of shared memory from byte `offset` on, or back, in chunks of 16 bytes.
inline void swizzle_box(swizzle_mode mode, long offset, const std::byte* in_a_row, std::byte* swizzled, long bytes)
{
    for (long at = 0; at < bytes; at += 16)
        std::memcpy(swizzled + (swizzle(mode, static_cast<std::uint32_t>(offset + at)) - offset), in_a_row + at, 16);
}
inline void unswizzle_box(swizzle_mode mode, long offset, const std::byte* swizzled, std::byte* in_a_row, long bytes)
{
    for (long at = 0; at < bytes; at += 16)
        std::memcpy(in_a_row + at, swizzled + (swizzle(mode, static_cast<std::uint32_t>(offset + at)) - offset), 16);
}

} // namespace detail
} // namespace tegula::emulator
