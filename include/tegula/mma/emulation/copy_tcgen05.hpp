#pragma once

#include <tegula/emulator/tensor_memory.hpp>
#include <tegula/mma/emulation/emulate_tcgen05.hpp>

#include <cstring>

/// tcgen05.cp on the CPU, from the bits of its descriptor alone. Host only.

namespace tegula::emulation {

/// Each lane of tensor memory gets the row of the source that copied_row() says (PTX ISA 9.0, 9.7.16.9).
template <tensor_copy Shape, int Blocks>
void copy_tcgen05(std::uint32_t address, std::uint64_t descriptor, const call_site& where)
{
    constexpr int rows = rows_of(Shape), chunks = columns_of(Shape) / 4;
    const matrix_descriptor source = unpack_tcgen05(descriptor);
    if (source.swizzle != swizzle_mode::none || source.base_offset != 0)
        emulator::fail("a tcgen05.cp whose source has a swizzle", "copy rows that lie in memory as they are");
    const auto place = [&](int row, int chunk) {
        return static_cast<std::uint32_t>(source.start + row / 8 * source.stride + row % 8 * 16 +
                                          chunk * source.leading);
    };
    std::uint32_t list[rows * chunks];
    for (int row = 0; row < rows; ++row)
        for (int chunk = 0; chunk < chunks; ++chunk)
            list[row * chunks + chunk] = place(row, chunk);

    emulator::tensor_operation operation;
    operation.name = "tcgen05.cp";
    operation.product = false;
    operation.blocks = Blocks;
    operation.written = {place_of(address), tensor_memory_lanes, columns_of(Shape)};
    if (place_of(address).lane != 0)
        emulator::fail("a tcgen05.cp that does not start in lane 0", "give the address of the allocation and a column");
    for (int block = 0; block < Blocks; ++block)
        operation.operands[block] = {list, rows * chunks};
    emulator::issue_tensor_operation(
        operation,
        [&](const emulator::tensor_operation& op) {
            for (int block = 0; block < Blocks; ++block)
                for (int lane = 0; lane < tensor_memory_lanes; ++lane)
                    for (int chunk = 0; chunk < chunks; ++chunk)
                        std::memcpy(op.words[block] + lane * emulator::tensor_operation::pitch +
                                        op.written.first.column + 4 * chunk,
                                    op.shared[block] + place(copied_row(Shape, lane), chunk), 16);
        },
        where);
}

} // namespace tegula::emulation
