// Every row of wgmma in the instruction table, and every list of operands: A from registers; transposed operands.
//
// full targets: sm_90a
// expect rows: issue_row
// expect sm_90a [issue_row]: matrix == 1, sass/^(HGMMA|IGMMA|QGMMA)\./ >= 1
// expect sm_90a [from_registers]: /wgmma\.mma_async\S* \{[^}]*\}, \{%r/, sass/^(HGMMA|IGMMA|QGMMA)\./ >= 1
// expect sm_90a [transposed]: /wgmma\.mma_async.*p,1,1,1,1$/, sass/^HGMMA.*\.tnspA\.tnspB/

#include "test/mma/emulation/wgmma_atom_of.hpp"

#include <tegula/core/static_for.hpp>

namespace tegula {

/// A row by its form and width: form * 512 + n, ascending in the order of the table.
template <int Index, operand_order Major = operand_order::k_contiguous>
using atom_of = test::wgmma_atom_of<Index / 512, Index % 512, Major>;

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
    TEGULA_ON_DEVICE(multiply<atom_of<Index, operand_order::row_contiguous>>(c, a, b));
}

template <int Index>
void keep(const void**& kept)
{
    *kept++ = reinterpret_cast<const void*>(issue_row<Index>);
    if constexpr (Index % 512 == 64 || Index % 512 == 256)
        *kept++ = reinterpret_cast<const void*>(from_registers<Index>);
    if constexpr (sizeof(typename atom_of<Index>::a_type) == 2 && Index % 512 == 128)
        *kept++ = reinterpret_cast<const void*>(transposed<Index>);
}

void keep_all(const void** kept)
{
    static_for<test::wgmma_form_count * 32>([&](auto place) {
        constexpr int form = decltype(place)::value / 32;
        constexpr int n = decltype(place)::value % 32 * 8 + 8;
        if constexpr (test::has_wgmma_row(form, n))
            keep<form * 512 + n>(kept);
    });
}

} // namespace tegula
