#pragma once

#include <tegula/mma/atom.hpp>
#include <tegula/mma/fma_atom.hpp>
#include <tegula/mma/packed.hpp>

namespace tegula {

namespace detail {

/// The greatest k of an instruction that GEMM tiles use: 128 on gfx950 and gfx1250, which run such instructions at
/// twice the rate of the others, else 64.
constexpr int deepest_k(gpu_arch arch) { return arch == gpu_arch::gfx950 || arch == gpu_arch::gfx1250 ? 128 : 64; }

/// The largest k, at most `most`, of an instruction of shape m x n with these types; 0 if there is none.
template <class Target, class A, class B, class C>
constexpr int find_largest_k(int m, int n, int most)
{
    const atom_request wanted{
        arch_of<Target>(), Target::wave_size, kind_of_type<A>(), kind_of_type<B>(), kind_of_type<C>(), m, n, 0};
    int largest = 0;
    for (const instruction& i : instructions_of_vendor(wanted.arch))
        if (i.k > largest && i.k <= most && wanted.fits_with_any_k(i))
            largest = i.k;
    return largest;
}

} // namespace detail

/// The type in which products of T are summed: float, double or int32.
template <class T>
using accumulator_of = typename number_traits<T>::accumulator;

template <class Target, class A, class B, int M, int N, int MostK = detail::deepest_k(arch_of<Target>())>
inline constexpr int largest_k = computed_once<detail::find_largest_k<Target, A, B, accumulator_of<A>>(M, N, MostK)>;

/// Whether Target multiplies A by B with an instruction of shape M x N. GEMM tiles use 32x32 and 16x16 on CDNA, 16x16
/// on RDNA, 16x8 on NVIDIA (for f64, 8x8 before sm_90).
template <class Target, class A, class B, int M, int N>
inline constexpr bool has_shape = largest_k<Target, A, B, M, N> != 0;

/// Whether Target multiplies A by B with a matrix instruction.
template <class Target, class A, class B = A>
inline constexpr bool has_matrix_instruction =
    has_shape<Target, A, B, 16, 16> || has_shape<Target, A, B, 16, 8> || has_shape<Target, A, B, 8, 8>;

namespace encoding_rules {
template <bool Ok, class Target, class A, class B>
struct multiplied_by_an_instruction
{
    static_assert(Ok,
                  "tegula: the target has no matrix instruction for these types (the template arguments are the "
                  "target, A and B); its 8-bit floats may be of the other flavour, FNUZ or OCP. Multiply-adds, many "
                  "times slower, are fma_atom<target, A, B, C> by name");
};
} // namespace encoding_rules

namespace detail {

template <class Target, class A, class B, int M, int N, int K>
struct select_atom
{
    using type = mma_atom<Target, A, B, accumulator_of<A>, M, N, K>;
};
template <class Target, class A, class B, int M, int N>
struct select_atom<Target, A, B, M, N, 0>
{
    static_assert(sizeof(encoding_rules::multiplied_by_an_instruction < sizeof(A) >= 4 && sizeof(B) >= 4, Target, A,
                         B >));
    using type = fma_atom<Target, A, B, accumulator_of<A>>;
};

template <class Target, class A, class B>
constexpr int default_m()
{
    return has_shape<Target, A, B, 16, 16> || has_shape<Target, A, B, 16, 8> ? 16 : 8;
}

} // namespace detail

/// The matrix instruction of shape M x N with the largest k.
template <class Target, class A, int M, int N, class B = A>
using shaped_atom = mma_atom<Target, A, B, accumulator_of<A>, M, N, largest_k<Target, A, B, M, N>>;

/// The default instruction of a GEMM on Target with inputs of types A and B, with the greatest k up to MostK. It is
/// 16x16 on AMD, for finer tiles than 32x32, and 16x8 on NVIDIA (for f64 before sm_90, 8x8). If there is none, types of
/// 32 bits and more use multiply-adds, and narrower types do not compile.
template <class Target, class A, class B = A, int MostK = detail::deepest_k(arch_of<Target>())>
using default_atom = typename detail::select_atom<
    Target, A, B, detail::default_m<Target, A, B>(), has_shape<Target, A, B, 16, 16> ? 16 : 8,
    has_shape<Target, A, B, 16, 16> ? largest_k<Target, A, B, 16, 16, MostK>
                                    : largest_k<Target, A, B, detail::default_m<Target, A, B>(), 8, MostK>>::type;

/// An atom as GEMM kernels use it: k permuted so that a lane reads at least 16 bytes of A and of B at a time.
template <class Atom>
using vector_atom = packed_atom<Atom, vector_pack<Atom>>;

} // namespace tegula
