#pragma once

#include "test/catch.hpp"
#include "test/mma/atom_harness.hpp"
#include "test/mma/atom_list.hpp"
#include "test/mma/emulation/one_hot.hpp"

/// Checks that every atom of a target must pass.

namespace tegula::test {

/// C += A B on the emulator by an atom.
template <class Atom>
emulator::launch_result multiply_matrices(const matrix& a, const matrix& b, matrix& c)
{
    operands<Atom> o(a, b, c);
    emulator::launch_result result = multiply_on_emulator<Atom>(o);
    if (result.status.ok())
        c = o.result();
    return result;
}

/// An atom as far as check_product knows it, so that the check is compiled once for all of them.
struct tested_atom
{
    int m, n, k;
    bool takes_negative, is_matrix_instruction;
    emulator::launch_result (*multiply)(const matrix& a, const matrix& b, matrix& c);
};

inline void check_product(const tested_atom& atom)
{
    const matrix a = random_matrix(atom.m, atom.k, 1, atom.takes_negative);
    const matrix b = random_matrix(atom.k, atom.n, 2, atom.takes_negative);
    matrix c = random_matrix(atom.m, atom.n, 3);
    matrix expected = c;
    add_product(expected, a, b);
    const emulator::launch_result result = atom.multiply(a, b, c);
    INFO(result.report);
    REQUIRE(result.status.ok());
    if (atom.is_matrix_instruction)
        CHECK(result.counters.mma_instructions >= 1);
    CHECK(c == expected);
}

/// C += A B on random integers, exactly, through the emulator.
template <class Atom>
void check_product()
{
    constexpr bool negative = !std::is_unsigned_v<typename Atom::a_type> && !std::is_unsigned_v<typename Atom::b_type>;
    check_product({Atom::m, Atom::n, Atom::k, negative, Atom::is_matrix_instruction, multiply_matrices<Atom>});
}

template <class Atom>
constexpr instruction row_of()
{
    if constexpr (takes_b_transposed<Atom>)
        return Atom::atom::row::value;
    else
        return Atom::row::value;
}

inline void check_one_hot(const one_hot_shape& shape, const chip_info& chip, product_of_block product)
{
    CHECK(count_wrong(shape, chip, product, all_pairs(shape)) == 0);
}

/// A single 1 in A and in B, through load, atom and store.
template <class Atom>
void check_one_hot()
{
    using target = typename Atom::target;
    constexpr product_of_block product = multiply_block < target, Atom, takes_b_transposed<Atom> ? 1 : 0 > ;
    check_one_hot({row_of<Atom>(), Atom::m, Atom::n, Atom::k}, chip_of<target>, product);
}

template <class Target>
void check_atoms()
{
    atoms_of<Target>::for_each([]<class Atom>(Atom*) {
        INFO(Atom::name.c_str());
        check_product<Atom>();
        check_product<vector_atom<Atom>>();
        check_product<packed_atom<Atom, 2 * vector_pack<Atom>>>();
        check_one_hot<Atom>();
        check_one_hot<vector_atom<Atom>>();
    });
}

} // namespace tegula::test
