// The atoms of gfx1250: runs of 16 bytes of k in each half of a wave of 32.

#include "test/mma/atom_checks.hpp"
#include "test/mma/emulation/one_hot.cpp"

namespace tegula::test {

using arch::gfx1250;

template <class A, int K, class B = A>
using atom = mma_atom<gfx1250, A, B, accumulator_of<A>, 16, 16, K>;

TEST_CASE("atoms of gfx1250 multiply", "[mma]")
{
    atom_list<atom<float, 4>, atom<half, 32>, atom<bfloat16, 32>, atom<float8_e4m3, 64>,
              atom<float8_e4m3, 128, float8_e5m2>, atom<float8_e5m2, 128>, atom<std::int8_t, 64>,
              atom<std::uint8_t, 64, std::int8_t>>::for_each([]<class Atom>(Atom*) {
        INFO(Atom::name.c_str());
        check_product<Atom>();
        check_product<vector_atom<Atom>>();
        check_one_hot<Atom>();
        check_one_hot<vector_atom<Atom>>();
    });
}

static_assert(default_atom<gfx1250, half>::k == 32 && default_atom<gfx1250, float8_e4m3>::k == 128);
static_assert(default_atom<gfx1250, std::int8_t>::k == 64 && default_atom<gfx1250, float>::k == 4);
static_assert(vector_pack<default_atom<gfx1250, half>> == 16 &&
                  own_length(default_atom<gfx1250, half>::a_encoding::raw, 1) == 16,
              "two runs of 16 bytes a lane without packing");
static_assert(!has_mma_atom<gfx1250, half, half, float, 16, 16, 16>, "RDNA 4's shape is gone");

} // namespace tegula::test
