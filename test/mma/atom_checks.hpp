#pragma once

#include "test/catch.hpp"
#include "test/mma/atom_harness.hpp"
#include "test/mma/atom_list.hpp"

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

/// A single 1 in A and a single 1 in B give a single 1 in C where their k meet, and nothing where they do not.
template <class Atom>
void check_one_hot()
{
    emulation::arguments<Atom> arguments[Atom::wave_size];
    emulation::arguments<Atom>* lanes[Atom::wave_size];
    long wrong = 0;
    for (int k = 0; k < Atom::k; ++k)
        for (int m = k % 3; m < Atom::m; m += 3)
            for (int n = m % 5; n < Atom::n; n += 5) {
                matrix a(Atom::m, Atom::k), b(Atom::k, Atom::n), c(Atom::m, Atom::n);
                a.at(m, k) = 1;
                b.at(k, n) = 1;
                operands<Atom> o(a, b, c);
                for (std::size_t lane = 0; lane < Atom::wave_size; ++lane) {
                    arguments[lane] = {&o.c[lane], &o.a[lane], &o.b[lane]};
                    lanes[lane] = &arguments[lane];
                }
                emulation::emulate<Atom>(lanes);
                c.at(m, n) = 1;
                wrong += o.result() != c;
            }
    CHECK(wrong == 0);
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
    });
}

} // namespace tegula::test
