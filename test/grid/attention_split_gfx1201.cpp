#include "test/kernel/attention/split/split.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx1201;

TEST_CASE("gfx1201: attention of few queries, keys split", "[attention]") { check_decoding<target>(); }
