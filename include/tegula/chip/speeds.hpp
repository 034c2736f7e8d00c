#pragma once

namespace tegula {

/// Rates and sizes of the largest card with the chip. The choice of tiles and splits depends on them.
struct chip_speed
{
    int compute_units;        ///< compute units or multiprocessors of one device
    int xcds = 1;             ///< dies, each with its own L2 cache, to which blocks go in turn; see xcd_remap
    int simds = 4;            ///< SIMDs of a compute unit
    int simd_registers = 512; ///< 32-bit registers a lane can have over all waves of a SIMD
    int multiply_adds;        ///< matrix multiply-adds of 16-bit floats, a compute unit a cycle
    int byte_rate = 2;        ///< rate for 8-bit inputs, as a multiple of multiply_adds
    int fma_rate = 128;       ///< f32 multiply-adds without matrix instructions, a compute unit a cycle
    int megahertz;            ///< peak engine clock
    int memory_gigabytes;     ///< memory bandwidth, GB/s
    int cache_bytes = 64;     ///< L2 to a compute unit, bytes a cycle
    int l2_bytes =
        0; ///< L2 to all compute units together, bytes a cycle; 0 if that is no limit or nothing is published
    int shared_bytes = 128;     ///< shared memory to registers, bytes a cycle of a compute unit
    int simd_lanes = 32;        ///< lanes of a SIMD that start an instruction each cycle
    const char* product_source; ///< card and where its figures come from
    double wave_cost = 1; ///< cycles of a product by instructions of one wave, divided by those of the fastest kind
    double interference = 0.1;  ///< the longest part of the work takes longer by this share of what runs next to it
    int chained_cycles = 0;     ///< cycles after an instruction's products before another can add to the same sum
    int promotion_cycles = 0;   ///< cycles that a consumer waits for products which it then adds to its own sums
    int launch_cycles = 4000;   ///< cycles that each further launch costs
    double block_bandwidth = 2; ///< most bandwidth of one attention block, in units of the memory's by compute units

    /// Lanes of a compute unit that start an instruction each cycle.
    constexpr int issued_lanes() const { return simds * simd_lanes; }
};

/// How fast each chip is, by its name.
///
/// Compute units, clock, bandwidth and peak rate (multiply_adds: its share of a compute unit and cycle) are from the
/// data sheets. Cache and shared memory bandwidth are from the CDNA 3 white paper (64 and 128 bytes a cycle), the RDNA
/// 3 ISA guide and the CUDA C++ Best Practices Guide (32 banks of 4 bytes). Speeds of relatives stand in relatives.hpp.
/// The LDS of gfx950, too, gives 128: that is its peak in AMD's ROCm Compute Profiler (its file for gfx950).
/// The L2 of an A100 gives 5120 bytes a cycle (A100 white paper). No figure is published for B200 and B300: theirs is
/// an estimate, that of an A100 for each of their two dies.
namespace chip::speeds {

// clang-format off
// A device is one of the two dies: 110 of 220 compute units, half of 3277 GB/s.
inline constexpr chip_speed gfx90a = {.compute_units = 110, .multiply_adds = 512, .byte_rate = 1, .megahertz = 1700,
    .memory_gigabytes = 1638, .simd_lanes = 16, .product_source = "AMD Instinct MI250X data sheet"};
inline constexpr chip_speed gfx942 = {.compute_units = 304, .xcds = 8, .multiply_adds = 1024, .megahertz = 2100,
    .memory_gigabytes = 5300, .simd_lanes = 16, .product_source = "AMD Instinct MI300X data sheet"};
inline constexpr chip_speed gfx950 = {.compute_units = 256, .xcds = 8, .multiply_adds = 2048, .megahertz = 2400,
    .memory_gigabytes = 8000, .simd_lanes = 16, .product_source = "AMD Instinct MI355X data sheet"};
// As announced: memory, and 20 PFLOP/s of fp8. Compute units and clock are not published; these give that rate with the
// cycles that LLVM's model has for v_wmma_f32_16x16x128_fp8_fp8; 16x16x64 takes as many.
inline constexpr chip_speed gfx1250 = {.compute_units = 256, .xcds = 8, .simd_registers = 1024, .multiply_adds = 4096,
    .byte_rate = 4, .megahertz = 2400, .memory_gigabytes = 19600, .product_source =
    "AMD Instinct MI455X as announced; partly assumed"};
inline constexpr chip_speed gfx1100 = {.compute_units = 96, .simds = 2, .simd_registers = 1536, .multiply_adds = 256,
    .byte_rate = 1, .megahertz = 2500, .memory_gigabytes = 960, .product_source = "AMD Radeon RX 7900 XTX product page"};
inline constexpr chip_speed gfx1201 = {.compute_units = 64, .simds = 2, .simd_registers = 1536, .multiply_adds = 512,
    .megahertz = 2970, .memory_gigabytes = 640, .product_source = "AMD Radeon RX 9070 XT product page"};
inline constexpr chip_speed sm_80 = {.compute_units = 108, .multiply_adds = 1024, .fma_rate = 64, .megahertz = 1410,
    .memory_gigabytes = 2039, .l2_bytes = 5120, .product_source = "NVIDIA A100 80GB data sheet"};
inline constexpr chip_speed sm_89 = {.compute_units = 142, .multiply_adds = 512, .megahertz = 2520, .memory_gigabytes = 864,
    .product_source = "NVIDIA L40S data sheet"};
inline constexpr chip_speed gfx908 = {.compute_units = 120, .multiply_adds = 512, .byte_rate = 1, .megahertz = 1502,
    .memory_gigabytes = 1229, .simd_lanes = 16, .product_source = "AMD Instinct MI100 data sheet"};
inline constexpr chip_speed sm_75 = {.compute_units = 40, .multiply_adds = 512, .fma_rate = 64, .megahertz = 1590,
    .memory_gigabytes = 320, .product_source = "NVIDIA T4 data sheet"};
inline constexpr chip_speed sm_120a = {.compute_units = 170, .multiply_adds = 256, .megahertz = 2407, .memory_gigabytes =
    1792, .product_source = "NVIDIA GeForce RTX 5090, Blackwell white paper"};
// The clock follows from the published rate, 1 PFLOP/s of sparse fp4.
inline constexpr chip_speed sm_121 = {.compute_units = 48, .multiply_adds = 512, .megahertz = 2540, .memory_gigabytes = 273,
    .product_source = "NVIDIA DGX Spark data sheet"};
// Bandwidths of caches and shared memory, interference and waits for products: fitted to the times of 16 tiles and 54
// products on an H200; cost of mma.sync and of a second launch to 44 of them; block_bandwidth to decoding there
// (benchmark/results/gpu/h200). Bandwidths may pass the published ones: interference is their cost next to longer work.
inline constexpr chip_speed sm_90a = {.compute_units = 132, .multiply_adds = 2048, .megahertz = 1830, .memory_gigabytes =
    3350, .cache_bytes = 120, .shared_bytes = 256, .product_source = "NVIDIA H100 SXM data sheet", .wave_cost = 3,
    .interference = 0.4, .chained_cycles = 20, .promotion_cycles = 65, .launch_cycles = 8000, .block_bandwidth = 1};
// Multiply-adds: 2.25 PFLOP/s of 148 multiprocessors at this clock. On B300 8-bit integers are slow.
inline constexpr chip_speed sm_100a = {.compute_units = 148, .multiply_adds = 4096, .megahertz = 1860, .memory_gigabytes =
    8000, .l2_bytes = 10240, .product_source = "NVIDIA DGX B200 data sheet"};
inline constexpr chip_speed sm_103a = {.compute_units = 148, .multiply_adds = 4096, .megahertz = 1860, .memory_gigabytes =
    8000, .l2_bytes = 10240, .product_source = "NVIDIA DGX B300 data sheet"};
// One core each, as if of 2.5 GHz: tiles of CPUs are chosen from the caches of the machine (kernel/gemm/cpu).
inline constexpr chip_speed x86_avx2 = {.compute_units = 1, .simds = 1, .simd_registers = 128, .multiply_adds = 32,
    .fma_rate = 16, .megahertz = 2500, .memory_gigabytes = 20, .shared_bytes = 64, .product_source =
    "two 256-bit multiply-adds a cycle"};
inline constexpr chip_speed x86_avx512 = {.compute_units = 1, .simds = 1, .multiply_adds = 64, .fma_rate = 32, .megahertz =
    2500, .memory_gigabytes = 20, .product_source = "two 512-bit multiply-adds a cycle"};
inline constexpr chip_speed x86_amx = {.compute_units = 1, .simds = 1, .multiply_adds = 512, .fma_rate = 32, .megahertz =
    2500, .memory_gigabytes = 20, .product_source = "Intel Optimization Manual, AMX"};
// clang-format on

} // namespace chip::speeds
} // namespace tegula
