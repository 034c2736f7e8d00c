#pragma once

#include <tegula/arch/atomics.hpp>
#include <tegula/arch/emulation.hpp>
#include <tegula/arch/raw_vector.hpp>
#include <tegula/chip/chip_info.hpp>
#include <tegula/core/array.hpp>

#include <utility>

namespace tegula::arch::x86 {

/// The block that the running thread of the CPU works on; launch() sets it (host/cpu_device.hpp).
struct current_block
{
    array<int, 3> id{};
    std::byte* shared = nullptr;
};
inline thread_local current_block this_block;

/// Coefficients of the Taylor polynomial of 2^f of degree 7, the highest first.
inline constexpr float exp2_polynomial[] = {1.5252734e-05f, 1.5403530e-04f, 1.3333558e-03f, 9.6181291e-03f,
                                            5.5504109e-02f, 2.4022651e-01f, 6.9314718e-01f, 1.0f};

/// condition ? a : b without a branch. Compilers do not vectorise a branch as long as comparisons may trap.
TEGULA_INLINE float choose_bits(bool condition, float a, float b)
{
    const std::uint32_t mask = 0u - static_cast<std::uint32_t>(condition);
    return __builtin_bit_cast(float, (__builtin_bit_cast(std::uint32_t, a) & mask) |
                                         (__builtin_bit_cast(std::uint32_t, b) & ~mask));
}

/// 2 to the power x in arithmetic that compilers vectorise: relative error below 2e-7, from 127.5 on 8e-7; subnormal
/// from -126.5 to -126, 0 below -126.5, infinity from 128.
///
/// x = n + f with f in [-1/2, 1/2]; 2^f by the Taylor polynomial of degree 7, whose remainder is below 1e-9. No float
/// is 2^128: n is at most 127, with f up to 1 and a remainder below 2e-6.
TEGULA_INLINE float exp2_by_polynomial(float x)
{
    const float t = choose_bits(x < -126.5f, -127.0f, choose_bits(x >= 128.0f, 129.0f, x));
    constexpr float to_integer = 12582912.0f; // 1.5 * 2^23: rounds, and the integer is in the low bits
    const float rounded = t + to_integer;
    const float shifted = choose_bits(rounded < to_integer + 127.0f, rounded, to_integer + 127.0f);
    const float f = t - (shifted - to_integer);
    // Written out: compilers vectorise loops without inner loops.
    constexpr const float(&c)[8] = exp2_polynomial;
    const float p = ((((((c[0] * f + c[1]) * f + c[2]) * f + c[3]) * f + c[4]) * f + c[5]) * f + c[6]) * f + c[7];
    const std::uint32_t exponent = (__builtin_bit_cast(std::uint32_t, shifted) + 127u) << 23;
    return p * __builtin_bit_cast(float, exponent); // a NaN stays one, whatever its factor
}

/// *at = change(*at) as one operation; returns the value before.
template <class T, class F>
inline T change_atomically(T* at, const F& change)
{
    T old;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    for (T changed = change(old);
         !__atomic_compare_exchange(at, &old, &changed, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED);)
        changed = change(old);
    return old;
}

/// Atomic operations of a thread of the CPU: shared memory is its own, global memory other threads change too. Blocks
/// add in the order in which they happen to run.
struct own_atomics
{
    template <class T>
    static TEGULA_INLINE void add(T* to, T value, call_site)
    {
        change_atomically(to, [value](T old) { return old + value; });
    }
    template <atomic_op Op, class T>
    static TEGULA_INLINE T shared(T* at, T value, call_site)
    {
        return std::exchange(*at, internal::apply_atomic<Op>(*at, value));
    }
    template <class T>
    static TEGULA_INLINE T shared_compare_exchange(T* at, T expected, T value, call_site)
    {
        return std::exchange(*at, *at == expected ? value : *at);
    }
    template <atomic_op Op, class T>
    static TEGULA_INLINE T global(T* at, T value, call_site)
    {
        return change_atomically(at, [value](T old) { return internal::apply_atomic<Op>(old, value); });
    }
    template <class T>
    static TEGULA_INLINE T global_compare_exchange(T* at, T expected, T value, call_site)
    {
        return change_atomically(at, [expected, value](T old) { return old == expected ? value : old; });
    }
};

/// The primitives of a CPU: a wave has one lane, and a block one wave, which one thread runs. Operations of several
/// lanes cost nothing then. Shared memory is a buffer of the thread.
///
/// Strict: every primitive is the emulator's, with its checks; otherwise it is the machine's own.
template <bool Strict>
struct primitives : atomics<std::conditional_t<Strict, emulated_atomics, own_atomics>>
{
    static constexpr tegula::vendor vendor = tegula::vendor::x86;
    static constexpr bool is_strict = Strict;
    static constexpr int wave_size = 1;
    static constexpr bool has_async_copy = false;
    static constexpr bool has_buffer_load = false;

    /// Code for the CPU is made in host passes; what the machine lacks, a launch refuses.
    static consteval bool in_this_pass() { return TEGULA_DEVICE_PASS == 0; }

    // Identity of the thread

    static TEGULA_INLINE int thread_id() { return 0; }
    static TEGULA_INLINE int lane_id() { return 0; }
    static TEGULA_INLINE int wave_id() { return 0; }
    /// The block's place in the grid: x, y, z.
    static TEGULA_INLINE array<int, 3> block_id()
    {
        if constexpr (Strict) {
            const emulation::extent3 id = emulation::block_id();
            return {id.x, id.y, id.z};
        } else {
            return this_block.id;
        }
    }
    static TEGULA_INLINE int uniform(int value, call_site = call_site::here()) { return value; }

    // Barriers: a single lane never waits.

    static TEGULA_INLINE void block_barrier([[maybe_unused]] call_site where = call_site::here())
    {
        if constexpr (Strict)
            emulation::block_barrier(where);
    }
    static TEGULA_INLINE void shared_barrier([[maybe_unused]] call_site where = call_site::here())
    {
        block_barrier(where);
    }
    static TEGULA_INLINE void wave_barrier([[maybe_unused]] call_site where = call_site::here())
    {
        if constexpr (Strict)
            emulation::wave_barrier(where);
    }

    /// As on GPUs; the block has one lane.
    template <thread_scope Scope>
    static TEGULA_INLINE void thread_fence([[maybe_unused]] call_site where = call_site::here())
    {
        if constexpr (Strict)
            emulation::thread_fence(Scope, where);
        else if constexpr (Scope == thread_scope::block || Scope == thread_scope::cluster)
            __atomic_signal_fence(__ATOMIC_ACQ_REL);
        else
            __atomic_thread_fence(__ATOMIC_ACQ_REL);
    }

    // Memory. `active` false: nothing is touched, a load gives zeros.

    /// First byte of the block's buffer; aligned to 64 bytes.
    static TEGULA_INLINE std::byte* shared_memory()
    {
        if constexpr (Strict)
            return emulation::shared_memory();
        else
            return this_block.shared;
    }

    template <one_access V>
    static TEGULA_INLINE V load_global(const V* from, bool active = true,
                                       [[maybe_unused]] call_site where = call_site::here())
    {
        V value{};
        if constexpr (Strict)
            emulation::load_global<sizeof(V)>(&value, from, active, where);
        else if (active)
            __builtin_memcpy(&value, from, sizeof(V));
        return value;
    }
    template <one_access V>
    static TEGULA_INLINE void store_global(V* to, V value, bool active = true,
                                           [[maybe_unused]] call_site where = call_site::here())
    {
        if constexpr (Strict)
            emulation::store_global<sizeof(V)>(to, &value, active, where);
        else if (active)
            __builtin_memcpy(to, &value, sizeof(V));
    }
    template <one_access V>
    static TEGULA_INLINE V load_shared(const V* from, bool active = true,
                                       [[maybe_unused]] call_site where = call_site::here())
    {
        V value{};
        if constexpr (Strict)
            emulation::load_shared<sizeof(V)>(&value, from, active, where);
        else if (active)
            __builtin_memcpy(&value, from, sizeof(V));
        return value;
    }
    template <one_access V>
    static TEGULA_INLINE void store_shared(V* to, V value, bool active = true,
                                           [[maybe_unused]] call_site where = call_site::here())
    {
        if constexpr (Strict)
            emulation::store_shared<sizeof(V)>(to, &value, active, where);
        else if (active)
            __builtin_memcpy(to, &value, sizeof(V));
    }

    // Exchange between the lanes of a wave: it has one

    template <class T>
    static TEGULA_INLINE T shuffle(T value, int, call_site = call_site::here())
    {
        return value;
    }
    template <class T>
    static TEGULA_INLINE T shuffle_xor(T value, int, call_site = call_site::here())
    {
        return value;
    }
    static TEGULA_INLINE std::uint64_t ballot(bool vote, call_site = call_site::here()) { return vote ? 1 : 0; }
    static TEGULA_INLINE bool any_lane(bool value, call_site = call_site::here()) { return value; }
    template <class Op, class T>
    static constexpr bool has_wave_reduction = false;

    // Mathematics

    static TEGULA_INLINE float exp2(float x) { return exp2_by_polynomial(x); }
    static TEGULA_INLINE float choose(bool condition, float a, float b) { return choose_bits(condition, a, b); }
    static TEGULA_INLINE float log2(float x) { return __builtin_log2f(x); }
    static TEGULA_INLINE float rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
    static TEGULA_INLINE float reciprocal(float x) { return 1.0f / x; }
    /// The greater of two numbers; if one is a NaN, the other.
    static TEGULA_INLINE float max_number(float x, float y) { return choose_bits((x < y) | (x != x), y, x); }

    // Hints to the scheduler: there are none

    template <int Priority>
    static TEGULA_INLINE void set_priority()
    {}
    static TEGULA_INLINE void scheduling_barrier() {}
    template <class T>
    static TEGULA_INLINE void make_opaque(T&)
    {}

    // Names for reports

    static TEGULA_INLINE void require_block_threads([[maybe_unused]] int threads,
                                                    [[maybe_unused]] call_site where = call_site::here())
    {
        if constexpr (Strict)
            emulation::require_block_threads(threads, where);
    }
    static TEGULA_INLINE bool labels_enabled()
    {
        if constexpr (Strict)
            return emulation::checks_enabled();
        else
            return false;
    }
    /// The next access touches element x[0..dims) of `tensor`.
    static TEGULA_INLINE void set_element([[maybe_unused]] const char* tensor, [[maybe_unused]] const index_t* x,
                                          [[maybe_unused]] int dims, [[maybe_unused]] const void* data = nullptr,
                                          [[maybe_unused]] int element_bytes = 0)
    {
        if constexpr (Strict)
            emulation::set_element(tensor, x, dims, data, element_bytes);
    }
};

} // namespace tegula::arch::x86
