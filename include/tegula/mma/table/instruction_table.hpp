#pragma once

#include <tegula/core/array.hpp>
#include <tegula/mma/table/table_amd.hpp>
#include <tegula/mma/table/table_nvidia.hpp>
#include <tegula/mma/table/table_x86.hpp>

namespace tegula {

namespace detail {

template <class Row>
constexpr int count_rows(Row&& visit)
{
    namespace rows = instruction_rows;
    int count = 0;
    for (const instruction& i : rows::amd)
        visit(i, count++);
    for (const instruction& i : rows::nvidia)
        visit(i, count++);
    for (instruction i : rows::wgmma_forms)
        for (i.n = 8; i.n <= 256; i.n += 8)
            if (rows::has_wgmma_n(i, i.n))
                visit(i, count++);
    for (const instruction& i : rows::x86)
        visit(i, count++);
    return count;
}

inline constexpr int num_instructions = count_rows([](const instruction&, int) {});

constexpr array<instruction, num_instructions> make_instruction_table()
{
    array<instruction, num_instructions> table{};
    count_rows([&](const instruction& i, int at) { table[at] = i; });
    return table;
}

inline constexpr array<instruction, num_instructions> instructions = make_instruction_table();

} // namespace detail

/// Every row: AMD matrix instructions, NVIDIA warp instructions and copies, the warpgroup instructions of every width,
/// and those of CPUs. Rows of one architecture stand together; the same name may stand for several waves or variants.
constexpr const array<instruction, detail::num_instructions>& instruction_table() { return detail::instructions; }

/// Row number Index of the table as a type.
template <int Index>
struct table_row
{
    static constexpr instruction value = detail::instructions[Index];
};

/// The row of that name that can be issued on `arch`; null if there is none.
///
/// wave     32, 64 or 128; 0 takes the first row of the name, which is that of wave32
/// variant  instruction_variant::none, or the form of that name
constexpr const instruction* find_instruction(gpu_arch arch, const char* name, int wave = 0,
                                              instruction_variant variant = instruction_variant::none)
{
    for (const instruction& i : instruction_table())
        if (available_on(i, arch) && (wave == 0 || i.wave == wave) && i.variant == variant && has_name(i, name))
            return &i;
    return nullptr;
}

} // namespace tegula
