#pragma once

#include <tegula/chip/relatives.hpp>
#include <tegula/chip/speeds.hpp>
#include <tegula/core/config.hpp>

namespace tegula {

enum class vendor { amd, nvidia, x86 };

/// Chips of one family have the same kinds of matrix instructions. In the order in which each vendor made them.
enum class chip_family {
    cdna_1,
    cdna_2,
    cdna_3,
    cdna_4,
    cdna_5, ///< gfx1250: waves of 32
    rdna_3,
    rdna_4,
    turing,
    ampere,
    ada,
    hopper,
    blackwell,     ///< for data centres, with tensor memory
    blackwell_rtx, ///< for workstations, without it
    x86,
};

/// The facts about a chip that tile sizes, access widths and the emulator's rules depend on.
struct chip_info
{
    const char* name;
    tegula::vendor vendor;
    chip_family family;
    /// The architecture whose rows of the instruction table it has; null: its own.
    const char* instructions = nullptr;
    const chip_speed* speed;
    int compute_capability = 0;  ///< NVIDIA's, ten times the major number plus the minor one; 0: another vendor's chip
    bool has_own_code = false;   ///< NVIDIA's "a" architectures: no later chip runs code for this one
    int wave_size;               ///< lanes of a wave (NVIDIA: warp)
    int shared_banks = 32;       ///< banks of shared memory; chip/bank_conflicts.hpp has the exceptions by access
    int bank_bytes = 4;          ///< width of one bank
    long shared_bytes;           ///< most shared memory one block may ask for
    const char* shared_source;   ///< where the figures of shared memory come from
    int registers;               ///< 32-bit registers a lane can name; AMD: vector and accumulation registers together
    int max_threads = 1024;      ///< threads of a block
    int sector_bytes = 32;       ///< unit in which global traffic is counted
    int max_access_bytes = 16;   ///< widest access of one lane
    bool has_async_copy = false; ///< global to shared memory without registers, each lane to its own address
    int async_copy_bytes = 0;    ///< widest such copy of one lane; 0 without
    bool has_matrix_store = false; ///< stmatrix, which came after ldmatrix (PTX ISA)
    bool has_column_read = false;  ///< ds_read_b64_tr_b16, from CDNA 4 on
    bool has_clusters = false; ///< clusters of blocks, mbarriers that count bytes, tensor and bulk copies, setmaxnreg
    /// Clusters of blocks with barriers and multicast, but without the rest of has_clusters.
    bool has_workgroup_clusters = false;
    int tensor_columns = 0;             ///< columns of tensor memory (chip/tensor_memory.hpp); 0 without
    bool has_tcgen05_integers = false;  ///< tcgen05.mma of 8-bit integers
    bool has_fast_exponentials = false; ///< 32 results of ex2 a multiprocessor and cycle, not 16
    bool has_packed_floats = false;     ///< multiply-adds of two floats in one instruction (f32x2)
    bool has_launch_control = false; ///< running clusters take over others that have not started (clusterlaunchcontrol)
    // Properties of the GPU at hand, for the choice of tiles; 0: those of the card that `speed` names.
    int compute_units = 0;
    int memory_gigabytes = 0; ///< GB/s

    constexpr const char* table_name() const { return instructions != nullptr ? instructions : name; }
    constexpr bool runs_clusters() const { return has_clusters || has_workgroup_clusters; }
    /// Waves of 64 lanes with accumulation registers.
    constexpr bool is_cdna() const { return family >= chip_family::cdna_1 && family <= chip_family::cdna_4; }
    /// Matrix instructions of fp8.
    constexpr bool has_fp8_products() const
    {
        return family != chip_family::cdna_1 && family != chip_family::cdna_2 && family != chip_family::rdna_3 &&
               family != chip_family::turing && family != chip_family::ampere && family != chip_family::x86;
    }
    /// WMMA that holds each element of an operand once, not in both halves of the wave: RDNA 4 and CDNA 5.
    constexpr bool has_wmma_2() const { return family == chip_family::rdna_4 || family == chip_family::cdna_5; }
};

namespace detail {
constexpr bool equal_text(const char* a, const char* b)
{
    while (*a != '\0' && *a == *b) {
        ++a;
        ++b;
    }
    return *a == *b;
}
} // namespace detail

namespace chip {

/// The facts in which a relative differs from the chip that it is derived from; null and 0: it does not differ.
struct relative_changes
{
    const char* name;
    const chip_speed* speed;
    const char* shared_source = nullptr;
    long shared_bytes = 0;
    int compute_capability = 0;
    bool has_own_instructions = false; ///< rows of its own in the instruction table
};

/// A chip that has the instructions of `chip` and runs code of the same kernels.
constexpr chip_info relative_of(chip_info chip, const relative_changes& changes)
{
    chip.instructions = changes.has_own_instructions ? nullptr : chip.table_name();
    chip.name = changes.name;
    chip.speed = changes.speed;
    if (changes.shared_source != nullptr)
        chip.shared_source = changes.shared_source;
    if (changes.shared_bytes != 0)
        chip.shared_bytes = changes.shared_bytes;
    if (changes.compute_capability != 0)
        chip.compute_capability = changes.compute_capability;
    return chip;
}

// CDNA: 512 registers are 256 vector and 256 accumulation registers at one wave per SIMD.
inline constexpr chip_info gfx908 = {
    .name = "gfx908",
    .vendor = vendor::amd,
    .family = chip_family::cdna_1,
    .speed = &speeds::gfx908,
    .wave_size = 64,
    .shared_bytes = 65536,
    .shared_source = "AMD CDNA1 ISA guide, LDS",
    .registers = 512,
};
inline constexpr chip_info gfx90a = {
    .name = "gfx90a",
    .vendor = vendor::amd,
    .family = chip_family::cdna_2,
    .speed = &speeds::gfx90a,
    .wave_size = 64,
    .shared_bytes = 65536,
    .shared_source = "AMD CDNA2 ISA guide, LDS",
    .registers = 512,
};
inline constexpr chip_info gfx942 = {
    .name = "gfx942",
    .vendor = vendor::amd,
    .family = chip_family::cdna_3,
    .speed = &speeds::gfx942,
    .wave_size = 64,
    .shared_bytes = 65536,
    .shared_source = "AMD CDNA3 ISA guide, LDS",
    .registers = 512,
};
// Its direct loads write the data of a wave to consecutive addresses of shared memory. has_async_copy is another primitive.
inline constexpr chip_info gfx950 = {
    .name = "gfx950",
    .vendor = vendor::amd,
    .family = chip_family::cdna_4,
    .speed = &speeds::gfx950,
    .wave_size = 64,
    .shared_banks = 64,
    .shared_bytes = 163840,
    .shared_source = "AMD CDNA4 ISA guide, LDS",
    .registers = 512,
    .has_column_read = true,
};

// CDNA 5: vector registers only; more than 256 are named through a mode register, which the compiler sets.
inline constexpr chip_info gfx1250 = {
    .name = "gfx1250",
    .vendor = vendor::amd,
    .family = chip_family::cdna_5,
    .speed = &speeds::gfx1250,
    .wave_size = 32,
    .shared_banks = 64,
    .shared_bytes = 327680,
    .shared_source = "LLVM AMDGPU back end, LDS",
    .registers = 1024,
    .has_async_copy = true,
    .async_copy_bytes = 16,
    .has_workgroup_clusters = true,
};

// RDNA in wave32 mode.
inline constexpr chip_info gfx1100 = {
    .name = "gfx1100",
    .vendor = vendor::amd,
    .family = chip_family::rdna_3,
    .speed = &speeds::gfx1100,
    .wave_size = 32,
    .shared_bytes = 65536,
    .shared_source = "AMD RDNA3 ISA guide, LDS",
    .registers = 256,
};
inline constexpr chip_info gfx1201 = {
    .name = "gfx1201",
    .vendor = vendor::amd,
    .family = chip_family::rdna_4,
    .speed = &speeds::gfx1201,
    .wave_size = 32,
    .shared_bytes = 65536,
    .shared_source = "AMD RDNA4 ISA guide, LDS",
    .registers = 256,
};

// Shared memory: what one block may opt into, one KiB less than what the multiprocessor has. Before sm_80 every
// copy goes through registers.
inline constexpr chip_info sm_75 = {
    .name = "sm_75",
    .vendor = vendor::nvidia,
    .family = chip_family::turing,
    .speed = &speeds::sm_75,
    .compute_capability = 75,
    .wave_size = 32,
    .shared_bytes = 65536,
    .shared_source = "CUDA C++ Programming Guide, 7.5",
    .registers = 255,
};
inline constexpr chip_info sm_80 = {
    .name = "sm_80",
    .vendor = vendor::nvidia,
    .family = chip_family::ampere,
    .speed = &speeds::sm_80,
    .compute_capability = 80,
    .wave_size = 32,
    .shared_bytes = 166912,
    .shared_source = "CUDA C++ Programming Guide, 8.0",
    .registers = 255,
    .has_async_copy = true,
    .async_copy_bytes = 16,
};
inline constexpr chip_info sm_89 = {
    .name = "sm_89",
    .vendor = vendor::nvidia,
    .family = chip_family::ada,
    .speed = &speeds::sm_89,
    .compute_capability = 89,
    .wave_size = 32,
    .shared_bytes = 101376,
    .shared_source = "CUDA C++ Programming Guide, 8.9",
    .registers = 255,
    .has_async_copy = true,
    .async_copy_bytes = 16,
};
inline constexpr chip_info sm_90a = {
    .name = "sm_90a",
    .vendor = vendor::nvidia,
    .family = chip_family::hopper,
    .speed = &speeds::sm_90a,
    .compute_capability = 90,
    .has_own_code = true,
    .wave_size = 32,
    .shared_bytes = 232448,
    .shared_source = "CUDA C++ Programming Guide, 9.0",
    .registers = 255,
    .has_async_copy = true,
    .async_copy_bytes = 16,
    .has_matrix_store = true,
    .has_clusters = true,
};
// B200 and B300: as Hopper, and 256 KiB of tensor memory.
inline constexpr chip_info sm_100a = {
    .name = "sm_100a",
    .vendor = vendor::nvidia,
    .family = chip_family::blackwell,
    .speed = &speeds::sm_100a,
    .compute_capability = 100,
    .has_own_code = true,
    .wave_size = 32,
    .shared_bytes = 232448,
    .shared_source = "CUDA C++ Programming Guide, 10.0",
    .registers = 255,
    .has_async_copy = true,
    .async_copy_bytes = 16,
    .has_matrix_store = true,
    .has_clusters = true,
    .tensor_columns = 512,
    .has_tcgen05_integers = true,
    .has_packed_floats = true,
    .has_launch_control = true,
};
inline constexpr chip_info sm_103a = [] {
    chip_info chip = relative_of(sm_100a, {.name = "sm_103a",
                                           .speed = &speeds::sm_103a,
                                           .shared_source = "CUDA C++ Programming Guide, 10.3",
                                           .compute_capability = 103,
                                           .has_own_instructions = true});
    chip.has_tcgen05_integers = false;
    chip.has_fast_exponentials =
        true; // NVIDIA technical blog, "Making Softmax More Efficient with NVIDIA Blackwell Ultra"
    return chip;
}();
inline constexpr chip_info sm_120a = {
    .name = "sm_120a",
    .vendor = vendor::nvidia,
    .family = chip_family::blackwell_rtx,
    .speed = &speeds::sm_120a,
    .compute_capability = 120,
    .has_own_code = true,
    .wave_size = 32,
    .shared_bytes = 101376,
    .shared_source = "CUDA C++ Programming Guide, 12.0",
    .registers = 255,
    .has_async_copy = true,
    .async_copy_bytes = 16,
    .has_matrix_store = true,
    .has_clusters = true,
};
// The instructions of sm_90, without what only an "a" architecture has.
inline constexpr chip_info sm_121 = {
    .name = "sm_121",
    .vendor = vendor::nvidia,
    .family = chip_family::blackwell_rtx,
    .instructions = "sm_90",
    .speed = &speeds::sm_121,
    .compute_capability = 121,
    .wave_size = 32,
    .shared_bytes = 101376,
    .shared_source = "CUDA C++ Programming Guide, 12.x",
    .registers = 255,
    .has_async_copy = true,
    .async_copy_bytes = 16,
    .has_matrix_store = true,
};

// CPUs: one lane a wave, whose registers are vectors (counted in 32 bits); "shared memory" is a buffer of the thread's
// own, in its caches, with no banks that could conflict. 64-byte lines stand for sectors.
inline constexpr chip_info x86_avx2 = {
    .name = "x86_avx2",
    .vendor = vendor::x86,
    .family = chip_family::x86,
    .speed = &speeds::x86_avx2,
    .wave_size = 1,
    .shared_bytes = 8388608,
    .shared_source = "a buffer in memory",
    .registers = 128,
    .max_threads = 1,
    .sector_bytes = 64,
};
inline constexpr chip_info x86_avx512 = {
    .name = "x86_avx512",
    .vendor = vendor::x86,
    .family = chip_family::x86,
    .speed = &speeds::x86_avx512,
    .wave_size = 1,
    .shared_bytes = 8388608,
    .shared_source = "a buffer in memory",
    .registers = 512,
    .max_threads = 1,
    .sector_bytes = 64,
};
inline constexpr chip_info x86_amx = {
    .name = "x86_amx",
    .vendor = vendor::x86,
    .family = chip_family::x86,
    .speed = &speeds::x86_amx,
    .wave_size = 1,
    .shared_bytes = 8388608,
    .shared_source = "a buffer in memory",
    .registers = 512,
    .max_threads = 1,
    .sector_bytes = 64,
};

#define TEGULA_WITHOUT_PARENTHESES(...) __VA_ARGS__
#define TEGULA_RECORD(name_, of, speed_, ...)                                                                          \
    namespace speeds {                                                                                                 \
    inline constexpr chip_speed name_ = {TEGULA_WITHOUT_PARENTHESES speed_};                                           \
    }                                                                                                                  \
    inline constexpr chip_info name_ = relative_of(of, {.name = #name_, .speed = &speeds::name_, __VA_ARGS__});
TEGULA_AMD_RELATIVES(TEGULA_RECORD)
TEGULA_NVIDIA_RELATIVES(TEGULA_RECORD)
#undef TEGULA_RECORD
#undef TEGULA_WITHOUT_PARENTHESES

#define TEGULA_ADDRESS(name, ...) &name,
inline constexpr const chip_info* all[] = {
    &gfx908,     &gfx90a,  &gfx942,  &gfx950,
    &gfx1250,    &gfx1100, &gfx1201, TEGULA_AMD_RELATIVES(TEGULA_ADDRESS) & sm_75,
    &sm_80,      &sm_89,   &sm_90a,  &sm_100a,
    &sm_103a,    &sm_120a, &sm_121,  TEGULA_NVIDIA_RELATIVES(TEGULA_ADDRESS) & x86_avx2,
    &x86_avx512, &x86_amx};
#undef TEGULA_ADDRESS

/// The chip of that name, or null.
constexpr const chip_info* find(const char* name)
{
    for (const chip_info* candidate : all)
        if (detail::equal_text(candidate->name, name))
            return candidate;
    return nullptr;
}

} // namespace chip
} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::equal_text;
} // namespace tegula::internal
