#pragma once

// A layout in any notation, as tegula-inspect reads it.

#include "output.hpp"

#include <tegula/notations.hpp>

#include <string>
#include <variant>

namespace inspect {

using any_layout =
    std::variant<tegula::encoding_value, tegula::linear_layout, tegula::strided_layout, tegula::swizzled_layout>;

template <class T>
any_layout as_any(const T& layout)
{
    return any_layout(std::in_place_type<T>, layout);
}

/// The value, or its sentence as bad input.
template <class T>
T take(const tegula::outcome<T>& result)
{
    if (!result.ok())
        throw bad_input(result.error.message());
    return result.value;
}

/// Reads a layout; its first characters tell the notation. A swizzle alone is read as one of the numbers it permutes.
/// Throws bad_input.
any_layout read_layout(const std::string& argument);

} // namespace inspect
