// The atoms of gfx950, which run on the emulator only: 8 consecutive k of 16-bit inputs a lane, 8-bit inputs in two
// runs.

#include "test/mma/atom_checks.hpp"
#include "test/mma/emulation/one_hot.cpp"

namespace tegula::test {

using arch::gfx950;

template <class A, int M, int K, class B = A>
using atom = mma_atom<gfx950, A, B, accumulator_of<A>, M, M, K>;

TEST_CASE("atoms of gfx950 multiply", "[mma]")
{
    atom_list<atom<half, 32, 16>, atom<half, 16, 32>, atom<bfloat16, 16, 32>, atom<std::int8_t, 16, 64>,
              atom<std::int8_t, 32, 32>, atom<float8_e4m3, 16, 32>, atom<float8_e4m3, 16, 128, float8_e5m2>,
              atom<float8_e5m2, 32, 64>, atom<float, 16, 4>>::for_each([]<class Atom>(Atom*) {
        INFO(Atom::name.c_str());
        check_product<Atom>();
        check_product<vector_atom<Atom>>();
        check_one_hot<Atom>();
        check_one_hot<vector_atom<Atom>>();
    });
}

static_assert(default_atom<gfx950, half>::k == 32 && vector_pack<default_atom<gfx950, half>> == 8,
              "16 bytes a lane without packing");
static_assert(default_atom<gfx950, float8_e4m3>::k == 128 && shaped_atom<gfx950, float8_e4m3, 32, 32>::k == 64);
static_assert(!has_mma_atom<gfx950, tfloat32, tfloat32, float, 16, 16, 8>, "gfx950 has no xf32");
static_assert(!has_mma_atom<gfx950, float8_e4m3_fnuz, float8_e4m3_fnuz, float, 16, 16, 32>);

} // namespace tegula::test
