#pragma once

// The flavour of 8-bit floats that a target multiplies.

#include <tegula/core/float8.hpp>
#include <tegula/mma/choose.hpp>

#include <type_traits>

namespace examples {

/// Fnuz where Target multiplies that type, else Ocp.
template <class Target, class Ocp, class Fnuz>
using float8_flavour = std::conditional_t<tegula::has_matrix_instruction<Target, Fnuz>, Fnuz, Ocp>;

} // namespace examples
