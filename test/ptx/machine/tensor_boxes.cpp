// PTX ISA: "Tensors: Tiled mode, im2col mode, Bounding Box, Traversal-Stride, Out of Boundary Access, Swizzling Modes";
// "Restriction on Tensor Copy instructions".

#include "tensor_boxes.hpp"

#include <algorithm>

namespace ptx {

namespace {

/// Swizzles 32, 64 or 128 bytes by pieces of 16, and 128 by pieces of 32.
std::uint64_t swizzle(int mode, std::uint64_t address)
{
    if (mode == 4)
        return address ^ (address >> 7 & 3) << 5;
    const std::uint64_t rows = mode == 3 ? 7 : mode == 2 ? 3 : mode == 1 ? 1 : 0; // 128, 64, 32 bytes
    return address ^ (address >> 7 & rows) << 4;
}

/// A transfer without segments yet, to a place of shared memory.
transfer begin_transfer(const tensor_map_record& map, std::size_t coordinates, std::uint64_t shared)
{
    if (static_cast<int>(coordinates) != map.rank)
        throw fault(std::to_string(coordinates) + " coordinates for a tensor map of " + std::to_string(map.rank) +
                    " dimensions");
    if (shared % 128 != 0)
        throw fault("a box at " + hex(shared) + " of shared memory, which is no multiple of 128");
    transfer t;
    t.type = tensor_element_name(map.type);
    t.fill = tensor_fill(map);
    return t;
}

/// The next row of a box: box[0] elements from coordinates `at` on.
void add_row(transfer& t, const tensor_map_record& map, const std::vector<std::int64_t>& at, std::uint64_t shared)
{
    const int element = tensor_element_bytes(map.type);
    bool inside = true;
    std::uint64_t address = map.base;
    for (std::size_t k = 1; k < at.size(); ++k) {
        inside = inside && at[k] >= 0 && at[k] < static_cast<std::int64_t>(map.lengths[k]);
        address += static_cast<std::uint64_t>(at[k]) * map.strides[k];
    }
    const std::int64_t row_bytes = static_cast<std::int64_t>(map.box[0]) * element;
    const std::int64_t length = static_cast<std::int64_t>(map.lengths[0]) * element, first = at[0] * element;
    for (std::int64_t chunk = 0; chunk < row_bytes; chunk += 16) {
        segment s;
        s.shared = swizzle(map.swizzle, shared + static_cast<std::uint64_t>(t.bytes + chunk));
        s.begin = static_cast<int>(std::clamp<std::int64_t>(-(first + chunk), 0, 16));
        s.end = static_cast<int>(std::clamp<std::int64_t>(length - (first + chunk), 0, 16));
        const int slot = tensor_slot_bytes(map.type);
        if (slot != 16) { // 16 elements, of which all or none are in the tensor
            if (first % 128 != 0)
                throw fault("packed elements from " + std::to_string(first) + " on, which is no multiple of 128");
            s.used = slot;
            s.begin = s.begin == 0 ? 0 : slot;
            s.end = s.end == 0 ? 0 : slot;
        }
        s.global = address + static_cast<std::uint64_t>((first + chunk) * slot / 16);
        if (!inside || s.begin >= s.end)
            s.begin = s.end = 0;
        t.segments.push_back(s);
    }
    t.bytes += row_bytes;
}

} // namespace

transfer tile_of(const tensor_map_record& map, const std::vector<std::int64_t>& corner, std::uint64_t shared)
{
    transfer t = begin_transfer(map, corner.size(), shared);
    std::array<std::uint32_t, 5> counts{1, 1, 1, 1, 1};
    std::int64_t rows = 1;
    for (std::size_t k = 1; k < corner.size(); ++k) {
        counts[k] = (map.box[k] + map.element_strides[k] - 1) / map.element_strides[k];
        rows *= counts[k];
    }
    for (std::int64_t row = 0; row < rows; ++row) {
        std::int64_t rest = row;
        std::vector<std::int64_t> at = corner;
        for (std::size_t k = 1; k < corner.size(); ++k) {
            at[k] += rest % counts[k] * map.element_strides[k];
            rest /= counts[k];
        }
        add_row(t, map, at, shared);
    }
    return t;
}

transfer column_of(const tensor_map_record& map, const std::vector<std::int64_t>& base,
                   const std::vector<std::int64_t>& offsets, std::uint64_t shared)
{
    transfer t = begin_transfer(map, base.size(), shared);
    if (offsets.size() + 2 != base.size())
        throw fault(std::to_string(offsets.size()) + " im2col offsets for a tensor map of " + std::to_string(map.rank) +
                    " dimensions");
    const std::size_t images = base.size() - 1;
    for (std::size_t k = 1; k < images; ++k) {
        const std::int64_t low = lowest_pixel(map, k), high = highest_pixel(map, k);
        if (base[k] < low || base[k] > high)
            throw fault("a filter base at " + std::to_string(base[k]) + " of dimension " + std::to_string(k) +
                        ", outside the bounding box of " + std::to_string(low) + " to " + std::to_string(high));
        if ((base[k] - low) % map.element_strides[k] != 0) // not documented
            throw fault("a filter base at " + std::to_string(base[k]) + " of dimension " + std::to_string(k) +
                        ", which no step of " + std::to_string(map.element_strides[k]) + " from " +
                        std::to_string(low) + " on reaches");
        if (offsets[k - 1] > most_im2col_offset(map.rank))
            throw fault("an im2col offset of " + std::to_string(offsets[k - 1]) + "; of " + std::to_string(map.rank) +
                        " dimensions the greatest is " + std::to_string(most_im2col_offset(map.rank)));
    }
    std::vector<std::int64_t> filter = base;
    for (int pixel = 0; pixel < map.pixels; ++pixel) {
        std::vector<std::int64_t> at = filter;
        for (std::size_t k = 1; k < images; ++k)
            at[k] += offsets[k - 1];
        add_row(t, map, at, shared);
        // W first; what leaves the bounding box goes on at its lower corner, behind the last of D with the next image.
        std::size_t k = 1;
        for (; k < images; ++k) {
            filter[k] += map.element_strides[k];
            if (filter[k] <= highest_pixel(map, k))
                break;
            filter[k] = lowest_pixel(map, k);
        }
        if (k == images)
            ++filter[images];
    }
    return t;
}

void check_tensor_store(const tensor_map_record& map, const std::vector<std::int64_t>& corner)
{
    if (corner[0] < 0 || corner[0] * tensor_element_bytes(map.type) % 16 != 0)
        throw fault("a tensor store or reduction from coordinate " + std::to_string(corner[0]) +
                    " of the innermost dimension on, which is negative or no multiple of 16 bytes");
    if (map.pixels == 0)
        return;
    if (std::any_of(corner.begin(), corner.end(), [](std::int64_t x) { return x < 0; }))
        throw fault("a store in im2col mode from a negative coordinate on");
    for (std::size_t i = 0; i < map.lower.size(); ++i)
        if (map.lower[i] < 0 || map.upper[i] > 0)
            throw fault("a store in im2col mode by a bounding box that is not within the tensor");
}

void store_whole_chunks(transfer& t)
{
    for (segment& s : t.segments)
        if (s.begin < s.end)
            s.end = s.size;
}

} // namespace ptx
