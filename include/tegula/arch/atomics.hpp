#pragma once

#include <tegula/arch/atomic_op.hpp>
#include <tegula/arch/emulation.hpp>
#include <tegula/arch/pair_addition.hpp>

namespace tegula::arch {

/// The atomic primitives of a target. Issue carries them out: the target's own instructions in its device pass,
/// emulated_atomics in a host pass.
///
/// Those that return do so with the value before. Order with other accesses is a barrier's; between blocks there is none. In
/// emulation a block waits with its first one on global memory until all blocks before it have ended, so that what they
/// return is the same from run to run.
template <class Issue>
struct atomics
{
    /// Adds to global memory; T is float or int. In emulation the sum is there when the launch ends.
    template <class T>
    static TEGULA_INLINE void atomic_add(T* to, T value, call_site where = call_site::here())
    {
        static_assert(std::is_same_v<T, float> || std::is_same_v<T, int>,
                      "tegula: atomic additions are of float or int; cast the values");
        Issue::add(to, value, where);
    }
    /// Adds two neighbours of f16 or bf16, the first in the low half, at a multiple of 4 bytes of global or shared memory;
    /// for targets that have the instruction (detail::adds_pairs). Subnormals count.
    template <bool Shared, class T>
    static TEGULA_INLINE void add_pair(T* at, std::uint32_t pair, call_site where = call_site::here())
    {
        Issue::template add_pair<Shared>(at, pair, where);
    }
    /// On shared memory. T: an integer of 32 or 64 bits; float for add and exchange.
    template <atomic_op Op, class T>
    static TEGULA_INLINE T shared_atomic(T* at, T value, call_site where = call_site::here())
    {
        static_assert(tegula::detail::check_shared_atomic<Op, T>());
        return Issue::template shared<Op>(at, value, where);
    }
    /// On shared memory: writes `value` if it holds `expected`. T: an integer of 32 or 64 bits.
    template <class T>
    static TEGULA_INLINE T shared_compare_exchange(T* at, T expected, T value, call_site where = call_site::here())
    {
        static_assert(tegula::detail::check_compare_exchange<T>());
        return Issue::shared_compare_exchange(at, expected, value, where);
    }
    /// On global memory; T as of shared memory, and double for add and exchange.
    template <atomic_op Op, class T>
    static TEGULA_INLINE T global_atomic(T* at, T value, call_site where = call_site::here())
    {
        static_assert(tegula::detail::check_global_atomic<Op, T>());
        return Issue::template global<Op>(at, value, where);
    }
    template <class T>
    static TEGULA_INLINE T global_compare_exchange(T* at, T expected, T value, call_site where = call_site::here())
    {
        static_assert(tegula::detail::check_compare_exchange<T>());
        return Issue::global_compare_exchange(at, expected, value, where);
    }
};

/// By the emulator.
struct emulated_atomics
{
    /// Whoever waits for others exchanges, compares or adds 0; a minimum often changes nothing.
    template <atomic_op Op>
    static constexpr bool looks = Op == atomic_op::add || Op == atomic_op::exchange;

    template <class T>
    static TEGULA_INLINE void add(T* to, T value, call_site where)
    {
        emulation::atomic_add(to, value, where);
    }
    template <bool Shared, class T>
    static TEGULA_INLINE void add_pair(T* at, std::uint32_t pair, call_site where)
    {
        const auto change = [pair](std::uint32_t old) { return tegula::detail::add_pair<T>(old, pair); };
        auto* const words = reinterpret_cast<std::uint32_t*>(at);
        if constexpr (Shared)
            emulation::shared_atomic(words, change, where);
        else
            emulation::global_atomic(words, change, where);
    }
    template <atomic_op Op, class T>
    static TEGULA_INLINE T shared(T* at, T value, call_site where)
    {
        if constexpr (Op == atomic_op::exchange)
            return emulation::shared_exchange(at, value, where);
        return emulation::shared_atomic(
            at, [value](T old) { return tegula::detail::apply_atomic<Op>(old, value); }, where, looks<Op>);
    }
    template <class T>
    static TEGULA_INLINE T shared_compare_exchange(T* at, T expected, T value, call_site where)
    {
        return emulation::shared_atomic(at, [expected, value](T old) { return old == expected ? value : old; }, where);
    }
    template <atomic_op Op, class T>
    static TEGULA_INLINE T global(T* at, T value, call_site where)
    {
        if constexpr (Op == atomic_op::exchange)
            return emulation::global_exchange(at, value, where);
        return emulation::global_atomic(
            at, [value](T old) { return tegula::detail::apply_atomic<Op>(old, value); }, where, looks<Op>);
    }
    template <class T>
    static TEGULA_INLINE T global_compare_exchange(T* at, T expected, T value, call_site where)
    {
        return emulation::global_atomic(at, [expected, value](T old) { return old == expected ? value : old; }, where);
    }
};

} // namespace tegula::arch
