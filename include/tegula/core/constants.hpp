#pragma once

#include <tegula/core/config.hpp>

/// Constants of float, for hosts, devices and the compiler.

namespace tegula {

inline constexpr float log2_of_e = 1.44269504088896340736f;
inline constexpr float log_of_2 = 0.693147180559945309417f; ///< to base e

namespace detail {

inline constexpr float infinity = __builtin_huge_valf();

} // namespace detail
} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::infinity;
} // namespace tegula::internal
