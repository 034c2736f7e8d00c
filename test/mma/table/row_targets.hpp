#pragma once

#include "test/mma/emulation/one_hot.hpp"

/// Every row of the table as an atom on the emulator.

namespace tegula::test {

/// The primitives an architecture's rows run on, in the row's wave size.
template <bool Amd, int Wave>
struct row_target : arch::amd::primitives<Wave>
{
    static consteval chip_info chip()
    {
        chip_info chip = tegula::chip::gfx942;
        chip.wave_size = Wave;
        return chip;
    }
    static consteval bool in_this_pass() { return true; }
};
template <>
struct row_target<false, 32> : arch::sm_90a
{};

/// The chip of the row's first architecture, or its nearest relative where the library has none.
inline chip_info chip_of_row(const instruction& i)
{
    const chip_info* found = is_amd_family(i.family) ? &chip::gfx90a : &chip::sm_80;
    for (const chip_info* candidate : chip::all)
        if (gpu_arch arch{}; find_arch(candidate->name, arch) && i.archs.contains(arch)) {
            found = candidate;
            break;
        }
    chip_info result = *found;
    result.wave_size = i.wave;
    return result;
}

/// Whether the row is checked by itself. scaled_mma.cpp and scaled_warp_mma.cpp check those with block scales.
consteval bool is_checked(const instruction& i, instruction_family family)
{
    return i.family == family && !i.block_scaled;
}

/// Number in the table of the family's row number `place`.
consteval int index_of(instruction_family family, int place)
{
    int index = 0;
    while (!is_checked(detail::instructions[index], family) || place-- > 0)
        ++index;
    return index;
}

consteval int count_rows(instruction_family family)
{
    int count = 0;
    for (const instruction& i : detail::instructions)
        count += is_checked(i, family);
    return count;
}

/// Makes the cases of a row.
using choose_cases = std::vector<one_hot> (*)(const one_hot_shape&);

/// Runs the cases that `choose` makes for the row, by the row's product.
inline void check_row(const instruction& row, product_of_block product, choose_cases choose)
{
    const one_hot_shape shape{row, row.m, row.n, row.k};
    INFO(row.name << " wave" << row.wave << " " << (name_of(row.variant) ? name_of(row.variant) : ""));
    CHECK(count_wrong(shape, chip_of_row(row), product, choose(shape)) == 0);
}

/// check_row for each row of the family.
template <instruction_family Family>
void check_rows(choose_cases choose)
{
    static_for<count_rows(Family)>([&](auto place) {
        using row = table_row<index_of(Family, decltype(place)::value)>;
        using target = row_target<is_amd_family(Family), row::value.wave>;
        check_row(row::value, multiply_block<target, instruction_atom<row>>, choose);
    });
}

} // namespace tegula::test
