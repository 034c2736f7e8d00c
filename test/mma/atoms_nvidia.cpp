// Every atom of sm_80 multiplies correctly, alone and packed.

#include "test/mma/atom_checks.hpp"

namespace tegula::test {

TEST_CASE("atoms of sm_80 multiply", "[mma]") { check_atoms<arch::sm_80>(); }

} // namespace tegula::test
