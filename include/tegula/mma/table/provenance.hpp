#pragma once

#include <tegula/mma/table/instruction.hpp>

/// Where a row comes from: which compiler builds its instruction, and who else says its layouts.

namespace tegula {

/// Who outside this project says which lane holds what in the row's operands: of this instruction, or of another one
/// whose layouts are the same by the table's integers. The tests compare all elements; test/golden/README.md has the
/// versions. AMD's calculator does not know gfx950.
constexpr const char* layout_witness(const instruction& i)
{
    if (!is_amd_family(i.family))
        return "CuTe";
    return i.archs.bits == arch_set(gpu_arch::gfx950).bits ? "rocjitsu" : "AMD calculator";
}

/// A compiler release that builds the architecture's instructions: clang's AMDGPU back end, or nvcc. Earlier ones may.
constexpr const char* compiler_of(gpu_arch a)
{
    return !is_amd(a) ? "nvcc 13" : a == gpu_arch::gfx950 ? "clang 20" : "clang 19";
}

} // namespace tegula
