#pragma once

#include <tegula/arch/target.hpp>
#include <tegula/mma/table/instruction.hpp>

namespace tegula {

namespace detail {

/// The architecture of the table whose instructions a chip has that the table does not name.
constexpr const char* table_name(const char* chip)
{
    constexpr const char* relatives[][2] = {{"gfx1101", "gfx1100"}, {"gfx1102", "gfx1100"}, {"gfx1103", "gfx1100"},
                                            {"gfx1150", "gfx1100"}, {"gfx1151", "gfx1100"}, {"sm_86", "sm_80"},
                                            {"sm_121", "sm_90"}};
    for (const auto& [name, relative] : relatives)
        if (same_name(name, chip))
            return relative;
    return chip;
}

} // namespace detail

/// Architecture of a target in the instruction table: its own, or that of a relative with the same instructions for
/// waves and warps. (For sm_121 this is sm_90, without what only an "a" architecture has.)
template <gpu_target Target>
consteval gpu_arch arch_of()
{
    gpu_arch found{};
    const bool known = find_arch(detail::table_name(Target::chip().name), found);
    return known ? found : throw "tegula: the instruction table does not know this target";
}

} // namespace tegula
