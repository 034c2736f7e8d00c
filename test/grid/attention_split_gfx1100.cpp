#include "test/kernel/attention/split/split.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx1100;

TEST_CASE("gfx1100: attention of few queries, keys split", "[attention]") { check_decoding<target>(); }
