// Every NVIDIA atom multiplies correctly, alone and packed.

#include "test/mma/atom_checks.hpp"

namespace tegula::test {

TEST_CASE("atoms of sm_80 multiply", "[mma]") { check_atoms<arch::sm_80>(); }
TEST_CASE("atoms of sm_90a multiply", "[mma]") { check_atoms<arch::sm_90a>(); }

} // namespace tegula::test
