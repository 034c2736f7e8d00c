#pragma once

#include <tegula/chip/chip_info.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

/// How fast a chip is, as far as the choice of tiles depends on it; of the named product, the largest of its kind.
struct chip_speed
{
    const char* chip;
    int compute_units;    ///< of one device: compute units, multiprocessors
    int xcds;             ///< dies with an L2 cache of their own, which blocks are dealt to in turn; see xcd_remap
    int simds;            ///< of a compute unit
    int simd_registers;   ///< 32-bit registers a lane can have over all waves of a SIMD
    int multiply_adds;    ///< matrix multiply-adds of 16-bit floats, a compute unit a cycle
    int byte_rate;        ///< the same for 8-bit inputs, as a multiple
    int fma_rate;         ///< f32 multiply-adds without matrix instructions, a compute unit a cycle
    int megahertz;        ///< peak engine clock
    int memory_gigabytes; ///< memory bandwidth, GB/s
    int cache_bytes;      ///< L2 to a compute unit, bytes a cycle
    int l2_bytes; ///< L2 to all compute units together, bytes a cycle; 0 if that is no limit or nothing is published
    int shared_bytes;           ///< shared memory to registers, bytes a cycle of a compute unit
    const char* product_source; ///< product and where its figures come from
    double wave_cost = 1;   ///< cycles of a product by instructions of one wave, as a multiple of those of the fastest
    int cluster_cycles = 0; ///< that a cluster of blocks starts later than a block
    int launch_cycles = 4000;   ///< that a second launch adds to the first
    double block_bandwidth = 2; ///< of a compute unit's part of the memory's bandwidth, what a block of attention draws
};

namespace chip {

// Compute units, clock, bandwidth and peak rate (multiply_adds: its share of a compute unit and cycle) from
// the data sheets. Cache and shared memory bandwidth: CDNA 3 white paper (64 and 128 bytes a cycle), RDNA 3 ISA guide,
// CUDA C++ Best Practices Guide (32 banks of 4 bytes); taken alike for their relatives. The L2 of an A100 gives 5120
// bytes a cycle (A100 white paper); no figure is published for B200 and B300: an estimate, as much from each of their two
// dies.
inline constexpr chip_speed speeds[] = {
    // A device is one of the two dies: 110 of 220 compute units, half of 3277 GB/s.
    {"gfx90a", 110, 1, 4, 512, 512, 1, 128, 1700, 1638, 64, 0, 128, "AMD Instinct MI250X data sheet"},
    {"gfx942", 304, 8, 4, 512, 1024, 2, 128, 2100, 5300, 64, 0, 128, "AMD Instinct MI300X data sheet"},
    {"gfx950", 256, 8, 4, 512, 2048, 2, 128, 2400, 8000, 64, 0, 128, "AMD Instinct MI355X data sheet"},
    // As announced: memory, and 20 PFLOP/s of fp8. Compute units and clock are not published; these give that rate with the
    // cycles that LLVM's model has for v_wmma_f32_16x16x128_fp8_fp8; 16x16x64 takes as many.
    {"gfx1250", 256, 8, 4, 1024, 4096, 4, 128, 2400, 19600, 64, 0, 128,
     "AMD Instinct MI455X as announced; partly assumed"},
    {"gfx1100", 96, 1, 2, 1536, 256, 1, 128, 2500, 960, 64, 0, 128, "AMD Radeon RX 7900 XTX product page"},
    {"gfx1200", 32, 1, 2, 1536, 512, 2, 128, 3130, 320, 64, 0, 128, "AMD Radeon RX 9060 XT product page"},
    {"gfx1201", 64, 1, 2, 1536, 512, 2, 128, 2970, 640, 64, 0, 128, "AMD Radeon RX 9070 XT product page"},
    {"sm_80", 108, 1, 4, 512, 1024, 2, 64, 1410, 2039, 64, 5120, 128, "NVIDIA A100 80GB data sheet"},
    {"sm_89", 142, 1, 4, 512, 512, 2, 128, 2520, 864, 64, 0, 128, "NVIDIA L40S data sheet"},
    {"gfx908", 120, 1, 4, 512, 512, 1, 128, 1502, 1229, 64, 0, 128, "AMD Instinct MI100 data sheet"},
    {"gfx1101", 60, 1, 2, 1536, 256, 1, 128, 2430, 624, 64, 0, 128, "AMD Radeon RX 7800 XT product page"},
    {"gfx1102", 32, 1, 2, 1024, 256, 1, 128, 2655, 288, 64, 0, 128, "AMD Radeon RX 7600 product page"},
    {"gfx1103", 12, 1, 2, 1024, 256, 1, 128, 2700, 120, 64, 0, 128, "AMD Ryzen 7 7840U product page"},
    {"gfx1150", 16, 1, 2, 1024, 256, 1, 128, 2900, 120, 64, 0, 128, "AMD Ryzen AI 9 HX 370 product page"},
    {"gfx1151", 40, 1, 2, 1536, 256, 1, 128, 2900, 256, 64, 0, 128, "AMD Ryzen AI Max+ 395 product page"},
    {"sm_75", 40, 1, 4, 512, 512, 2, 64, 1590, 320, 64, 0, 128, "NVIDIA T4 data sheet"},
    {"sm_86", 84, 1, 4, 512, 512, 2, 128, 1740, 696, 64, 0, 128, "NVIDIA A40 data sheet"},
    {"sm_120a", 170, 1, 4, 512, 256, 2, 128, 2407, 1792, 64, 0, 128, "NVIDIA GeForce RTX 5090, Blackwell white paper"},
    // The clock follows from the published rate, 1 PFLOP/s of sparse fp4.
    {"sm_121", 48, 1, 4, 512, 512, 2, 128, 2540, 273, 64, 0, 128, "NVIDIA DGX Spark data sheet"},
    // Bandwidths of caches and shared memory, cost of mma.sync, start of clusters and of a second launch: fitted to the times
    // of 18 tiles and 44 products on an H200; what a block draws: of decoding there (benchmark/results/gpu).
    {"sm_90a", 132, 1, 4, 512, 2048, 2, 128, 1830, 3350, 57, 0, 174, "NVIDIA H100 SXM data sheet", 3, 1900, 8000, 0.5},
    // Multiply-adds: 2.25 PFLOP/s of 148 multiprocessors at this clock. On B300 8-bit integers are slow.
    {"sm_100a", 148, 1, 4, 512, 4096, 2, 128, 1860, 8000, 64, 10240, 128, "NVIDIA DGX B200 data sheet"},
    {"sm_103a", 148, 1, 4, 512, 4096, 2, 128, 1860, 8000, 64, 10240, 128, "NVIDIA DGX B300 data sheet"},
    // A core each, as if of 2.5 GHz: tiles of CPUs are chosen from the caches of the machine (kernel/gemm/cpu).
    {"x86_avx2", 1, 1, 1, 128, 32, 2, 16, 2500, 20, 64, 0, 64, "two 256-bit multiply-adds a cycle"},
    {"x86_avx512", 1, 1, 1, 512, 64, 2, 32, 2500, 20, 64, 0, 128, "two 512-bit multiply-adds a cycle"},
    {"x86_amx", 1, 1, 1, 512, 512, 2, 32, 2500, 20, 64, 0, 128, "Intel Optimization Manual, AMX"},
};

/// The speed of a chip; every chip of `all` has one. Fields that `chip` knows of the GPU at hand override it.
constexpr chip_speed speed_of(const chip_info& chip)
{
    chip_speed found = speeds[0];
    for (const chip_speed& s : speeds)
        if (detail::same_name(s.chip, chip.name)) // not by address: no constant expression under -fsanitize
            found = s;
    found.compute_units = chip.compute_units > 0 ? chip.compute_units : found.compute_units;
    found.memory_gigabytes = chip.memory_gigabytes > 0 ? chip.memory_gigabytes : found.memory_gigabytes;
    return found;
}

} // namespace chip

/// Neighbouring tiles of a product that one XCD takes (the chunk of a raster): two for each of its compute units. Among
/// all chunks this one makes the blocks that run there at a time share most rows and columns, whether a compute unit
/// has one, two or four of them; docs/performance.md has the counts.
constexpr int tiles_of_xcd(const chip_speed& speed) { return 2 * speed.compute_units / speed.xcds; }

/// Compute units that one block may lie on: of RDNA, whose units have two SIMDs, the two of a work group processor.
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
