#pragma once

#include <tegula/arch/amd/lane_moves.hpp>
#include <tegula/core/array.hpp>

namespace tegula::arch::amd {

#if TEGULA_AMD_PASS
/// The compiler's own type for an access of `Bytes` bytes; it may alias anything.
template <int Bytes>
struct native
{
    typedef std::uint32_t type __attribute__((ext_vector_type(Bytes / 4), may_alias));
};
template <>
struct native<1>
{
    typedef std::uint8_t type __attribute__((may_alias));
};
template <>
struct native<2>
{
    typedef std::uint16_t type __attribute__((may_alias));
};
template <>
struct native<4>
{
    typedef std::uint32_t type __attribute__((may_alias));
};

// Address spaces are written out, so that the instructions are global_load and ds_read whatever the compiler can infer.
template <int Bytes>
using global_pointer = __attribute__((address_space(1))) typename native<Bytes>::type*;
template <int Bytes>
using shared_pointer = __attribute__((address_space(3))) typename native<Bytes>::type*;
#endif

/// Classes of instructions for schedule_group(), by the compiler's own masks.
enum class schedule_class { global_load = 0x020, shared_load = 0x100, shared_store = 0x200 };

/// Hints of an AMD GPU's kernels to the compiler and to the wave's scheduler. They do nothing in emulation.
struct compiler_hints
{
    /// Priority of this wave against others on its SIMD, 0 to 3.
    template <int Priority>
    static TEGULA_INLINE void set_priority()
    {
#if TEGULA_AMD_PASS
        __builtin_amdgcn_s_setprio(Priority);
#endif
    }
    /// The compiler moves no instruction across it.
    static TEGULA_INLINE void scheduling_barrier()
    {
#if TEGULA_AMD_PASS
        __builtin_amdgcn_sched_barrier(0);
#endif
    }
    /// Hides the origin of x, which is the same in all lanes: what a loop computes from it is computed in the loop, not
    /// held in registers across it.
    static TEGULA_INLINE void make_opaque([[maybe_unused]] long_index_t& x)
    {
#if TEGULA_AMD_PASS
        asm volatile("" : "+s"(x));
#endif
    }

    /// Hides the origin of a number that differs between lanes, such as their place in shared memory.
    static TEGULA_INLINE void make_opaque([[maybe_unused]] index_t& x)
    {
#if TEGULA_AMD_PASS
        asm volatile("" : "+v"(x));
#endif
    }
    /// Hides the origin of a value that differs between lanes.
    static TEGULA_INLINE void make_opaque([[maybe_unused]] std::uint32_t& x)
    {
#if TEGULA_AMD_PASS
        asm volatile("" : "+v"(x));
#endif
    }

    /// Hides the origin of a value like make_opaque(); the compiler may still move it past other instructions.
    static TEGULA_INLINE void hide([[maybe_unused]] std::uint32_t& x)
    {
#if TEGULA_AMD_PASS
        asm("" : "+v"(x));
#endif
    }
    /// Hides that x was loaded: otherwise the compiler loads a 64-bit operand made of two of its words once more.
    static TEGULA_INLINE void make_opaque([[maybe_unused]] std::uint32_t* x)
    {
#if TEGULA_AMD_PASS
        typename native<16>::type registers = {x[0], x[1], x[2], x[3]};
        asm("" : "+v"(registers));
        for (int i = 0; i < 4; ++i)
            x[i] = registers[i];
#endif
    }

    /// Whether the compiler must be told which registers it may not exchange: LLVM 22 gives results of matrix
    /// instructions other registers than their accumulators had, and loads start before the registers they could take
    /// are free. If accumulators take half of 256 registers, both spill.
#if TEGULA_AMD_PASS && __clang_major__ >= 20
    static constexpr bool pins_registers = true;
#else
    static constexpr bool pins_registers = false;
#endif
    /// Keeps the accumulators of a matrix instruction in the registers they have.
    template <class Accumulators>
    static TEGULA_INLINE void pin([[maybe_unused]] Accumulators& c)
    {
#if TEGULA_AMD_PASS
        auto registers = __builtin_bit_cast(typename native<sizeof(Accumulators)>::type, c);
        asm volatile("" : "+v"(registers));
        c = __builtin_bit_cast(Accumulators, registers);
#endif
    }

    /// Schedules the next Matrix matrix instructions, then one instruction of that class.
    template <int Matrix, schedule_class Class>
    static TEGULA_INLINE void schedule_group()
    {
#if TEGULA_AMD_PASS
        __builtin_amdgcn_sched_group_barrier(0x008, Matrix, 0);
        __builtin_amdgcn_sched_group_barrier(static_cast<int>(Class), 1, 0);
#endif
    }
};

} // namespace tegula::arch::amd
