#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// What an atomic operation does to the value in memory.
enum class atomic_op { add, min, max, exchange };

namespace detail {

/// T of an atomic operation: int and unsigned int, float if it is added or exchanged.
template <atomic_op Op, class T>
inline constexpr bool has_atomic = std::is_same_v<T, int> || std::is_same_v<T, unsigned> ||
                                   (std::is_same_v<T, float> && (Op == atomic_op::add || Op == atomic_op::exchange));

/// What is in memory after it; sums of integers wrap around.
template <atomic_op Op, class T>
constexpr T apply_atomic(T old, T value)
{
    if constexpr (Op == atomic_op::exchange)
        return value;
    else if constexpr (Op == atomic_op::min)
        return value < old ? value : old;
    else if constexpr (Op == atomic_op::max)
        return old < value ? value : old;
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<unsigned>(old) + static_cast<unsigned>(value));
    else
        return old + value;
}

} // namespace detail
} // namespace tegula
