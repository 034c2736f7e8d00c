// Every RDNA atom multiplies correctly, alone and packed.

#include "test/mma/atom_checks.hpp"
#include "test/mma/emulation/one_hot.cpp"

namespace tegula::test {

TEST_CASE("atoms of gfx1100 multiply", "[mma]") { check_atoms<arch::gfx1100>(); }
TEST_CASE("atoms of gfx1201 multiply", "[mma]") { check_atoms<arch::gfx1201>(); }

} // namespace tegula::test
