#pragma once

#include <tegula/chip/chip_info.hpp>
#include <tegula/mma/table/element_kind.hpp>

namespace tegula {

/// Architectures of the instruction table.
enum class gpu_arch {
    gfx908,
    gfx90a,
    gfx942,
    gfx950,
    gfx1100,
    gfx1200,
    gfx1201,
    gfx1250,
    sm_75,
    sm_80,
    sm_89,
    sm_90,
    sm_90a,
    sm_100a,
    sm_103a,
    sm_120a,
    x86_avx2,
    x86_avx512,
    x86_amx,
};

inline constexpr int num_gpu_archs = 19;

constexpr const char* name_of(gpu_arch a)
{
    constexpr const char* names[num_gpu_archs] = {
        "gfx908", "gfx90a", "gfx942", "gfx950",  "gfx1100", "gfx1200", "gfx1201",  "gfx1250",    "sm_75",  "sm_80",
        "sm_89",  "sm_90",  "sm_90a", "sm_100a", "sm_103a", "sm_120a", "x86_avx2", "x86_avx512", "x86_amx"};
    return names[static_cast<int>(a)];
}

constexpr bool is_amd(gpu_arch a) { return a <= gpu_arch::gfx1250; }
/// A CPU, which the table treats as a GPU whose waves have one lane.
constexpr bool is_x86(gpu_arch a) { return a >= gpu_arch::x86_avx2; }

/// A set of architectures.
struct arch_set
{
    unsigned bits = 0;

    constexpr arch_set() = default;
    constexpr arch_set(gpu_arch a) : bits(1u << static_cast<int>(a)) {}
    constexpr bool contains(gpu_arch a) const { return (bits >> static_cast<int>(a) & 1) != 0; }
    friend constexpr arch_set operator|(arch_set a, arch_set b)
    {
        a.bits |= b.bits;
        return a;
    }
};

/// The registers or memory that an instruction works on.
enum class instruction_kind {
    mma,   ///< D = A B + C of one wave, everything in registers
    wgmma, ///< four warps; A in registers or shared memory, B in shared memory
    copy,  ///< 8x8 matrices of 16-bit elements between shared memory and registers
};

/// The family a row belongs to; mma/table/operand_encoding.hpp has one rule for each.
enum class instruction_family {
    mfma,         ///< CDNA matrix instructions
    wmma_gfx11,   ///< RDNA 3: inputs replicated over the 16-lane groups
    wmma_gfx12,   ///< RDNA 4
    wmma_gfx1250, ///< CDNA 5: runs of 16 bytes of k in each half of a wave of 32
    mma_sync,     ///< NVIDIA warps
    wgmma,        ///< NVIDIA warpgroups
    matrix_copy,  ///< ldmatrix, stmatrix
    x86_vector,   ///< one row of A, a repeated word, by a register of columns of B
    x86_tile,     ///< AMX
};

/// The property that tells instructions of one mnemonic apart. On gfx11 it is the half of each 32-bit register that a
/// 16-bit result uses. For the f8f6f4 instructions it is the element types of A and B (modifiers cbsz and blgp, on
/// gfx1250 matrix_a_fmt and matrix_b_fmt).
enum class instruction_variant {
    none,
    opsel_hi,
    fp8_fp8,
    fp8_bf8,
    fp8_fp6,
    fp8_bf6,
    fp8_fp4,
    bf8_fp8,
    bf8_bf8,
    bf8_fp6,
    bf8_bf6,
    bf8_fp4,
    fp6_fp8,
    fp6_bf8,
    fp6_fp6,
    fp6_bf6,
    fp6_fp4,
    bf6_fp8,
    bf6_bf8,
    bf6_fp6,
    bf6_bf6,
    bf6_fp4,
    fp4_fp8,
    fp4_bf8,
    fp4_fp6,
    fp4_bf6,
    fp4_fp4,
};

inline constexpr int num_instruction_variants = 27;

/// One row of the table: an instruction and the integers its register layouts derive from.
struct instruction
{
    const char* name; ///< mnemonic; '#' stands for the decimal digits of n
    arch_set archs;   ///< architectures that list the row; see available_on()
    instruction_family family;
    int m, n, k; ///< shape of one product; copies: 8 * matrices rows, 8 columns, 0
    int blocks;  ///< independent products in one instruction
    int wave;    ///< lanes that take part: 32, 64 or 128; x86: 1
    element_kind a, b, c;
    int input_slot_bits = 0; ///< bits of an input's slot; 0: those of the element
    instruction_variant variant = instruction_variant::none;
    bool transposes = false; ///< copies: the .trans form
    /// A scale of 8 bits for each row (column) and block of 32 k of A (B), a power of two, from another register each.
    /// mxf4nvf4 with ue4m3 has one for each 16 k.
    bool block_scaled = false;
};

/// Whether the types of A and B are modifiers of the instruction: f8f6f4 of gfx950 and gfx1250.
constexpr bool is_f8f6f4(const instruction& i)
{
    return (i.family == instruction_family::mfma || i.family == instruction_family::wmma_gfx1250) &&
           i.variant >= instruction_variant::fp8_fp8;
}

constexpr instruction_kind kind_of(const instruction& i)
{
    return i.family == instruction_family::wgmma         ? instruction_kind::wgmma
           : i.family == instruction_family::matrix_copy ? instruction_kind::copy
                                                         : instruction_kind::mma;
}

constexpr const char* name_of(instruction_kind k)
{
    return k == instruction_kind::mma ? "mma" : k == instruction_kind::wgmma ? "wgmma" : "copy";
}

constexpr bool is_amd_family(instruction_family f) { return f <= instruction_family::wmma_gfx1250; }

constexpr bool is_x86_family(instruction_family f) { return f >= instruction_family::x86_vector; }

constexpr const char* vendor_of(const instruction& i)
{
    return is_amd_family(i.family) ? "amd" : is_x86_family(i.family) ? "x86" : "nvidia";
}

/// Spelling of the variant; null if the row is the only one of its name.
constexpr const char* name_of(instruction_variant v)
{
    constexpr const char* names[num_instruction_variants] = {
        nullptr,   "opsel_hi", "fp8_fp8", "fp8_bf8", "fp8_fp6", "fp8_bf6", "fp8_fp4", "bf8_fp8", "bf8_bf8",
        "bf8_fp6", "bf8_bf6",  "bf8_fp4", "fp6_fp8", "fp6_bf8", "fp6_fp6", "fp6_bf6", "fp6_fp4", "bf6_fp8",
        "bf6_bf8", "bf6_fp6",  "bf6_bf6", "bf6_fp4", "fp4_fp8", "fp4_bf8", "fp4_fp6", "fp4_bf6", "fp4_fp4"};
    return names[static_cast<int>(v)];
}

/// Whether the instruction can be issued on `a`. AMD and x86 rows name all their architectures. NVIDIA's mma.sync and
/// matrix copies stay in every later one, but forms of an "a" architecture exist only there.
constexpr bool available_on(const instruction& i, gpu_arch a)
{
    if (i.archs.contains(a))
        return true;
    if (is_amd(a) || is_x86(a) || i.family == instruction_family::wgmma)
        return false;
    for (gpu_arch listed = gpu_arch::sm_75; listed < a; listed = static_cast<gpu_arch>(static_cast<int>(listed) + 1))
        if (i.archs.contains(listed))
            return true;
    return false;
}

/// Inputs of smaller magnitude count as zero in matrix instructions of `arch`; 0 if subnormals are kept. gfx90a
/// flushes those of f16 and bf16, and of the sums (PyTorch documentation, "Numerical accuracy", on Instinct MI200).
constexpr double least_input(gpu_arch arch, element_kind kind)
{
    // VDPBF16PS and TDPBF16PS treat subnormals as zero and flush the sums (SDM, volume 2).
    if (is_x86(arch))
        return kind == element_kind::bf16 ? 0x1p-126 : 0;
    if (arch != gpu_arch::gfx90a)
        return 0;
    return kind == element_kind::f16 ? 0x1p-14 : kind == element_kind::bf16 ? 0x1p-126 : 0;
}

/// Whether the f32 accumulators of mma.sync keep 13 bits of a sum after the leading one. Those of fp8 on sm_89 do
/// (SageAttention2, section 3.2; MMA-Sim, arXiv 2511.10909). Those of sm_120a keep 25 (MMA-Sim), and nvcc multiplies
/// fp8 on sm_90a by the instructions for f16.
constexpr bool truncates_sums(gpu_arch arch, element_kind kind)
{
    return arch == gpu_arch::sm_89 && (kind == element_kind::f8e4m3 || kind == element_kind::f8e5m2);
}
/// Whether nvcc multiplies fp8 by mma.sync's instructions for f16, and so converts the operands to 16 bits.
constexpr bool widens_operands(gpu_arch arch, element_kind kind)
{
    return arch == gpu_arch::sm_90a && (kind == element_kind::f8e4m3 || kind == element_kind::f8e5m2);
}

/// Sums of smaller magnitude are zero if such inputs are.
inline constexpr float least_sum = 0x1p-126f;

/// x, or zero if its magnitude is below `least`.
template <class Number>
constexpr Number flushed(Number x, Number least)
{
    return x < least && x > -least ? Number{} : x;
}

/// A row's name with the digits of n filled in.
struct instruction_name
{
    char text[112]{};
    constexpr const char* c_str() const { return text; }
};

constexpr instruction_name name_of(const instruction& i)
{
    instruction_name result;
    char* out = result.text;
    for (const char* in = i.name; *in != '\0'; ++in) {
        if (*in != '#') {
            *out++ = *in;
            continue;
        }
        for (int place = i.n >= 100 ? 100 : i.n >= 10 ? 10 : 1; place > 0; place /= 10)
            *out++ = static_cast<char>('0' + i.n / place % 10);
    }
    return result;
}

constexpr bool has_name(const instruction& i, const char* name)
{
    return internal::equal_text(name_of(i).c_str(), name);
}

/// Elements along k that share a scale in an instruction with block scales: 16 if scales are ue4m3 by its name, else
/// 32; 0 without scales.
constexpr int scaled_block(const instruction& i)
{
    const char* end = i.name;
    while (*end != '\0')
        ++end;
    return !i.block_scaled ? 0 : end - i.name > 6 && internal::equal_text(end - 6, ".ue4m3") ? 16 : 32;
}

/// Puts the architecture of that name in `found`; false if the table has none.
constexpr bool find_arch(const char* name, gpu_arch& found)
{
    for (int i = 0; i < num_gpu_archs; ++i) {
        found = static_cast<gpu_arch>(i);
        if (internal::equal_text(name_of(found), name))
            return true;
    }
    return false;
}

/// Puts the variant of that name in `found`; false, with `found` unchanged, if the table has none.
constexpr bool find_variant(const char* name, instruction_variant& found)
{
    for (int i = 1; i < num_instruction_variants; ++i)
        if (const auto variant = static_cast<instruction_variant>(i); internal::equal_text(name_of(variant), name)) {
            found = variant;
            return true;
        }
    return false;
}

} // namespace tegula
