#pragma once

#include <tegula/mma.hpp>

/// Every matrix instruction that is an atom, by target.

namespace tegula::test {

template <class... Atoms>
struct atom_list
{
    template <class F>
    static void for_each(F&& f)
    {
        (f(static_cast<Atoms*>(nullptr)), ...);
    }
    static constexpr int size = sizeof...(Atoms);
};

template <class... Lists>
struct joined;
template <class... As>
struct joined<atom_list<As...>>
{
    using type = atom_list<As...>;
};
template <class... As, class... Bs, class... Rest>
struct joined<atom_list<As...>, atom_list<Bs...>, Rest...> : joined<atom_list<As..., Bs...>, Rest...>
{};
template <class... Lists>
using join = typename joined<Lists...>::type;

template <class Target, class A, class B, int M, int N, int K>
using one = std::conditional_t<has_mma_atom<Target, A, B, accumulator_of<A>, M, N, K>,
                               atom_list<mma_atom<Target, A, B, accumulator_of<A>, M, N, K>>, atom_list<>>;

template <class Target, class A, class B, int M, int N>
using of_shape = join<one<Target, A, B, M, N, 2>, one<Target, A, B, M, N, 4>, one<Target, A, B, M, N, 8>,
                      one<Target, A, B, M, N, 16>, one<Target, A, B, M, N, 32>>;

template <class Target, class A, class B = A>
using of_types = join<of_shape<Target, A, B, 32, 32>, of_shape<Target, A, B, 16, 16>, of_shape<Target, A, B, 16, 8>,
                      of_shape<Target, A, B, 8, 8>>;

/// All atoms of a target.
template <class Target>
using atoms_of =
    join<of_types<Target, half>, of_types<Target, bfloat16>, of_types<Target, float>, of_types<Target, tfloat32>,
         of_types<Target, double>, of_types<Target, std::int8_t>, of_types<Target, std::uint8_t>,
         of_types<Target, std::int8_t, std::uint8_t>, of_types<Target, std::uint8_t, std::int8_t>,
         of_types<Target, float8_e4m3>, of_types<Target, float8_e5m2>, of_types<Target, float8_e4m3, float8_e5m2>,
         of_types<Target, float8_e5m2, float8_e4m3>, of_types<Target, float8_e4m3_fnuz>,
         of_types<Target, float8_e5m2_fnuz>, of_types<Target, float8_e4m3_fnuz, float8_e5m2_fnuz>,
         of_types<Target, float8_e5m2_fnuz, float8_e4m3_fnuz>>;

} // namespace tegula::test
