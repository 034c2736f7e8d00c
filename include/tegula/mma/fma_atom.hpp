#pragma once

#include <tegula/core/convert.hpp>
#include <tegula/core/rounding.hpp>
#include <tegula/core/static_for.hpp>
#include <tegula/layout/encoding.hpp>

namespace tegula {

namespace detail {

/// Lanes of an outer product: 8 along m, the others along n. A lane holds MPer rows, 8 apart, of NPer neighbouring
/// columns.
template <int WaveSize, int MPer, int NPer>
struct fma_layout
{
    static constexpr int m_lanes = 8;
    static constexpr int n_lanes = WaveSize / m_lanes;

    // R repeats A over the lanes of n, and B over the lanes of m.
    using a = tile_distribution_encoding<sequence<n_lanes>, tuple<sequence<MPer, m_lanes>, sequence<1>>,
                                         tuple<sequence<1, 0>>, tuple<sequence<1, 0>>, sequence<1, 2>, sequence<0, 0>>;
    using b = tile_distribution_encoding<sequence<m_lanes>, tuple<sequence<1>, sequence<n_lanes, NPer>>,
                                         tuple<sequence<0, 2>>, tuple<sequence<0, 0>>, sequence<1, 2>, sequence<0, 1>>;
    using c = tile_distribution_encoding<sequence<>, tuple<sequence<MPer, m_lanes>, sequence<n_lanes, NPer>>,
                                         tuple<sequence<1, 2>>, tuple<sequence<1, 0>>, sequence<1, 2>, sequence<0, 1>>;
};

} // namespace detail

/// C += A B by multiply-adds of each lane, for types and targets without a matrix instruction; the interface of
/// mma_atom. A [m, 1], B [1, n], C [m, n] with m = 8 MPer and n = wave_size / 8 NPer; a lane holds MPer rows of NPer
/// neighbouring columns, so that it can store 16 bytes of f32.
///
/// Inputs are converted to C's type, exactly; each product is added to C at once, with one rounding on a GPU and two in
/// the emulator. 32-bit integers wrap.
template <class Target, class A, class B, class C, int MPer = 4, int NPer = 4>
struct fma_atom
{
    using target = Target;
    using a_type = A;
    using b_type = B;
    using c_type = C;
    static constexpr int wave_size = Target::wave_size;
    static constexpr int m = 8 * MPer;
    static constexpr int n = wave_size / 8 * NPer;
    static constexpr int k = 1;
    static constexpr bool is_matrix_instruction = false;
    static constexpr bool keeps_k_order = false;
    static constexpr bool truncates_sums = false;
    static constexpr bool widens_operands = false;

    using a_encoding = typename detail::fma_layout<wave_size, MPer, NPer>::a;
    using b_encoding = typename detail::fma_layout<wave_size, MPer, NPer>::b;
    using c_encoding = typename detail::fma_layout<wave_size, MPer, NPer>::c;
    static constexpr int a_count = MPer;
    static constexpr int b_count = NPer;
    static constexpr int c_count = MPer * NPer;

    /// c += a b.
    static TEGULA_INLINE void multiply(array<C, c_count>& c, const array<A, a_count>& a, const array<B, b_count>& b)
    {
        array<C, b_count> column;
        static_for<NPer>([&](auto j) { column[j] = convert<C>(b[j]); });
        static_for<MPer>([&](auto i) {
            const C row = convert<C>(a[i]);
            static_for<NPer>([&](auto j) { add_product(c[i * NPer + j], row, column[j]); });
        });
    }

private:
    static TEGULA_INLINE void add_product(C& sum, C x, C y)
    {
        if constexpr (std::is_integral_v<C>)
            sum = static_cast<C>(static_cast<std::uint32_t>(sum) +
                                 static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(y));
        else
            sum = multiply_add(x, y, sum);
    }
};

} // namespace tegula
