#pragma once

#include <tegula/arch/amd/lane_moves.hpp>
#include <tegula/arch/atomics.hpp>

namespace tegula::arch::amd {

#if TEGULA_AMD_PASS
/// *at = op(*at, value) at a place of global or shared memory; returns the value before.
template <atomic_op Op, int Scope, class Place, class T>
__attribute__((device)) inline __attribute__((always_inline)) T issue_atomic(Place at, T value)
{
    if constexpr (Op == atomic_op::add)
        return __hip_atomic_fetch_add(at, value, __ATOMIC_RELAXED, Scope);
    else if constexpr (Op == atomic_op::min)
        return __hip_atomic_fetch_min(at, value, __ATOMIC_RELAXED, Scope);
    else if constexpr (Op == atomic_op::max)
        return __hip_atomic_fetch_max(at, value, __ATOMIC_RELAXED, Scope);
    else
        return __hip_atomic_exchange(at, value, __ATOMIC_RELAXED, Scope);
}
/// *at = value if *at is `expected`; returns the value before.
template <int Scope, class Place, class T>
__attribute__((device)) inline __attribute__((always_inline)) T issue_compare_exchange(Place at, T expected, T value)
{
    __hip_atomic_compare_exchange_strong(at, &expected, value, __ATOMIC_RELAXED, __ATOMIC_RELAXED, Scope);
    return expected; // what memory held
}

struct issued_atomics
{
    template <class T>
    using in_shared = __attribute__((address_space(3))) T*;
    template <class T>
    using in_global = __attribute__((address_space(1))) T*;

    template <class T>
    static TEGULA_INLINE void add(T* to, T value, call_site)
    {
        __hip_atomic_fetch_add(to, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    }
    template <bool Shared, class T>
    static TEGULA_INLINE void add_pair(T* at, std::uint32_t pair, call_site)
    {
        using f16x2 = _Float16 __attribute__((ext_vector_type(2)));
        using bf16x2 = short __attribute__((ext_vector_type(2)));
        if constexpr (std::is_same_v<T, half> && Shared)
            __builtin_amdgcn_ds_atomic_fadd_v2f16((in_shared<f16x2>)at, __builtin_bit_cast(f16x2, pair));
        else if constexpr (std::is_same_v<T, half>)
            __builtin_amdgcn_global_atomic_fadd_v2f16((in_global<f16x2>)at, __builtin_bit_cast(f16x2, pair));
        else if constexpr (Shared)
            __builtin_amdgcn_ds_atomic_fadd_v2bf16((in_shared<bf16x2>)at, __builtin_bit_cast(bf16x2, pair));
        else
            __builtin_amdgcn_global_atomic_fadd_v2bf16((in_global<bf16x2>)at, __builtin_bit_cast(bf16x2, pair));
    }
    template <atomic_op Op, class T>
    static TEGULA_INLINE T shared(T* at, T value, call_site)
    {
        return issue_atomic<Op, __HIP_MEMORY_SCOPE_WORKGROUP>((in_shared<T>)at, value);
    }
    template <class T>
    static TEGULA_INLINE T shared_compare_exchange(T* at, T expected, T value, call_site)
    {
        return issue_compare_exchange<__HIP_MEMORY_SCOPE_WORKGROUP>((in_shared<T>)at, expected, value);
    }
    template <atomic_op Op, class T>
    static TEGULA_INLINE T global(T* at, T value, call_site)
    {
        return issue_atomic<Op, __HIP_MEMORY_SCOPE_AGENT>((in_global<T>)at, value);
    }
    template <class T>
    static TEGULA_INLINE T global_compare_exchange(T* at, T expected, T value, call_site)
    {
        return issue_compare_exchange<__HIP_MEMORY_SCOPE_AGENT>((in_global<T>)at, expected, value);
    }
};
#else
using issued_atomics = emulated_atomics;
#endif

} // namespace tegula::arch::amd
