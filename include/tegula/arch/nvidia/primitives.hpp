#pragma once

#include <tegula/arch/gpu_primitives.hpp>
#include <tegula/arch/nvidia/atomics.hpp>
#include <tegula/arch/raw_vector.hpp>
#include <tegula/chip/chip_info.hpp>
#include <tegula/core/array.hpp>
#include <tegula/core/monoid.hpp>
#include <tegula/core/thread_scope.hpp>

namespace tegula::arch::nvidia {

#if TEGULA_NVIDIA_PASS
/// The compiler's own type for an access of `Bytes` bytes, which it moves by one instruction.
template <int Bytes>
struct native;
template <>
struct native<1>
{
    using type = unsigned char;
};
template <>
struct native<2>
{
    using type = unsigned short;
};
template <>
struct native<4>
{
    using type = unsigned int;
};
template <>
struct native<8>
{
    using type = uint2;
};
template <>
struct native<16>
{
    using type = uint4;
};

template <class V>
__device__ __forceinline__ V load(const V* from, bool active)
{
    typename native<sizeof(V)>::type bits{};
    if (active)
        bits = *reinterpret_cast<const typename native<sizeof(V)>::type*>(from);
    return __builtin_bit_cast(V, bits);
}

template <class V>
__device__ __forceinline__ void store(V* to, V value, bool active)
{
    if (active)
        *reinterpret_cast<typename native<sizeof(V)>::type*>(to) =
            __builtin_bit_cast(typename native<sizeof(V)>::type, value);
}

struct issued_functions
{
    static TEGULA_INLINE float exp2(float x)
    {
        float result;
        asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
        return result;
    }
    static TEGULA_INLINE float log2(float x)
    {
        float result;
        asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
        return result;
    }
    static TEGULA_INLINE float rsqrt(float x)
    {
        float result;
        asm("rsqrt.approx.f32 %0, %1;" : "=f"(result) : "f"(x));
        return result;
    }
    static TEGULA_INLINE float reciprocal(float x)
    {
        float result;
        asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
        return result;
    }
};
#else
using issued_functions = host_functions;
#endif

/// The primitives of an NVIDIA GPU from sm_80 on; a wave is a warp. Each has two bodies: the instruction, and its
/// emulation in a host pass. Blocks are one-dimensional.
struct primitives : atomics<issued_atomics>, scalar_functions<issued_functions>, report_labels
{
    static constexpr tegula::vendor vendor = tegula::vendor::nvidia;
    static constexpr int wave_size = 32;
    static constexpr bool has_async_copy = true;
    static constexpr bool has_buffer_load = false;

    // Identity of the thread

    /// The thread's number in the block.
    static TEGULA_INLINE int thread_id()
    {
#if TEGULA_NVIDIA_PASS
        return static_cast<int>(threadIdx.x);
#else
        return emulation::thread_id();
#endif
    }
    /// The lane's number in the wave.
    static TEGULA_INLINE int lane_id()
    {
#if TEGULA_NVIDIA_PASS
        return static_cast<int>(threadIdx.x % 32);
#else
        return emulation::lane_id();
#endif
    }
    /// The wave's number in the block.
    static TEGULA_INLINE int wave_id() { return thread_id() / wave_size; }
    /// The block's place in the grid: x, y, z.
    static TEGULA_INLINE array<int, 3> block_id()
    {
#if TEGULA_NVIDIA_PASS
        return {static_cast<int>(blockIdx.x), static_cast<int>(blockIdx.y), static_cast<int>(blockIdx.z)};
#else
        const emulation::extent3 id = emulation::block_id();
        return {id.x, id.y, id.z};
#endif
    }

    /// Marks a value that is the same in every lane; every lane of the wave calls it. The compiler keeps what depends
    /// on it alone in uniform registers, where descriptors of matrices must be.
    static TEGULA_INLINE int uniform(int value, [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_NVIDIA_PASS
        return __shfl_sync(~0U, value, 0);
#else
        return emulation::uniform(value, where);
#endif
    }

    // Barriers

    /// All threads of the block meet; shared and global memory accesses before it are seen by all after it.
    static TEGULA_INLINE void block_barrier([[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_NVIDIA_PASS
        __syncthreads();
#else
        emulation::block_barrier(where);
#endif
    }
    /// A block_barrier here; on other targets it orders only shared memory.
    static TEGULA_INLINE void shared_barrier([[maybe_unused]] call_site where = call_site::here())
    {
        block_barrier(where);
    }
    /// As block_barrier for the lanes of a wave.
    static TEGULA_INLINE void wave_barrier([[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_NVIDIA_PASS
        __syncwarp();
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
#if TEGULA_NVIDIA_PASS
        if constexpr (Scope == thread_scope::block)
            asm volatile("fence.acq_rel.cta;" ::: "memory");
#if __CUDA_ARCH__ >= 900
        else if constexpr (Scope == thread_scope::cluster)
            asm volatile("fence.acq_rel.cluster;" ::: "memory");
#endif
        else if constexpr (Scope == thread_scope::system)
            asm volatile("fence.acq_rel.sys;" ::: "memory");
        else
            asm volatile("fence.acq_rel.gpu;" ::: "memory");
#else
        emulation::thread_fence(Scope, where);
#endif
    }

    // Memory. `active` false: nothing is touched, a load gives zeros. All lanes of a wave call with the same width.

    /// First byte of the shared memory the kernel was launched with; aligned to 1024 bytes, as swizzled tiles need.
    static TEGULA_INLINE std::byte* shared_memory()
    {
#if TEGULA_NVIDIA_PASS
        extern __shared__ __align__(1024) unsigned char tegula_shared_memory[];
        return reinterpret_cast<std::byte*>(tegula_shared_memory);
#else
        return emulation::shared_memory();
#endif
    }

    template <one_access V>
    static TEGULA_INLINE V load_global(const V* from, bool active = true,
                                       [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_NVIDIA_PASS
        return load(from, active);
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
#if TEGULA_NVIDIA_PASS
        store(to, value, active);
#else
        emulation::store_global<sizeof(V)>(to, &value, active, where);
#endif
    }
    /// store_global, and for 16 bytes always one instruction: for elements of 8 and 16 bits the compiler may split it.
    template <one_access V>
    static TEGULA_INLINE void store_global_whole(V* to, V value, bool active = true,
                                                 [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_NVIDIA_PASS
        if constexpr (sizeof(V) == 16) {
            const auto bits = __builtin_bit_cast(native<16>::type, value);
            if (active)
                asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
                             "r"(bits.x), "r"(bits.y), "r"(bits.z), "r"(bits.w)
                             : "memory");
        } else {
            store(to, value, active);
        }
#else
        emulation::store_global<sizeof(V)>(to, &value, active, where);
#endif
    }
    template <one_access V>
    static TEGULA_INLINE V load_shared(const V* from, bool active = true,
                                       [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_NVIDIA_PASS
        return load(from, active);
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
#if TEGULA_NVIDIA_PASS
        store(to, value, active);
#else
        emulation::store_shared<sizeof(V)>(to, &value, active, where);
#endif
    }

    // Asynchronous copies from global to shared memory. The bytes are there after the wait; for other threads, after a
    // barrier that follows it.

    /// Starts a copy of Bytes (4, 8 or 16) bytes, both places aligned to them; `valid` false writes zeros.
    template <int Bytes>
    static TEGULA_INLINE void async_copy(void* shared, const void* global, bool valid = true,
                                         [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_NVIDIA_PASS
        const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
        const int bytes = valid ? Bytes : 0;
        if constexpr (Bytes == 16)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(bytes) : "memory");
        else
            asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(global), "n"(Bytes), "r"(bytes)
                         : "memory");
#else
        emulation::async_copy<Bytes>(shared, global, valid, where);
#endif
    }
    /// Closes the group of copies this thread started since the last commit.
    static TEGULA_INLINE void async_commit()
    {
#if TEGULA_NVIDIA_PASS
        asm volatile("cp.async.commit_group;" ::: "memory");
#else
        emulation::async_commit();
#endif
    }
    /// Waits until at most `Groups` of this thread's newest groups are in flight.
    template <int Groups>
    static TEGULA_INLINE void async_wait([[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_NVIDIA_PASS
        asm volatile("cp.async.wait_group %0;" ::"n"(Groups) : "memory");
#else
        emulation::async_wait<Groups>(where);
#endif
    }

    // Exchange between the lanes of a wave

    /// `value` of lane `source`, which must be below wave_size; every lane takes part.
    template <class T>
    static TEGULA_INLINE T shuffle(T value, int source, [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_NVIDIA_PASS
        return move_words(value, [source](int word) { return __shfl_sync(~0U, word, source); });
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

    /// shuffle_xor for a mask known at compile time, below wave_size.
    template <int Mask, class T>
    static TEGULA_INLINE T shuffle_xor(T value, [[maybe_unused]] call_site where = call_site::here())
    {
        static_assert(Mask > 0 && Mask < wave_size, "tegula: the mask names another lane of the wave");
#if TEGULA_NVIDIA_PASS
        return move_words(value, [](int word) { return __shfl_xor_sync(~0U, word, Mask); });
#else
        return shuffle(value, lane_id() ^ Mask, where);
#endif
    }
    /// Bit i is `vote` of lane i; every lane takes part.
    static TEGULA_INLINE std::uint64_t ballot(bool vote, [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_NVIDIA_PASS
        return __ballot_sync(~0U, vote);
#else
        return emulation::ballot(vote, where);
#endif
    }

    /// Whether `value` is true in any lane of the wave; every lane takes part.
    static TEGULA_INLINE bool any_lane(bool value, [[maybe_unused]] call_site where = call_site::here())
    {
#if TEGULA_NVIDIA_PASS
        return __any_sync(~0U, value);
#else
        return emulation::ballot(value, where) != 0;
#endif
    }

    /// op over the whole wave by one instruction, for int and unsigned int.
    template <class Op, class T>
    static constexpr bool has_wave_reduction =
        (std::is_same_v<T, int> || std::is_same_v<T, unsigned>) &&
        (std::is_same_v<Op, plus> || std::is_same_v<Op, minimum> || std::is_same_v<Op, maximum> ||
         std::is_same_v<Op, bit_and> || std::is_same_v<Op, bit_or>);
    template <class Op, class T>
    static TEGULA_INLINE T reduce_wave(T value, const Op& op, [[maybe_unused]] call_site where = call_site::here())
    {
        static_assert(has_wave_reduction<Op, T>);
#if TEGULA_NVIDIA_PASS
        if constexpr (std::is_same_v<Op, plus>)
            return __reduce_add_sync(~0U, value);
        else if constexpr (std::is_same_v<Op, minimum>)
            return __reduce_min_sync(~0U, value);
        else if constexpr (std::is_same_v<Op, maximum>)
            return __reduce_max_sync(~0U, value);
        else if constexpr (std::is_same_v<Op, bit_and>)
            return static_cast<T>(__reduce_and_sync(~0U, static_cast<unsigned>(value)));
        else
            return static_cast<T>(__reduce_or_sync(~0U, static_cast<unsigned>(value)));
#else
        for (int mask = 1; mask < wave_size; mask *= 2)
            value = op(value, shuffle_xor(value, mask, where));
        return value;
#endif
    }

    /// The greater of two numbers; if one is a NaN, the other.
    static TEGULA_INLINE float max_number(float x, float y)
    {
#if TEGULA_NVIDIA_PASS
        return fmaxf(x, y);
#else
        return emulation::note_dropped_nan(x, y, x < y || x != x ? y : x);
#endif
    }

    // Arithmetic of two floats at once, each rounded once: one instruction each, on chips with packed floats alone (PTX
    // ISA, "fma", "add" and "mul" of .f32x2).

    /// x * y + z
    static TEGULA_INLINE array<float, 2> packed_multiply_add(const array<float, 2>& x, const array<float, 2>& y,
                                                             const array<float, 2>& z)
    {
#if TEGULA_NVIDIA_PASS
        std::uint64_t sum;
        asm("fma.rn.f32x2 %0, %1, %2, %3;"
            : "=l"(sum)
            : "l"(__builtin_bit_cast(std::uint64_t, x)), "l"(__builtin_bit_cast(std::uint64_t, y)),
              "l"(__builtin_bit_cast(std::uint64_t, z)));
        return __builtin_bit_cast(array<float, 2>, sum);
#else
        return {__builtin_fmaf(x[0], y[0], z[0]), __builtin_fmaf(x[1], y[1], z[1])};
#endif
    }
    /// x + y
    static TEGULA_INLINE array<float, 2> packed_add(const array<float, 2>& x, const array<float, 2>& y)
    {
#if TEGULA_NVIDIA_PASS
        std::uint64_t sum;
        asm("add.rn.f32x2 %0, %1, %2;"
            : "=l"(sum)
            : "l"(__builtin_bit_cast(std::uint64_t, x)), "l"(__builtin_bit_cast(std::uint64_t, y)));
        return __builtin_bit_cast(array<float, 2>, sum);
#else
        return {x[0] + y[0], x[1] + y[1]};
#endif
    }
    /// x * y
    static TEGULA_INLINE array<float, 2> packed_multiply(const array<float, 2>& x, const array<float, 2>& y)
    {
#if TEGULA_NVIDIA_PASS
        std::uint64_t product;
        asm("mul.rn.f32x2 %0, %1, %2;"
            : "=l"(product)
            : "l"(__builtin_bit_cast(std::uint64_t, x)), "l"(__builtin_bit_cast(std::uint64_t, y)));
        return __builtin_bit_cast(array<float, 2>, product);
#else
        return {x[0] * y[0], x[1] * y[1]};
#endif
    }

    /// Four bytes of two words: byte i of the result is byte (Bytes >> 4 * i & 7) of the eight bytes of `low` and then
    /// `high` (prmt, PTX ISA).
    template <std::uint32_t Bytes>
    static TEGULA_INLINE std::uint32_t pick_bytes(std::uint32_t low, std::uint32_t high)
    {
#if TEGULA_NVIDIA_PASS
        return __byte_perm(low, high, Bytes);
#else
        return host_pick_bytes(Bytes, low, high);
#endif
    }

    // Hints to the compiler and the scheduler. Those without a body have no effect on these GPUs.

    template <int Priority>
    static TEGULA_INLINE void set_priority()
    {}
    static TEGULA_INLINE void scheduling_barrier() {}
    static TEGULA_INLINE void make_opaque(long_index_t&) {}
    /// Hides the origin of x: what a loop computes from it is computed in the loop, not held in registers across it.
    static TEGULA_INLINE void make_opaque([[maybe_unused]] index_t& x)
    {
#if TEGULA_NVIDIA_PASS
        asm volatile("" : "+r"(x));
#endif
    }
    static TEGULA_INLINE void make_opaque(std::uint32_t&) {}
    /// Called inside a branch: keeps the compiler from computing its assignments by selections.
    static TEGULA_INLINE void keep_branch()
    {
#if TEGULA_NVIDIA_PASS
        asm volatile("");
#endif
    }
};

} // namespace tegula::arch::nvidia
