#pragma once

#include <tegula/mma/table/instruction.hpp>

/// Where a row comes from: which compiler builds its instruction, and which other source confirms its layouts.

namespace tegula {

/// The source outside this project for the lanes and elements of the row's operands. It describes this instruction, or
/// another one whose layouts are the same by the table's integers. The tests compare all elements;
/// test/golden/README.md has the versions. Vector instructions of x86 are compared with the machine itself
/// (test/mma/table/x86.cpp), except vfmadd231ph: no machine that has it ran the tests. Those of AMX are compared with
/// products that Bochs computes (test/mma/table/golden_amx.cpp). AMD's calculator knows neither gfx950 nor gfx1250.
constexpr const char* layout_witness(const instruction& i)
{
    if (i.family == instruction_family::x86_tile)
        return "Bochs";
    if (i.family == instruction_family::x86_vector)
        return i.a == element_kind::f16 ? "none" : "the CPU itself";
    if (!is_amd_family(i.family))
        return "CuTe";
    const bool is_new = i.archs.bits == arch_set(gpu_arch::gfx950).bits || i.archs.contains(gpu_arch::gfx1250);
    return is_new ? "rocjitsu" : "AMD calculator";
}

/// A compiler release that builds the architecture's instructions: clang's AMDGPU back end, or nvcc. Earlier ones may.
constexpr const char* compiler_of(gpu_arch a)
{
    if (is_x86(a))
        return a == gpu_arch::x86_amx ? "g++ 12 (tdpfp16ps: g++ 13)" : "g++ 12";
    return !is_amd(a)               ? "nvcc 13"
           : a == gpu_arch::gfx950  ? "clang 20"
           : a == gpu_arch::gfx1250 ? "clang 22"
                                    : "clang 19";
}

} // namespace tegula
