#pragma once

#include <tegula/layout/digit_table.hpp>
#include <tegula/mma/table/operand_encoding.hpp>

namespace tegula {

/// Which matrix element each register slot of each lane holds, and the sizes of that map.
///
/// Slots count from a lane's first 32-bit register upwards, low bits first; 64-bit slots are register pairs. The
/// element is its linear position in the row-major matrix: [M, K], [K, N] or [M, N], blocks one after another.
struct operand_layout
{
    encoding_value encoding;
    digit_table digits;
    slot_pattern pattern;
    int lanes = 0;        ///< lanes of the instruction
    int slot_bits = 0;    ///< width of a slot
    int slots = 0;        ///< slots of one lane, used or not
    int registers = 0;    ///< 32-bit registers of one lane
    int copies = 0;       ///< how many lanes hold each element
    int unused_slots = 0; ///< slots of all lanes that hold no element

    static constexpr int unused = -1;

    /// Linear position of the element in slot `slot` of `lane`, or `unused`.
    constexpr int element(int lane, int slot) const
    {
        const int position = slot / pattern.stride;
        if (slot % pattern.stride != pattern.offset || lane >= p_length(encoding, 0))
            return unused;
        const long_indices p = {lane};
        const long_indices y = unflatten(position, y_lengths(encoding), encoding.num_y());
        const long_indices x = calculate_index(digits, p, y);
        long_index_t linear = 0;
        for (int i = 0; i < encoding.num_x(); ++i)
            linear = linear * x_length(encoding, i) + x[i];
        return static_cast<int>(linear);
    }
};

namespace detail {
constexpr operand_layout make_operand_layout(const encoding_value& e, slot_pattern pattern, int lanes, int bits)
{
    operand_layout layout{e, make_digit_table(e), pattern};
    layout.lanes = lanes;
    layout.slot_bits = bits;
    layout.slots = static_cast<int>(registers_per_lane(e)) * pattern.stride;
    layout.registers = layout.slots * bits / 32;
    layout.copies = static_cast<int>(replication(e));
    layout.unused_slots =
        lanes * layout.slots - static_cast<int>(partition_size(e)) * static_cast<int>(registers_per_lane(e));
    return layout;
}
} // namespace detail

/// Layout of an operand. Precondition: in_registers(i, which).
constexpr operand_layout make_operand_layout(const instruction& i, operand which)
{
    return detail::make_operand_layout(operand_encoding(i, which), slots_of(i, which), i.wave, slot_bits(i, which));
}

/// The register side of a matrix copy, in 16-bit slots; elements are row * 8 + column over the stacked 8x8 matrices.
constexpr operand_layout make_copy_layout(const instruction& i)
{
    return detail::make_operand_layout(copy_encoding(i), {}, i.wave, 16);
}

} // namespace tegula
