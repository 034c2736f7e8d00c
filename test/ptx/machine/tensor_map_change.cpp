// PTX ISA: "Data Movement and Conversion Instructions: tensormap.replace", with its table of values; "Parallel
// Synchronization and Communication Instructions: tensormap.cp_fenceproxy". A change makes a record of its own, so that a
// map in memory stays a value that can be copied. What the parameters must be is asked when a copy takes the map: a program
// may begin with 128 bytes of zeros and set them one by one.

#include "tensor_map.hpp"

#include <algorithm>
#include <cstring>

namespace ptx {

namespace {

tensor_map_record read_map(warp& w, const place& at)
{
    std::uint64_t words[16];
    for (int i = 0; i < 16; ++i) {
        std::uint8_t poison = 0;
        words[i] = read_bytes(w, {at.where, at.offset + static_cast<std::uint64_t>(8 * i)}, 8, poison);
        if (poison != 0)
            throw fault("a tensor map of bytes that nothing has written");
    }
    if (words[0] == tensor_map_mark && words[1] < w.in().tensor_maps.size())
        return w.in().tensor_maps[words[1]];
    if (std::any_of(std::begin(words), std::end(words), [](std::uint64_t x) { return x != 0; }))
        throw fault("no tensor map lies there, nor 128 bytes of zeros");
    return {};
}

void write_map(warp& w, int lane, const place& at, const std::uint64_t (&words)[16])
{
    for (int i = 0; i < 16; ++i)
        write_bytes(w, lane, {at.where, at.offset + static_cast<std::uint64_t>(8 * i)}, 8, words[i], 0);
}

/// Copies by a map in global memory see the change behind a release here and an acquire in their block.
void note_change(warp& w, const place& at, bool released)
{
    if (at.where->base < window::global)
        return;
    const std::uint64_t address = at.where->base + at.offset;
    for (const auto& c : w.in().resident)
        for (const auto& b : c->blocks)
            b->acquired_maps.erase(address);
    if (released)
        w.in().unreleased_maps.erase(address);
    else
        w.in().unreleased_maps[address] = &w;
}

void set_field(tensor_map_record& map, const std::string& field, std::size_t ordinal, std::uint64_t value)
{
    // By the table's codes of elements: those of CUtensorMapDataType, where float32_ftz comes in front of float64.
    static constexpr int types[16] = {0, 1, 2, 3, 4, 5, 6, 7, 10, 8, 9, 11, 12, 13, 14, 15};
    const auto number = static_cast<std::uint32_t>(value);
    if (ordinal >= (field == "global_stride" ? 4 : 5))
        throw fault("dimension " + std::to_string(ordinal) + " of a tensor map's " + field);
    if (field == "global_address")
        map.base = value;
    else if (field == "rank")
        map.rank = static_cast<int>(number) + 1;
    else if (field == "box_dim")
        map.box[ordinal] = number;
    else if (field == "global_dim")
        map.lengths[ordinal] = number == 0 ? std::uint64_t{1} << 32 : number;
    else if (field == "global_stride") // the first is that of dimension 1
        map.strides[ordinal + 1] = value;
    else if (field == "element_stride")
        map.element_strides[ordinal] = number;
    else if (field == "elemtype" && number < 16)
        map.type = types[number];
    else if (field == "interleave_layout")
        map.interleave = static_cast<int>(number);
    else if (field == "swizzle_mode" && number < 4)
        map.swizzle = number == 3 && map.atomicity != 0 ? 4 : static_cast<int>(number);
    else if (field == "swizzle_atomicity" && number < 2) {
        map.atomicity = static_cast<int>(number);
        if (map.swizzle >= 3)
            map.swizzle = number == 0 ? 3 : 4;
    } else if (field == "fill_mode" && number < 2)
        map.fill = static_cast<int>(number);
    else
        throw fault("tensormap.replace of ." + field + " by " + std::to_string(number) + " is not in the machine");
}

action replace(decoder& d)
{
    d.take("tile");
    const std::string field =
        d.take_one({"global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride", "elemtype",
                    "interleave_layout", "swizzle_mode", "swizzle_atomicity", "fill_mode"});
    const address at = d.memory(0, d.take_space(""));
    d.take("b1024");
    const int bits = d.take_one({"b32", "b64"}) == "b64" ? 64 : 32;
    if ((bits == 64) != (field == "global_address" || field == "global_stride"))
        throw fault(d.what().text() + ": addresses and strides are b64, all else b32");
    const bool of_a_dimension = d.operands() == 3;
    const auto ordinal = of_a_dimension ? static_cast<std::size_t>(d.constant(1)) : 0;
    const source value = d.from(of_a_dimension ? 2 : 1, bits);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            check_alignment(at.of(w, lane), 64);
            const place here = at.resolve(w, lane, 128);
            tensor_map_record map = read_map(w, here);
            if (map.pixels != 0)
                throw fault("tensormap.replace.tile of a tensor map of im2col mode");
            map.changed = true;
            set_field(map, field, ordinal, value.checked(w, lane, "a tensor map's parameter"));
            write_map(w, lane, here, {tensor_map_mark, w.in().tensor_maps.size()});
            w.in().tensor_maps.push_back(map);
            note_change(w, here, false);
        });
        return outcome::next;
    };
}

action copy_and_release(decoder& d)
{
    for (const char* known : {"global", "shared::cta", "tensormap::generic", "release", "sync"})
        if (!d.take(known))
            throw fault(d.what().text() + ": ." + known + " is missing");
    d.take_one({"cta", "cluster", "gpu", "sys"});
    d.result().aligned = d.take("aligned");
    const address to = d.memory(0, "global"), from = d.memory(1, "shared::cta");
    if (d.constant(2) != 128)
        throw fault("tensormap.cp_fenceproxy of " + std::to_string(d.constant(2)) + " bytes; the size is 128");
    return [=](warp& w, lane_mask mask) {
        const int lane = std::countr_zero(mask);
        const place source = from.resolve(w, lane, 128), target = to.resolve(w, lane, 128);
        check_alignment(from.of(w, lane), 128);
        check_alignment(to.of(w, lane), 128);
        read_map(w, source);
        std::uint64_t words[16];
        std::memcpy(words, source.where->bytes.data() + source.offset, 128);
        write_map(w, lane, target, words);
        note_change(w, target, true);
        return outcome::next;
    };
}

/// "tensormap.replace", "tensormap.cp_fenceproxy".
action tensor_map(decoder& d)
{
    if (d.take("replace"))
        return replace(d);
    if (d.take("cp_fenceproxy"))
        return copy_and_release(d);
    throw fault("the machine does not know " + d.what().text());
}

} // namespace

void add_tensor_map_changes(decoder_table& table) { table["tensormap"] = tensor_map; }

} // namespace ptx
