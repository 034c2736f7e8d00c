#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

enum class vendor { amd, nvidia, x86 };

/// The facts about a chip that tile sizes, access widths and the emulator's rules depend on.
struct chip_info
{
    const char* name;
    tegula::vendor vendor;
    int wave_size;             ///< lanes of a wave (NVIDIA: warp)
    int shared_banks;          ///< banks of shared memory; chip/bank_conflicts.hpp has the exceptions by access
    int bank_bytes;            ///< width of one bank
    long shared_bytes;         ///< most shared memory one block may ask for
    int registers;             ///< 32-bit registers a lane can name; AMD: vector and accumulation registers together
    int max_threads;           ///< threads of a block
    int sector_bytes;          ///< unit in which global traffic is counted
    int max_access_bytes;      ///< widest access of one lane
    bool has_async_copy;       ///< global to shared memory past the registers, each lane to a place of its own
    int async_copy_bytes;      ///< widest such copy of one lane; 0 without
    const char* shared_source; ///< where the figures of shared memory come from
    bool has_matrix_store = false; ///< stmatrix, which came after ldmatrix (PTX ISA)
    bool has_column_read = false;  ///< ds_read_b64_tr_b16, from CDNA 4 on
    bool has_clusters = false; ///< clusters of blocks, mbarriers that count bytes, tensor and bulk copies, setmaxnreg
    int tensor_columns = 0;    ///< of tensor memory (chip/tensor_memory.hpp); 0 without
    bool has_launch_control = false; ///< running clusters take over others that have not started (clusterlaunchcontrol)
    // Properties of the GPU at hand, for the choice of tiles; 0: those of the product that chip_speed names.
    int compute_units = 0;
    int memory_gigabytes = 0; ///< GB/s
    /// Clusters of blocks with barriers and multicast, and nothing else of has_clusters.
    bool has_workgroup_clusters = false;

    constexpr bool runs_clusters() const { return has_clusters || has_workgroup_clusters; }
};

namespace detail {
constexpr bool same_name(const char* a, const char* b)
{
    while (*a != '\0' && *a == *b) {
        ++a;
        ++b;
    }
    return *a == *b;
}
} // namespace detail

namespace chip {

// CDNA: 512 registers are 256 vector and 256 accumulation registers at one wave per SIMD.
inline constexpr chip_info gfx90a = {
    "gfx90a", vendor::amd, 64, 32, 4, 65536, 512, 1024, 32, 16, false, 0, "AMD CDNA2 ISA guide, LDS"};
inline constexpr chip_info gfx942 = {
    "gfx942", vendor::amd, 64, 32, 4, 65536, 512, 1024, 32, 16, false, 0, "AMD CDNA3 ISA guide, LDS"};
// Its direct loads into shared memory go to consecutive places, which is another primitive than has_async_copy.
inline constexpr chip_info gfx950 = {
    "gfx950", vendor::amd, 64, 64, 4, 163840, 512, 1024, 32, 16, false, 0, "AMD CDNA4 ISA guide, LDS", false, true};

// CDNA 5: waves of 32, vector registers only; more than 256 are named through a mode register, which the compiler sets.
inline constexpr chip_info gfx1250 = [] {
    chip_info chip{
        "gfx1250", vendor::amd, 32, 64, 4, 327680, 1024, 1024, 32, 16, true, 16, "LLVM AMDGPU back end, LDS"};
    chip.has_workgroup_clusters = true;
    return chip;
}();

// RDNA in wave32 mode.
inline constexpr chip_info gfx1100 = {
    "gfx1100", vendor::amd, 32, 32, 4, 65536, 256, 1024, 32, 16, false, 0, "AMD RDNA3 ISA guide, LDS"};
inline constexpr chip_info gfx1200 = {
    "gfx1200", vendor::amd, 32, 32, 4, 65536, 256, 1024, 32, 16, false, 0, "AMD RDNA4 ISA guide, LDS"};
inline constexpr chip_info gfx1201 = {
    "gfx1201", vendor::amd, 32, 32, 4, 65536, 256, 1024, 32, 16, false, 0, "AMD RDNA4 ISA guide, LDS"};

// Shared memory: what one block may opt into, one KiB less than what the multiprocessor has.
inline constexpr chip_info sm_80 = {
    "sm_80", vendor::nvidia, 32, 32, 4, 166912, 255, 1024, 32, 16, true, 16, "CUDA C++ Programming Guide, 8.0"};
inline constexpr chip_info sm_89 = {
    "sm_89", vendor::nvidia, 32, 32, 4, 101376, 255, 1024, 32, 16, true, 16, "CUDA C++ Programming Guide, 8.9"};
inline constexpr chip_info sm_90a = {
    "sm_90a", vendor::nvidia, 32,  32, 4, 232448, 255, 1024, 32, 16, true, 16, "CUDA C++ Programming Guide, 9.0",
    true,     false,          true};

// Relatives of these, which the same code serves.
inline constexpr chip_info gfx908 = {
    "gfx908", vendor::amd, 64, 32, 4, 65536, 512, 1024, 32, 16, false, 0, "AMD CDNA1 ISA guide, LDS"};
inline constexpr chip_info gfx1101 = {
    "gfx1101", vendor::amd, 32, 32, 4, 65536, 256, 1024, 32, 16, false, 0, "AMD RDNA3 ISA guide, LDS"};
inline constexpr chip_info gfx1102 = {
    "gfx1102", vendor::amd, 32, 32, 4, 65536, 256, 1024, 32, 16, false, 0, "AMD RDNA3 ISA guide, LDS"};
inline constexpr chip_info gfx1103 = {
    "gfx1103", vendor::amd, 32, 32, 4, 65536, 256, 1024, 32, 16, false, 0, "AMD RDNA3 ISA guide, LDS"};
inline constexpr chip_info gfx1150 = {
    "gfx1150", vendor::amd, 32, 32, 4, 65536, 256, 1024, 32, 16, false, 0, "AMD RDNA3.5 ISA guide, LDS"};
inline constexpr chip_info gfx1151 = {
    "gfx1151", vendor::amd, 32, 32, 4, 65536, 256, 1024, 32, 16, false, 0, "AMD RDNA3.5 ISA guide, LDS"};
// Before sm_80 no copy passes the registers by.
inline constexpr chip_info sm_75 = {
    "sm_75", vendor::nvidia, 32, 32, 4, 65536, 255, 1024, 32, 16, false, 0, "CUDA C++ Programming Guide, 7.5"};
inline constexpr chip_info sm_86 = {
    "sm_86", vendor::nvidia, 32, 32, 4, 101376, 255, 1024, 32, 16, true, 16, "CUDA C++ Programming Guide, 8.6"};
inline constexpr chip_info sm_120a = {
    "sm_120a", vendor::nvidia, 32,  32, 4, 101376, 255, 1024, 32, 16, true, 16, "CUDA C++ Programming Guide, 12.0",
    true,      false,          true};
inline constexpr chip_info sm_121 = {
    "sm_121", vendor::nvidia, 32, 32, 4, 101376, 255, 1024, 32, 16, true, 16, "CUDA C++ Programming Guide, 12.x", true};

// B200 and B300: as Hopper, and 256 KiB of tensor memory.
inline constexpr chip_info sm_100a = {
    "sm_100a", vendor::nvidia, 32,   32,  4,   232448, 255, 1024, 32, 16, true, 16, "CUDA C++ Programming Guide, 10.0",
    true,      false,          true, 512, true};
inline constexpr chip_info sm_103a = {
    "sm_103a", vendor::nvidia, 32,   32,  4,   232448, 255, 1024, 32, 16, true, 16, "CUDA C++ Programming Guide, 10.3",
    true,      false,          true, 512, true};

// CPUs: one lane a wave, whose registers are vectors (counted in 32 bits); "shared memory" is a buffer of the thread's own,
// in its caches, with no banks that could conflict. 64-byte lines stand for sectors.
inline constexpr chip_info x86_avx2 = {"x86_avx2", vendor::x86,         1, 32, 4, 8388608, 128, 1, 64, 16, false,
                                       0,          "a buffer in memory"};
inline constexpr chip_info x86_avx512 = {"x86_avx512",        vendor::x86, 1, 32, 4, 8388608, 512, 1, 64, 16, false, 0,
                                         "a buffer in memory"};
inline constexpr chip_info x86_amx = {"x86_amx", vendor::x86,         1, 32, 4, 8388608, 512, 1, 64, 16, false,
                                      0,         "a buffer in memory"};

inline constexpr const chip_info* all[] = {&gfx90a,  &gfx942,   &gfx950,     &gfx1250, &gfx1100, &gfx1200, &gfx1201,
                                           &sm_80,   &sm_89,    &sm_90a,     &sm_100a, &sm_103a, &gfx908,  &gfx1101,
                                           &gfx1102, &gfx1103,  &gfx1150,    &gfx1151, &sm_75,   &sm_86,   &sm_120a,
                                           &sm_121,  &x86_avx2, &x86_avx512, &x86_amx};

/// The chip of that name, or null.
constexpr const chip_info* find(const char* name)
{
    for (const chip_info* candidate : all)
        if (detail::same_name(candidate->name, name))
            return candidate;
    return nullptr;
}

} // namespace chip
} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::same_name;
} // namespace tegula::internal
