#pragma once

#include <tegula/arch/emulation.hpp>
#include <tegula/layout/distribution.hpp>

namespace tegula {

/// A tile distributed over the lanes of a wave or a block: the calling lane's registers of it.
///
/// registers[Distribution::register_index(y)] is the element at calculate_index(p, y). Indices into `registers` must be
/// compile-time values in device code, or the array leaves the register file.
template <class T, class Distribution>
struct distributed_tensor
{
    static_assert(std::is_same_v<Distribution, distribution_of<Distribution>>,
                  "tegula: a distributed_tensor is of a distribution, and this is an encoding; write "
                  "distributed_tensor<T, tile_distribution<encoding>>");

    using value_type = T;
    using distribution = distribution_of<Distribution>;

    static constexpr int num_registers = distribution::num_registers;

    alignas(sizeof(T) * num_registers % 16 == 0 ? 16 : alignof(T)) array<T, num_registers> registers
        TEGULA_UNSET(array<T, num_registers>);

    constexpr TEGULA_INLINE T& operator[](int i) { return registers[i]; }
    constexpr TEGULA_INLINE const T& operator[](int i) const { return registers[i]; }
};

/// A distributed tile with every element set to `value`.
template <class T, class Distribution>
constexpr TEGULA_INLINE distributed_tensor<T, distribution_of<Distribution>> make_distributed_tensor(T value)
{
    distributed_tensor<T, distribution_of<Distribution>> t;
    static_for<distribution_of<Distribution>::num_registers>([&](auto i) { t.registers[i] = value; });
    return t;
}

namespace detail {
template <class A, class B>
consteval bool is_same_distribution()
{
    if (!(A::value == B::value))
        return false;
    for (int i = 0; i < A::num_y; ++i)
        if (A::register_stride(i) != B::register_stride(i))
            return false;
    return true;
}
} // namespace detail

/// Whether the registers of two distributions hold the same elements in the same order: one can be read as the other.
template <class A, class B>
inline constexpr bool same_distribution = detail::is_same_distribution<A, B>();
template <class A>
inline constexpr bool same_distribution<A, A> = true;

} // namespace tegula
