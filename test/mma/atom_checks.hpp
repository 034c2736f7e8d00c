#pragma once

#include "test/catch.hpp"
#include "test/mma/atom_harness.hpp"
#include "test/mma/atom_list.hpp"
#include "test/mma/one_hot.hpp"

/// What must hold for every atom of a target.

namespace tegula::test {

template <class Atom>
matrix start_of_c()
{
    return random_matrix(Atom::m, Atom::n, 3);
}

/// C += A B on random integers, exactly, through the emulator.
template <class Atom>
void check_product()
{
    const bool negative = !std::is_unsigned_v<typename Atom::a_type> && !std::is_unsigned_v<typename Atom::b_type>;
    const matrix a = random_matrix(Atom::m, Atom::k, 1, negative);
    const matrix b = random_matrix(Atom::k, Atom::n, 2, negative);
    matrix c = start_of_c<Atom>();
    operands<Atom> o(a, b, c);
    const emulator::launch_result result = multiply_on_emulator<Atom>(o);
    INFO(result.report);
    REQUIRE(result.status.ok());
    if (Atom::is_matrix_instruction)
        CHECK(result.counters.mma_instructions >= 1);
    add_product(c, a, b);
    CHECK(o.result() == c);
}

template <class Atom>
constexpr instruction row_of()
{
    if constexpr (takes_b_transposed<Atom>)
        return Atom::atom::row::value;
    else
        return Atom::row::value;
}

/// A single 1 in A and in B, through load, atom and store.
template <class Atom>
void check_one_hot()
{
    using target = typename Atom::target;
    constexpr chip_info chip = target::chip();
    const one_hot_shape shape{row_of<Atom>(), Atom::m, Atom::n, Atom::k};
    constexpr product_of_block product = multiply_block < target, Atom, takes_b_transposed<Atom> ? 1 : 0 > ;
    CHECK(count_wrong(shape, chip, product, all_pairs(shape)) == 0);
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
