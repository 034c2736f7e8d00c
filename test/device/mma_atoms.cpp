// Every atom compiled for its target: one instruction of the right shape and types, operands in registers.
//
// targets: gfx942 gfx1201 sm_80
// full targets: gfx90a gfx1100 sm_90a
// expect * [multiply_once]: matrix == 1
// expect * [bfloat16_format]: /bf16/
// expect * [iLi]: /_i32_|\.s32\./
// expect gfx90a gfx942 [half_formatEEES6_fLi32ELi32ELi8E]: /32x32x8_?f16/
// expect gfx90a gfx942 [bfloat16_formatEEES6_fLi32ELi32ELi8E]: /32x32x8_?bf16/
// expect gfx90a gfx942 [half_formatEEES6_fLi16ELi16ELi16E]: /16x16x16_?f16/
// expect gfx90a gfx942 [bfloat16_formatEEES6_fLi16ELi16ELi16E]: /16x16x16_?bf16/
// expect gfx90a gfx942 [ddLi16ELi16ELi4E]: /16x16x4_?f64/
// expect gfx90a gfx942 [ffLi32ELi32ELi2E]: /32x32x2_?f32/
// expect gfx942 [tfloat32]: /xf32/
// expect gfx942 [float8_e4m3_fnuz_format]: /_fp8/
// expect gfx942 [float8_e5m2_fnuz_format]: /_bf8/
// expect gfx1100 gfx1201 [half_formatEEES6_fLi16E]: /v_wmma_f32_16x16x16_f16/
// expect gfx1100 gfx1201 [iLi16ELi16ELi16E]: /v_wmma_i32_16x16x16_iu8/
// expect gfx1201 [float8_e4m3_format]: /_fp8/
// expect gfx1201 [float8_e5m2_format]: /_bf8/
// expect sm_80 sm_90a [tfloat32]: /\.tf32\.tf32/
// expect sm_80 sm_90a [Li16ELi8ELi8E]: /m16n8k8/
// expect sm_80 sm_90a [Li16ELi8ELi16E]: /m16n8k16/
// expect sm_80 sm_90a [Li16ELi8ELi32E]: /m16n8k32/
// expect sm_90a [float8_e4m3_format]: /e4m3/
// expect sm_90a [float8_e5m2_format]: /e5m2/
// expect * [multiply_packed]: matrix >= 1, wide_global_load >= 2, /v_perm_b32|\bprmt\b/ == 0
// expect * [multiply_add]: matrix == 0, /^v_(dual_)?(pk_)?(fmac?|mac)_|v_fma_mix_f32|fma\.rn\.f32/ >= 8

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#endif

#include <tegula/mma.hpp>

namespace tegula {

using target = arch::TEGULA_TEST_TARGET;

/// N values of T as the widest words their size allows, so that loads are what a kernel's would be.
template <class T, int N>
struct lane_registers
{
    static constexpr int bytes = N * static_cast<int>(sizeof(T));
    static constexpr int width = bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : 2;
    array<raw_vector<width>, bytes / width> words;

    TEGULA_INLINE array<T, N> load() const
    {
        array<raw_vector<width>, bytes / width> loaded;
        static_for<bytes / width>([&](auto i) { loaded[i] = target::load_global(&words.values[i]); });
        return __builtin_bit_cast(array<T, N>, loaded);
    }
    TEGULA_INLINE void store(const array<T, N>& values)
    {
        const auto stored = __builtin_bit_cast(array<raw_vector<width>, bytes / width>, values);
        static_for<bytes / width>([&](auto i) { target::store_global(&words.values[i], stored[i]); });
    }
};

template <class Atom>
using c_registers = lane_registers<typename Atom::c_type, Atom::c_count>;
template <class Atom>
using a_registers = lane_registers<typename Atom::a_type, Atom::a_count>;
template <class Atom>
using b_registers = lane_registers<typename Atom::b_type, Atom::b_count>;

template <class Atom>
TEGULA_INLINE void multiply(c_registers<Atom>* c, const a_registers<Atom>* a, const b_registers<Atom>* b)
{
    const int thread = target::thread_id();
    auto sum = c[thread].load();
    Atom::multiply(sum, a[thread].load(), b[thread].load());
    c[thread].store(sum);
}

template <class Atom>
__global__ void multiply_once(c_registers<Atom>* c, const a_registers<Atom>* a, const b_registers<Atom>* b)
{
    multiply<Atom>(c, a, b);
}

template <class Atom>
__global__ void multiply_packed(c_registers<Atom>* c, const a_registers<Atom>* a, const b_registers<Atom>* b)
{
    multiply<Atom>(c, a, b);
}

template <class Atom>
__global__ void multiply_add(c_registers<Atom>* c, const a_registers<Atom>* a, const b_registers<Atom>* b)
{
    multiply<Atom>(c, a, b);
}

/// Keeps the kernels of the instruction with these types and this shape, where the target has it.
template <class A, class B, int M, int N, int K>
const void* instruction_kernel()
{
    if constexpr (has_mma_atom<target, A, B, accumulator_of<A>, M, N, K>)
        return reinterpret_cast<const void*>(multiply_once<mma_atom<target, A, B, accumulator_of<A>, M, N, K>>);
    else
        return nullptr;
}

template <class A, class B, int M, int N>
void keep_shape(const void**& kept)
{
    *kept++ = instruction_kernel<A, B, M, N, 2>();
    *kept++ = instruction_kernel<A, B, M, N, 4>();
    *kept++ = instruction_kernel<A, B, M, N, 8>();
    *kept++ = instruction_kernel<A, B, M, N, 16>();
    *kept++ = instruction_kernel<A, B, M, N, 32>();
}

template <class A, class B = A>
void keep_types(const void**& kept)
{
    keep_shape<A, B, 32, 32>(kept);
    keep_shape<A, B, 16, 16>(kept);
    keep_shape<A, B, 16, 8>(kept);
    keep_shape<A, B, 8, 8>(kept);
}

void keep_all(const void** kept)
{
    keep_types<half>(kept);
    keep_types<bfloat16>(kept);
    keep_types<float>(kept);
    keep_types<tfloat32>(kept);
    keep_types<double>(kept);
    keep_types<std::int8_t>(kept);
    keep_types<std::uint8_t>(kept);
    keep_types<std::int8_t, std::uint8_t>(kept);
    keep_types<float8_e4m3>(kept);
    keep_types<float8_e5m2>(kept);
    keep_types<float8_e4m3, float8_e5m2>(kept);
    keep_types<float8_e5m2, float8_e4m3>(kept);
    keep_types<float8_e4m3_fnuz>(kept);
    keep_types<float8_e5m2_fnuz>(kept);
    keep_types<float8_e4m3_fnuz, float8_e5m2_fnuz>(kept);
    keep_types<float8_e5m2_fnuz, float8_e4m3_fnuz>(kept);
    *kept++ = reinterpret_cast<const void*>(multiply_packed<vector_atom<default_atom<target, half>>>);
    *kept++ = reinterpret_cast<const void*>(multiply_packed<vector_atom<default_atom<target, bfloat16>>>);
    *kept++ = reinterpret_cast<const void*>(multiply_packed<vector_atom<default_atom<target, std::int8_t>>>);
    *kept++ = reinterpret_cast<const void*>(multiply_add<vector_atom<fma_atom<target, float, float, float>>>);
    *kept++ = reinterpret_cast<const void*>(multiply_add<vector_atom<fma_atom<target, half, half, float>>>);
}

} // namespace tegula
