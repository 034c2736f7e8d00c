// wgmma of every form of the instruction table and every list of operands: each form with some widths, one form of each
// kind of accumulators with all; A from registers; transposed operands.
//
// targets: sm_90a
// expect sm_90a [issue_row]: matrix == 1, sass/^(HGMMA|IGMMA|QGMMA)\./ >= 1
// expect sm_90a [from_registers]: /wgmma\.mma_async\S* \{[^}]*\}, \{%r/, sass/^(HGMMA|IGMMA|QGMMA)\./ >= 1
// expect sm_90a [transposed]: /wgmma\.mma_async.*p,1,1,1,1$/, sass/^HGMMA.*\.tnspA\.tnspB/

#include <tegula/core/static_for.hpp>
#include <tegula/mma/wgmma.hpp>

namespace tegula {

using target = arch::sm_90a;

template <element_kind Kind>
struct type_of;
// clang-format off
template <> struct type_of<element_kind::f16> { using type = half; };
template <> struct type_of<element_kind::bf16> { using type = bfloat16; };
template <> struct type_of<element_kind::tf32> { using type = tfloat32; };
template <> struct type_of<element_kind::f32> { using type = float; };
template <> struct type_of<element_kind::f8e4m3> { using type = float8_e4m3; };
template <> struct type_of<element_kind::f8e5m2> { using type = float8_e5m2; };
template <> struct type_of<element_kind::i8> { using type = std::int8_t; };
template <> struct type_of<element_kind::u8> { using type = std::uint8_t; };
template <> struct type_of<element_kind::i32> { using type = std::int32_t; };
// clang-format on

/// A row by its form and width: form * 512 + n.
template <int Index, operand_major Major = operand_major::k>
struct row_atom
{
    static constexpr instruction form = detail::instruction_rows::wgmma_forms[Index / 512];
    using type = wgmma_atom<target, typename type_of<form.a>::type, typename type_of<form.b>::type,
                            typename type_of<form.c>::type, Index % 512, Major, Major>;
};
template <int Index, operand_major Major = operand_major::k>
using atom_of = typename row_atom<Index, Major>::type;

/// One accumulator is kept: loads and stores of all would be most of the unit.
template <class Atom, class A>
TEGULA_INLINE void multiply(void* memory, const A& a, std::uint64_t b)
{
    typename Atom::accumulators c{};
    arch::nvidia::wgmma_fence();
    Atom::multiply(c, a, b, b != 0);
    arch::nvidia::wgmma_commit();
    arch::nvidia::wgmma_wait<0>();
    static_cast<typename Atom::c_type*>(memory)[threadIdx.x] = c[0];
}

// The host pass has nothing to emulate here.
#if TEGULA_DEVICE_PASS
#define TEGULA_ON_DEVICE(...) __VA_ARGS__
#else
#define TEGULA_ON_DEVICE(...)
#endif

template <int Index>
__global__ void __launch_bounds__(128) issue_row(void* c, std::uint64_t a, std::uint64_t b)
{
    TEGULA_ON_DEVICE(multiply<atom_of<Index>>(c, a, b));
}
template <int Index>
__global__ void __launch_bounds__(128) from_registers(void* c, const void* a, std::uint64_t b)
{
    TEGULA_ON_DEVICE(using atom = atom_of<Index>;
                     multiply<atom>(c, static_cast<const typename atom::a_registers*>(a)[threadIdx.x], b));
}
template <int Index>
__global__ void __launch_bounds__(128) transposed(void* c, std::uint64_t a, std::uint64_t b)
{
    TEGULA_ON_DEVICE(multiply<atom_of<Index, operand_major::mn>>(c, a, b));
}

template <int Index>
void keep(const void**& kept)
{
    constexpr instruction form = row_atom<Index>::form;
    *kept++ = reinterpret_cast<const void*>(issue_row<Index>);
    if constexpr (Index % 512 == 64 || Index % 512 == 256)
        *kept++ = reinterpret_cast<const void*>(from_registers<Index>);
    if constexpr (info(form.a).bits == 16 && Index % 512 == 128)
        *kept++ = reinterpret_cast<const void*>(transposed<Index>);
}

void keep_all(const void** kept)
{
    using namespace detail::instruction_rows;
    constexpr int forms = sizeof(wgmma_forms) / sizeof(instruction);
    static_for<forms * 32>([&](auto place) {
        constexpr int form = decltype(place)::value / 32;
        constexpr int n = decltype(place)::value % 32 * 8 + 8;
        constexpr bool all = form == 1 || form == 3 || form == 12; // f16, f32 and s32 accumulators
        constexpr bool some = n == 8 || n == 24 || n == 64 || n == 128 || n == 256;
        if constexpr ((all || some) && has_wgmma_n(wgmma_forms[form], n))
            keep<form * 512 + n>(kept);
    });
}

} // namespace tegula
