#pragma once

#include <tegula/arch/target.hpp>
#include <tegula/mma/table/instruction.hpp>

namespace tegula {

/// Architecture of a target in the instruction table.
template <gpu_target Target>
consteval gpu_arch arch_of()
{
    gpu_arch found{};
    const bool known = find_arch(Target::chip().name, found);
    return known ? found : throw "tegula: the instruction table does not know this target";
}

} // namespace tegula
