#pragma once

// The documented parameters of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col (CUDA driver API, "Tensor Map Object Management").

#include "decode.hpp"

#include <algorithm>

namespace ptx {

/// The first 8 of the 128 bytes that stand for a map in a program's memory; the next 8 are the number of its record.
inline constexpr std::uint64_t tensor_map_mark = 0x70616d5f78747000;

/// CUtensorMapDataType: uint8, uint16, uint32, int32, uint64, int64, float16, float32, float64, bfloat16, float32_ftz,
/// tfloat32, tfloat32_ftz, 16U4_ALIGN8B, 16U4_ALIGN16B, 16U6_ALIGN16B; the last two are bytes of shared memory.
inline const char* tensor_element_name(int type)
{
    static constexpr const char* names[] = {"u8",  "u16",  "u32", "s32", "u64", "s64", "f16", "f32",
                                            "f64", "bf16", "f32", "f32", "f32", "",    "u8",  "u8"};
    if (type < 0 || type > 15 || type == 13)
        throw fault("element type " + std::to_string(type) + " of a tensor map");
    return names[type];
}

inline int tensor_element_bytes(int type)
{
    const std::string name = tensor_element_name(type);
    return name == "u8" ? 1 : name == "bf16" ? 2 : parse_type(name).bits / 8;
}

/// Bytes in global memory of 16 that elements take in shared memory: PTX ISA, "Sub-byte Types: Padding and alignment of the
/// sub-byte types", .b4x16_p64 and .b6x16_p32.
inline int tensor_slot_bytes(int type) { return type == 14 ? 8 : type == 15 ? 12 : 16; }

/// The value of an element outside the tensor: zero, or NaN of all ones where the map asks for it.
inline std::vector<std::uint8_t> tensor_fill(const tensor_map_record& map)
{
    return std::vector<std::uint8_t>(static_cast<std::size_t>(tensor_element_bytes(map.type)),
                                     map.fill != 0 ? 0xff : 0);
}

/// The greatest offset of a dimension in im2col mode: PTX ISA, "Tensors: im2col mode, Bounding Box".
inline int most_im2col_offset(int rank) { return rank == 3 ? 0xffff : rank == 4 ? 0xff : 0x1f; }

/// The coordinates of W, H and D, dimensions 1 to rank - 2, where the bounding box begins and ends.
inline std::int64_t lowest_pixel(const tensor_map_record& map, std::size_t dimension)
{
    return map.lower[dimension - 1];
}
inline std::int64_t highest_pixel(const tensor_map_record& map, std::size_t dimension)
{
    return static_cast<std::int64_t>(map.lengths[dimension]) - 1 + map.upper[dimension - 1];
}

/// Checks the parameters as the document demands. Errors: fault.
inline void check_tensor_map(const tensor_map_record& map)
{
    const auto need = [](bool ok, const char* what) {
        if (!ok)
            throw fault(std::string("tensor map: ") + what);
    };
    need(map.rank >= 1 && map.rank <= 5, "1 to 5 dimensions");
    need(map.base % 16 == 0 && map.base != 0, "the base is a multiple of 16");
    need(map.interleave == 0, "interleaved layouts are not in the machine");
    const int element = tensor_element_bytes(map.type);
    const bool im2col = map.pixels != 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(map.rank); ++i) {
        need(map.lengths[i] >= 1 && map.lengths[i] <= std::uint64_t{1} << 32, "lengths are 1 to 2^32");
        need((im2col && i > 0) || (map.box[i] >= 1 && map.box[i] <= 256), "a box has 1 to 256 elements a dimension");
        need(map.element_strides[i] >= 1 && map.element_strides[i] <= 8, "element strides are 1 to 8");
        need(i == 0 || (map.strides[i] % 16 == 0 && map.strides[i] < std::uint64_t{1} << 40),
             "strides are multiples of 16 below 2^40");
    }
    if (im2col) {
        need(map.rank >= 3, "im2col mode has 3 to 5 dimensions");
        need(map.pixels >= 1 && map.pixels <= 1024, "a column has 1 to 1024 pixels");
        const int limit = (most_im2col_offset(map.rank) + 1) / 2;
        const auto images = static_cast<std::size_t>(map.rank - 1);
        for (std::size_t i = 1; i < images; ++i) {
            need(map.lower[i - 1] >= -limit && map.lower[i - 1] < limit && map.upper[i - 1] >= -limit &&
                     map.upper[i - 1] < limit,
                 "corners of the bounding box are of 16 bits, 8 of 4 dimensions, 5 of 5");
            need(lowest_pixel(map, i) <= highest_pixel(map, i), "the bounding box is empty");
        }
        // The document strides D, H and W alone.
        need(map.element_strides[images] == 1, "images follow each other without a stride");
    }
    if (tensor_slot_bytes(map.type) != 16) {
        need(map.base % 32 == 0, "the base of packed elements is a multiple of 32");
        need(map.lengths[0] % 128 == 0 && map.box[0] == 128,
             "rows of packed elements are multiples of 128, a box's 128");
        need(map.swizzle == 0 || map.swizzle == 3, "packed elements are swizzled by 128 bytes or not");
        for (std::size_t i = 1; i < static_cast<std::size_t>(map.rank); ++i)
            need(map.strides[i] % 32 == 0, "strides of packed elements are multiples of 32");
    }
    const std::uint32_t row = map.box[0] * static_cast<std::uint32_t>(element);
    need(row % 16 == 0, "a row of the box is a multiple of 16 bytes");
    // How rows narrower than the swizzle lie is not documented; wider ones are not allowed.
    need(map.swizzle == 0 || row == 16u << std::min(map.swizzle, 3), "a row of the box is as wide as the swizzle");
    need(map.swizzle >= 0 && map.swizzle <= 4, "swizzles are of 32, 64 and 128 bytes, the last by pieces of 16 or 32");
    need(map.atomicity == 0 || map.swizzle == 4, "pieces of 32 bytes are of the swizzle of 128 bytes");
}

} // namespace ptx
