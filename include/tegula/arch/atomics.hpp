#pragma once

#include <tegula/arch/atomic_op.hpp>
#include <tegula/arch/emulation.hpp>
#include <tegula/arch/pair_addition.hpp>

namespace tegula::arch {

/// The atomic primitives of a target. Issue carries them out: the target's own instructions in its device pass,
/// emulated_atomics in a host pass. Operations that return a value return what memory held before.
///
/// All are relaxed: each is indivisible, but it orders no other access. The scope is the block for shared memory and
/// the GPU for global memory. Within a block, a block_barrier orders accesses before and after it. Between blocks no
/// barrier does: the writer needs a thread_fence<thread_scope::device> before its operation, the reader after its own.
///
/// In emulation results are equal from run to run. A block waits with its first operation on global memory, other than
/// atomic_add, until all blocks of lower numbers have ended. Blocks of a cooperative launch do not wait.
template <class Issue>
struct atomics
{
    /// Adds to global memory and returns nothing; T is float or int. In emulation the block sees the sum
    /// after a barrier. Other blocks see it when the launch ends, or by an atomic operation that returns.
    template <class T>
    static TEGULA_INLINE void atomic_add(T* to, T value, call_site where = call_site::here())
    {
        static_assert(std::is_same_v<T, float> || std::is_same_v<T, int>,
                      "tegula: atomic additions are of float or int; cast the values");
        Issue::add(to, value, where);
    }
    /// Adds a pair of neighbouring half or bfloat16 to global memory, or to shared memory if Shared; the low half of
    /// `pair` is the first. Precondition: `at` is aligned to 4 bytes. Only for targets with the instruction
    /// (detail::adds_pairs). Subnormals are kept.
    template <bool Shared, class T>
    static TEGULA_INLINE void add_pair(T* at, std::uint32_t pair, call_site where = call_site::here())
    {
        Issue::template add_pair<Shared>(at, pair, where);
    }
    /// *at = op(*at, value) in shared memory. T: an integer of 32 or 64 bits; float for add and exchange.
    template <atomic_op Op, class T>
    static TEGULA_INLINE T shared_atomic(T* at, T value, call_site where = call_site::here())
    {
        static_assert(tegula::detail::check_shared_atomic<Op, T>());
        return Issue::template shared<Op>(at, value, where);
    }
    /// In shared memory: writes `value` if *at equals `expected`. T: an integer of 32 or 64 bits.
    template <class T>
    static TEGULA_INLINE T shared_compare_exchange(T* at, T expected, T value, call_site where = call_site::here())
    {
        static_assert(tegula::detail::check_compare_exchange<T>());
        return Issue::shared_compare_exchange(at, expected, value, where);
    }
    /// *at = op(*at, value) in global memory. T: as for shared_atomic, and double for add and exchange.
    template <atomic_op Op, class T>
    static TEGULA_INLINE T global_atomic(T* at, T value, call_site where = call_site::here())
    {
        static_assert(tegula::detail::check_global_atomic<Op, T>());
        return Issue::template global<Op>(at, value, where);
    }
    /// In global memory: writes `value` if *at equals `expected`. T: an integer of 32 or 64 bits.
    template <class T>
    static TEGULA_INLINE T global_compare_exchange(T* at, T expected, T value, call_site where = call_site::here())
    {
        static_assert(tegula::detail::check_compare_exchange<T>());
        return Issue::global_compare_exchange(at, expected, value, where);
    }
};

/// The atomic primitives as the emulator carries them out.
struct emulated_atomics
{
    /// Whether an operation that changes nothing may be polling, that is, a lane that waits for another. Polling is by
    /// exchange, comparison or adding 0. A minimum or maximum often changes nothing and is no polling.
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
