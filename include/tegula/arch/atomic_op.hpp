#pragma once

#include <tegula/core/config.hpp>

namespace tegula {

/// The change that an atomic operation makes to the value in memory.
enum class atomic_op { add, min, max, exchange };

namespace detail {

/// T of an atomic operation: integers of 32 and 64 bits, float if it is added or exchanged, double too in global memory.
template <class T>
inline constexpr bool has_compare_exchange =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && (sizeof(T) == 4 || sizeof(T) == 8);
template <atomic_op Op, class T>
inline constexpr bool has_atomic =
    has_compare_exchange<T> || (std::is_same_v<T, float> && (Op == atomic_op::add || Op == atomic_op::exchange));
template <atomic_op Op, class T>
inline constexpr bool has_global_atomic =
    has_atomic<Op, T> || (std::is_same_v<T, double> && (Op == atomic_op::add || Op == atomic_op::exchange));

/// One message for each refusal, for all targets.
template <atomic_op Op, class T>
consteval bool check_shared_atomic()
{
    static_assert(has_atomic<Op, T>,
                  "tegula: atomic operations are for integers of 32 and 64 bits, and for float where it "
                  "is added or exchanged");
    return true;
}
template <atomic_op Op, class T>
consteval bool check_global_atomic()
{
    static_assert(has_global_atomic<Op, T>,
                  "tegula: atomic operations are for integers of 32 and 64 bits, and for float "
                  "and double where they are added or exchanged");
    return true;
}
template <class T>
consteval bool check_compare_exchange()
{
    static_assert(has_compare_exchange<T>, "tegula: atomic comparisons are for integers of 32 and 64 bits");
    return true;
}

/// The value in memory after the operation; sums of integers wrap around.
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
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) + static_cast<std::make_unsigned_t<T>>(value));
    else
        return old + value;
}

} // namespace detail
} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::apply_atomic;
} // namespace tegula::internal
