#pragma once

#include <tegula/arch/target.hpp>
#include <tegula/mma/table/instruction.hpp>

namespace tegula {

/// Architecture of a target in the instruction table: its own, or that of a relative with the same instructions for
/// waves and warps. (For sm_121 this is sm_90, without the instructions of "a" architectures.)
template <gpu_target Target>
consteval gpu_arch arch_of()
{
    gpu_arch found{};
    const bool known = find_arch(Target::chip().table_name(), found);
    return known ? found : throw "tegula: the instruction table does not know this target";
}

} // namespace tegula
