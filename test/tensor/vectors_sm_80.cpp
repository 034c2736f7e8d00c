#include "vectors.hpp"

TEST_CASE("operations on tiles with long digits on sm_80", "[tensor]") { check_long_digits<arch::sm_80>(); }
