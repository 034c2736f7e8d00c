#pragma once

#include <tegula/arch/atomics.hpp>
#include <tegula/arch/nvidia/pass.hpp>

namespace tegula::arch::nvidia {

#if TEGULA_NVIDIA_PASS
/// CUDA's functions take integers as int, unsigned, long long and unsigned long long, and sums of 64 bits unsigned.
template <class T>
using cuda_integer = std::conditional_t<sizeof(T) == 4, std::conditional_t<std::is_signed_v<T>, int, unsigned>,
                                        std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>>;

template <atomic_op Op, class T>
TEGULA_INLINE T issue_atomic(T* at, T value)
{
    using bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    if constexpr (Op == atomic_op::min)
        return atomicMin(reinterpret_cast<cuda_integer<T>*>(at), static_cast<cuda_integer<T>>(value));
    else if constexpr (Op == atomic_op::max)
        return atomicMax(reinterpret_cast<cuda_integer<T>*>(at), static_cast<cuda_integer<T>>(value));
    else if constexpr (Op == atomic_op::exchange)
        return __builtin_bit_cast(T, atomicExch(reinterpret_cast<bits*>(at), __builtin_bit_cast(bits, value)));
    else if constexpr (std::is_integral_v<T>)
        return static_cast<T>(atomicAdd(reinterpret_cast<bits*>(at), static_cast<bits>(value)));
    else
        return atomicAdd(at, value);
}
template <class T>
TEGULA_INLINE T issue_compare_exchange(T* at, T expected, T value)
{
    using bits = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
    return static_cast<T>(
        atomicCAS(reinterpret_cast<bits*>(at), static_cast<bits>(expected), static_cast<bits>(value)));
}

struct issued_atomics
{
    template <class T>
    static TEGULA_INLINE void add(T* to, T value, call_site)
    {
        atomicAdd(to, value);
    }
    template <bool Shared, class T>
    static TEGULA_INLINE void add_pair(T* at, std::uint32_t pair, call_site)
    {
        if constexpr (Shared) {
            const auto place = static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
            if constexpr (std::is_same_v<T, half>)
                asm volatile("red.shared.add.noftz.f16x2 [%0], %1;" ::"r"(place), "r"(pair) : "memory");
            else
                asm volatile("red.shared.add.noftz.bf16x2 [%0], %1;" ::"r"(place), "r"(pair) : "memory");
        } else {
            if constexpr (std::is_same_v<T, half>)
                asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(at), "r"(pair) : "memory");
            else
                asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(at), "r"(pair) : "memory");
        }
    }
    template <atomic_op Op, class T>
    static TEGULA_INLINE T shared(T* at, T value, call_site)
    {
        return issue_atomic<Op>(at, value);
    }
    template <class T>
    static TEGULA_INLINE T shared_compare_exchange(T* at, T expected, T value, call_site)
    {
        return issue_compare_exchange(at, expected, value);
    }
    template <atomic_op Op, class T>
    static TEGULA_INLINE T global(T* at, T value, call_site)
    {
        return issue_atomic<Op>(at, value);
    }
    template <class T>
    static TEGULA_INLINE T global_compare_exchange(T* at, T expected, T value, call_site)
    {
        return issue_compare_exchange(at, expected, value);
    }
};
#else
using issued_atomics = emulated_atomics;
#endif

} // namespace tegula::arch::nvidia
