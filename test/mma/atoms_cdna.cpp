// Every CDNA atom multiplies correctly, alone and packed.

#include "test/mma/atom_checks.hpp"

namespace tegula::test {

TEST_CASE("atoms of gfx90a multiply", "[mma]") { check_atoms<arch::gfx90a>(); }
TEST_CASE("atoms of gfx942 multiply", "[mma]") { check_atoms<arch::gfx942>(); }

} // namespace tegula::test
