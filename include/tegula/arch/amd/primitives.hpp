#pragma once

#include <tegula/arch/amd/atomics.hpp>
#include <tegula/arch/amd/compiler_hints.hpp>
#include <tegula/arch/amd/lane_moves.hpp>
#include <tegula/arch/gpu_primitives.hpp>
#include <tegula/arch/raw_vector.hpp>
#include <tegula/chip/chip_info.hpp>
#include <tegula/core/array.hpp>
#include <tegula/core/bfloat16.hpp>
#include <tegula/core/half.hpp>
#include <tegula/core/rounding.hpp>
#include <tegula/core/thread_scope.hpp>

namespace tegula::arch::amd {

#if TEGULA_AMD_PASS
template <class V, class Pointer>
__attribute__((device)) inline __attribute__((always_inline)) V load(Pointer from, bool active)
{
    typename native<sizeof(V)>::type bits = 0;
    if (active)
        bits = *from;
    return __builtin_bit_cast(V, bits);
}

#if defined(__gfx950__)
/// `restrict` tells LLVM 22 enough about what is read. Without it the read waits for all direct loads in flight;
/// direct_barrier() has waited for those that are read.
template <class V, class Pointer>
__attribute__((device)) inline __attribute__((always_inline)) V load_arrived(Pointer __restrict__ from, bool active)
{
    return load<V>(from, active);
}
#endif

template <class V, class Pointer>
__attribute__((device)) inline __attribute__((always_inline)) void store(Pointer to, V value, bool active)
{
    if (active)
        *to = __builtin_bit_cast(typename native<sizeof(V)>::type, value);
}

// Waits in front of a barrier, which itself waits for no memory. A release fence asks for the same waits, but LLVM up
// to 23 may drop them if the barrier begins a loop whose end left the accesses outstanding; these stay. The clobbers
// keep every access on its side.

/// Waits until the wave's accesses to shared memory are done: stores are visible, and what was read is in registers, so
/// that another wave may refill the place.
__attribute__((device)) inline __attribute__((always_inline)) void drain_shared()
{
#if defined(__GFX12__)
    asm volatile("s_wait_dscnt 0x0" ::: "memory");
#else
    // lgkmcnt(0), by the compiler's own instruction, so that its own waits merge with this one.
#if defined(__GFX11__)
    constexpr int no_shared = 0xfc07;
#else
    constexpr int no_shared = 0xc07f;
#endif
    asm volatile("" ::: "memory");
    __builtin_amdgcn_s_waitcnt(no_shared);
    asm volatile("" ::: "memory");
#endif
}

/// Waits until the wave's accesses to global memory are done as well, if the waves of a block need not share a cache.
__attribute__((device)) inline __attribute__((always_inline)) void drain_global()
{
#if defined(__GFX12__)
    asm volatile("s_wait_loadcnt 0x0\n\ts_wait_storecnt 0x0" ::: "memory");
#elif defined(__GFX10__) || defined(__GFX11__)
    asm volatile("s_waitcnt vmcnt(0)\n\ts_waitcnt_vscnt null, 0x0" ::: "memory");
#endif
}
#endif

#if TEGULA_AMD_PASS
typedef float float_pair __attribute__((ext_vector_type(2)));

struct issued_functions
{
    static TEGULA_INLINE float exp2(float x) { return __builtin_amdgcn_exp2f(x); }
    static TEGULA_INLINE float log2(float x) { return __builtin_amdgcn_logf(x); }
    static TEGULA_INLINE float rsqrt(float x) { return __builtin_amdgcn_rsqf(x); }
    static TEGULA_INLINE float reciprocal(float x) { return __builtin_amdgcn_rcpf(x); }
};
#else
using issued_functions = host_functions;
#endif

/// `bytes` bytes of global memory from `base` on. Kept in scalar registers: the same in every lane.
struct global_buffer
{
    const void* base;
    std::uint32_t bytes;
};

#if TEGULA_AMD_PASS
/// The buffer's descriptor, from the first lane's numbers: if LLVM takes it to differ between lanes, it repeats the
/// load for each. A plain buffer keeps its pointer, except with clang before 20, which loses track of it.
template <bool Plain>
TEGULA_INLINE __amdgpu_buffer_rsrc_t make_resource(const global_buffer& buffer)
{
    // Word 3 of the descriptor: raw 32-bit elements, no swizzle; from gfx10 on also the out-of-bounds rule "raw".
#if defined(__GFX9__)
    constexpr int format = 0x00020000;
#else
    constexpr int format = 0x31004000;
#endif
    if constexpr (Plain && __clang_major__ >= 20)
        return __builtin_amdgcn_make_buffer_rsrc(const_cast<void*>(buffer.base), 0, static_cast<int>(buffer.bytes),
                                                 format);
    const auto address = reinterpret_cast<std::uint64_t>(buffer.base);
    const auto low = static_cast<std::uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<int>(address)));
    const auto high = static_cast<std::uint32_t>(__builtin_amdgcn_readfirstlane(static_cast<int>(address >> 32)));
    return __builtin_amdgcn_make_buffer_rsrc(reinterpret_cast<void*>(static_cast<std::uint64_t>(high) << 32 | low), 0,
                                             __builtin_amdgcn_readfirstlane(static_cast<int>(buffer.bytes)), format);
}
#endif

/// The primitives of an AMD GPU with waves of `WaveSize` lanes. Each has two bodies: the instruction, and its emulation
/// in a host pass. Blocks are one-dimensional.
template <int WaveSize>
struct primitives : atomics<issued_atomics>, scalar_functions<issued_functions>, compiler_hints, report_labels
{
    static constexpr tegula::vendor vendor = tegula::vendor::amd;
    static constexpr int wave_size = WaveSize;
    static constexpr bool has_async_copy = false;
    static constexpr bool has_buffer_load = true;
    /// Whether round_pair() is an instruction.
    static constexpr bool rounds_to_bfloat16 = false;
    /// Whether round_pair_to_halves() is an instruction.
    static constexpr bool rounds_to_half = false;

    // Identity of the thread

    /// The thread's number in the block.
    static TEGULA_INLINE int thread_id()
    {
#if TEGULA_AMD_PASS
        return static_cast<int>(__builtin_amdgcn_workitem_id_x());
#else
        return emulation::thread_id();
#endif
    }
    /// The lane's number in the wave.
    static TEGULA_INLINE int lane_id()
    {
#if TEGULA_AMD_PASS
        const int low = static_cast<int>(__builtin_amdgcn_mbcnt_lo(~0U, 0U));
        if constexpr (WaveSize == 64)
            return static_cast<int>(__builtin_amdgcn_mbcnt_hi(~0U, static_cast<unsigned>(low)));
        return low;
#else
        return emulation::lane_id();
#endif
    }
    /// The wave's number in the block. It is the same in all lanes of a wave, and the compiler knows that.
    static TEGULA_INLINE int wave_id() { return uniform(thread_id() / WaveSize); }
    /// The block's place in the grid: x, y, z.
    static TEGULA_INLINE array<int, 3> block_id()
    {
#if TEGULA_AMD_PASS
        return {static_cast<int>(__builtin_amdgcn_workgroup_id_x()),
                static_cast<int>(__builtin_amdgcn_workgroup_id_y()),
                static_cast<int>(__builtin_amdgcn_workgroup_id_z())};
#else
        const emulation::extent3 id = emulation::block_id();
        return {id.x, id.y, id.z};
#endif
    }

    /// `value` of the first lane, kept in a scalar register: for values that are the same in every lane.
    static TEGULA_INLINE int uniform(int value, [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_AMD_PASS
        return __builtin_amdgcn_readfirstlane(value);
#else
        return emulation::uniform(value, where);
#endif
    }

    // Barriers

    /// All threads of the block meet; shared and global memory accesses before it are seen by all after it.
    static TEGULA_INLINE void block_barrier([[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_AMD_PASS
        drain_global();
        drain_shared();
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
#else
        emulation::block_barrier(where);
#endif
    }
    /// All threads of the block meet; shared memory accesses before it are seen by all after it. Global ones may still
    /// be in flight; a block_barrier of gfx11 and gfx12 would wait for them.
    static TEGULA_INLINE void shared_barrier([[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_AMD_PASS && defined(__GFX12__)
        // Before a barrier of its own LLVM 19 waits for global loads too.
        drain_shared();
        asm volatile("s_barrier_signal -1\n\ts_barrier_wait -1" ::: "memory");
#elif TEGULA_AMD_PASS && __clang_major__ >= 19
        drain_shared();
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup", "local");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup", "local");
#elif TEGULA_AMD_PASS
        block_barrier(where);
#else
        emulation::shared_barrier(where);
#endif
    }
    /// As block_barrier for the lanes of a wave.
    static TEGULA_INLINE void wave_barrier([[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_AMD_PASS
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
        __builtin_amdgcn_wave_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
#else
        emulation::wave_barrier(where);
#endif
    }

    /// Orders the lane's earlier accesses before its later ones, for lanes of the scope that synchronise by atomic
    /// operations at one place. The releasing lane puts its fence before its operation, the acquiring lane after its
    /// own. Accesses of other lanes of the block before a barrier count as the lane's.
    template <thread_scope Scope>
    static TEGULA_INLINE void thread_fence([[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_AMD_PASS
        if constexpr (Scope == thread_scope::block)
            __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
        else if constexpr (Scope == thread_scope::system)
            __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "");
#if defined(__gfx1250__) && __clang_major__ >= 23
        else if constexpr (Scope == thread_scope::cluster)
            __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "cluster");
#endif
        else
            __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "agent");
#else
        emulation::thread_fence(Scope, where);
#endif
    }

    // Memory. `active` false: nothing is touched, a load gives zeros. All lanes of a wave call with the same width.

    /// First byte of the shared memory the kernel was launched with; aligned to 128 bytes.
    static TEGULA_INLINE std::byte* shared_memory()
    {
#if TEGULA_AMD_PASS
        extern __attribute__((shared)) __attribute__((aligned(128))) unsigned char tegula_shared_memory[];
        return reinterpret_cast<std::byte*>(tegula_shared_memory);
#else
        return emulation::shared_memory();
#endif
    }

    template <one_access V>
    static TEGULA_INLINE V load_global(const V* from, bool active = true,
                                       [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_AMD_PASS
        return load<V>((global_pointer<sizeof(V)>)from, active);
#else
        V value;
        emulation::load_global<sizeof(V)>(&value, from, active, where);
        return value;
#endif
    }
    template <one_access V>
    static TEGULA_INLINE void store_global(V* to, V value, bool active = true,
                                           [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_AMD_PASS
        store((global_pointer<sizeof(V)>)to, value, active);
#else
        emulation::store_global<sizeof(V)>(to, &value, active, where);
#endif
    }
    /// The bytes `offset` bytes into the buffer; zeros past its end, by the hardware's own comparison (per 4 bytes).
    ///
    ///   Plain  LLVM knows that all lanes have the same buffer, as with a kernel's argument: nothing makes it uniform
    template <one_access V, bool Plain = false>
    static TEGULA_INLINE V load_buffer(const global_buffer& buffer, std::uint32_t offset,
                                       [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_AMD_PASS
        const __amdgpu_buffer_rsrc_t resource = make_resource<Plain>(buffer);
        if constexpr (sizeof(V) == 16)
            return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b128(resource, offset, 0, 0));
        else if constexpr (sizeof(V) == 8)
            return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b64(resource, offset, 0, 0));
        else if constexpr (sizeof(V) == 4)
            return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b32(resource, offset, 0, 0));
        else if constexpr (sizeof(V) == 2)
            return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b16(resource, offset, 0, 0));
        else
            return __builtin_bit_cast(V, __builtin_amdgcn_raw_buffer_load_b8(resource, offset, 0, 0));
#else
        V value{};
        emulation::load_buffer<sizeof(V)>(&value, buffer.base, buffer.bytes, offset, where);
        return value;
#endif
    }

    template <one_access V>
    static TEGULA_INLINE V load_shared(const V* from, bool active = true,
                                       [[maybe_unused]] call_site where = call_site::here())
    {
#if defined(__gfx950__)
        return load_arrived<V>((shared_pointer<sizeof(V)>)from, active);
#elif TEGULA_AMD_PASS
        return load<V>((shared_pointer<sizeof(V)>)from, active);
#else
        V value;
        emulation::load_shared<sizeof(V)>(&value, from, active, where);
        return value;
#endif
    }
    template <one_access V>
    static TEGULA_INLINE void store_shared(V* to, V value, bool active = true,
                                           [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_AMD_PASS
        store((shared_pointer<sizeof(V)>)to, value, active);
#else
        emulation::store_shared<sizeof(V)>(to, &value, active, where);
#endif
    }

    // Exchange between the lanes of a wave

    /// `value` of lane `source`, which must be below wave_size; every lane takes part.
    template <class T>
    static TEGULA_INLINE T shuffle(T value, int source, [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_AMD_PASS
        return move_words(value, [source](int word) { return __builtin_amdgcn_ds_bpermute(source * 4, word); });
#else
        T result;
        emulation::shuffle(&result, &value, sizeof(T), source, where);
        return result;
#endif
    }
    /// `value` of the lane whose number differs in the bits of `mask`.
    template <class T>
    static TEGULA_INLINE T shuffle_xor(T value, int mask, [[maybe_unused]] call_site where = call_site::here())
    {
        return shuffle(value, lane_id() ^ mask, where);
    }

    /// shuffle_xor for a mask known at compile time, below wave_size. If the chip has a move between the lanes of a row
    /// of 16 for the mask, it passes through no memory.
    template <int Mask, class T>
    static TEGULA_INLINE T shuffle_xor(T value, [[maybe_unused]] call_site where = call_site::here())
    {
        static_assert(Mask > 0 && Mask < WaveSize, "tegula: the mask names another lane of the wave");
#if TEGULA_AMD_PASS
        return move_words(value, [](int word) { return move_xor<Mask>(word); });
#else
        return shuffle(value, lane_id() ^ Mask, where);
#endif
    }
    /// Bit i is `vote` of lane i; every lane takes part.
    static TEGULA_INLINE std::uint64_t ballot(bool vote, [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_AMD_PASS
        if constexpr (WaveSize == 64)
            return __builtin_amdgcn_ballot_w64(vote);
        else
            return __builtin_amdgcn_ballot_w32(vote);
#else
        return emulation::ballot(vote, where);
#endif
    }
    /// No instruction reduces a whole wave.
    template <class Op, class T>
    static constexpr bool has_wave_reduction = false;

    /// Whether `value` is true in any lane of the wave, known to be the same in all; every lane takes part.
    static TEGULA_INLINE bool any_lane(bool value, [[maybe_unused]] call_site where = call_site::here())
    {
        return ballot(value, where) != 0;
    }

    /// Four bytes of two words: byte i of the result is byte (Bytes >> 4 * i & 7) of the eight bytes of `low` and then
    /// `high`.
    template <std::uint32_t Bytes>
    static TEGULA_INLINE std::uint32_t pick_bytes(std::uint32_t low, std::uint32_t high)
    {
#if TEGULA_AMD_PASS
        constexpr std::uint32_t selector =
            (Bytes & 7) | (Bytes & 0x70) << 4 | (Bytes & 0x700) << 8 | (Bytes & 0x7000) << 12;
        return __builtin_amdgcn_perm(high, low, selector);
#else
        return host_pick_bytes(Bytes, low, high);
#endif
    }

    /// The bits of two numbers in f16, the first in the low half, rounded toward zero. Both are below 2^16 in
    /// magnitude, or NaN.
    static TEGULA_INLINE std::uint32_t pack_halves_toward_zero(float low, float high)
    {
#if TEGULA_AMD_PASS
        return __builtin_bit_cast(std::uint32_t, __builtin_amdgcn_cvt_pkrtz(low, high));
#else
        const auto truncated = [](float x) {
            const auto bits = __builtin_bit_cast(std::uint32_t, x);
            const std::uint32_t sign = bits >> 16 & 0x8000, exponent = bits >> 23 & 0xff;
            if (exponent == 0xff)
                return sign | 0x7e00;
            if (exponent >= 113) // normal in f16
                return sign | ((bits & 0x7fffffff) - (112u << 23)) >> 13;
            const std::uint32_t mantissa = (bits & 0x7fffff) | 0x800000;
            return sign | (exponent >= 102 ? mantissa >> (126 - exponent) : 0);
        };
        return truncated(low) | truncated(high) << 16;
#endif
    }

    /// Two floats as bfloat16, `low` in the low half. Compilers that convert them one by one do not find the pair.
    static TEGULA_INLINE std::uint32_t round_pair(float low, float high)
    {
#if TEGULA_AMD_PASS
        typedef float floats __attribute__((ext_vector_type(2)));
        typedef __bf16 halves __attribute__((ext_vector_type(2)));
        return __builtin_bit_cast(std::uint32_t, __builtin_convertvector((floats{low, high}), halves));
#else
        return bfloat16(low).bits | static_cast<std::uint32_t>(bfloat16(high).bits) << 16;
#endif
    }

    /// Two floats as f16, `low` in the low half. Compilers that convert them one by one do not always find the pair.
    static TEGULA_INLINE std::uint32_t round_pair_to_halves(float low, float high)
    {
#if TEGULA_AMD_PASS
        typedef float floats __attribute__((ext_vector_type(2)));
        typedef _Float16 halves __attribute__((ext_vector_type(2)));
        return __builtin_bit_cast(std::uint32_t, __builtin_convertvector((floats{low, high}), halves));
#else
        return half(low).bits | static_cast<std::uint32_t>(half(high).bits) << 16;
#endif
    }

    /// Two products and sums with one rounding each, by one instruction on CDNA.
    static TEGULA_INLINE array<float, 2> packed_multiply_add(const array<float, 2>& x, const array<float, 2>& y,
                                                             const array<float, 2>& z)
    {
#if TEGULA_AMD_PASS
        return __builtin_bit_cast(array<float, 2>, __builtin_elementwise_fma(__builtin_bit_cast(float_pair, x),
                                                                             __builtin_bit_cast(float_pair, y),
                                                                             __builtin_bit_cast(float_pair, z)));
#else
        return {multiply_add(x[0], y[0], z[0]), multiply_add(x[1], y[1], z[1])};
#endif
    }
    /// Two sums, by one instruction on CDNA.
    static TEGULA_INLINE array<float, 2> packed_add(const array<float, 2>& x, const array<float, 2>& y)
    {
#if TEGULA_AMD_PASS
        return __builtin_bit_cast(array<float, 2>,
                                  __builtin_bit_cast(float_pair, x) + __builtin_bit_cast(float_pair, y));
#else
        return {x[0] + y[0], x[1] + y[1]};
#endif
    }
    /// Two products, by one instruction on CDNA.
    static TEGULA_INLINE array<float, 2> packed_multiply(const array<float, 2>& x, const array<float, 2>& y)
    {
#if TEGULA_AMD_PASS
        return __builtin_bit_cast(array<float, 2>,
                                  __builtin_bit_cast(float_pair, x) * __builtin_bit_cast(float_pair, y));
#else
        return {x[0] * y[0], x[1] * y[1]};
#endif
    }

    /// The greater of two numbers; if one is a NaN, the other.
    static TEGULA_INLINE float max_number(float x, float y)
    {
#if TEGULA_DEVICE_PASS
        return __builtin_fmaxf(x, y);
#else
        return emulation::note_dropped_nan(x, y, __builtin_fmaxf(x, y));
#endif
    }
};

} // namespace tegula::arch::amd
