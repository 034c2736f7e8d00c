#pragma once

#include <tegula/chip/chip_info.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

namespace chip {

/// The speed of a chip. Fields that `chip` knows of the GPU at hand override it.
constexpr chip_speed speed_of(const chip_info& chip)
{
    chip_speed found = *chip.speed;
    found.compute_units = chip.compute_units > 0 ? chip.compute_units : found.compute_units;
    found.memory_gigabytes = chip.memory_gigabytes > 0 ? chip.memory_gigabytes : found.memory_gigabytes;
    return found;
}

} // namespace chip

/// Neighbouring tiles of a product that one XCD takes (the chunk of a raster): two for each of its compute units. With
/// this chunk the blocks that run there at a time share the most rows and columns, whether a compute unit
/// has one, two or four of them; docs/performance.md has the counts.
constexpr int tiles_of_xcd(const chip_speed& speed) { return 2 * speed.compute_units / speed.xcds; }

/// Compute units that one block may lie on. On RDNA, whose units have two SIMDs, the two of a work group processor.
constexpr int units_of_block(const chip_info& chip)
{
    return chip.vendor == vendor::amd && chip::speed_of(chip).simds == 2 ? 2 : 1;
}

/// 32-bit registers a lane can have in a block of `threads` that has the compute units it may lie on to itself: what it
/// can name, or its share of the SIMD's, which is given out in eights.
constexpr int lane_registers(const chip_info& chip, int threads)
{
    const chip_speed speed = chip::speed_of(chip);
    const int lanes = chip.wave_size * speed.simds * units_of_block(chip);
    const int waves = threads > lanes ? ceil_div(threads, lanes) : 1;
    const int share = speed.simd_registers / waves / 8 * 8;
    return share < chip.registers ? share : chip.registers;
}

} // namespace tegula
