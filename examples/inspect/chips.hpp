#pragma once

#include "output.hpp"

#include <tegula/chip/chip_info.hpp>

#include <string>

namespace inspect {

/// The chip of that name; bad_input with the list of chips where there is none.
inline const tegula::chip_info& chip_of(const std::string& name)
{
    if (const tegula::chip_info* chip = tegula::chip::find(name.c_str()))
        return *chip;
    std::string all;
    for (const tegula::chip_info* chip : tegula::chip::all)
        all += (all.empty() ? "" : ", ") + std::string(chip->name);
    throw bad_input("there is no chip \"" + name + "\"; there are " + all);
}

/// Refuses a width that no element has.
inline void require_element_bits(int bits)
{
    if (bits != 4 && bits != 8 && bits != 16 && bits != 32 && bits != 64)
        throw bad_input("--bits is " + std::to_string(bits) + "; an element has 4, 8, 16, 32 or 64 bits");
}

} // namespace inspect
