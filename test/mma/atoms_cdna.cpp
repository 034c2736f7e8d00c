// Every atom of gfx942 multiplies correctly, alone and packed.

#include "test/mma/atom_checks.hpp"

namespace tegula::test {

TEST_CASE("atoms of gfx942 multiply", "[mma]") { check_atoms<arch::gfx942>(); }

} // namespace tegula::test
