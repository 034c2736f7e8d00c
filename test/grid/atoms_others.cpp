// Every atom of these targets multiplies correctly, alone and packed.

#include "test/mma/atom_checks.hpp"
#include "test/mma/emulation/one_hot.cpp"

namespace tegula::test {

TEST_CASE("atoms of gfx90a multiply", "[mma]") { check_atoms<arch::gfx90a>(); }
TEST_CASE("atoms of sm_90a multiply", "[mma]") { check_atoms<arch::sm_90a>(); }

} // namespace tegula::test
