#include "test/kernel/attention/split/split.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::gfx942;

TEST_CASE("gfx942: attention of few queries, keys split", "[attention]") { check_decoding<target>(); }

TEST_CASE("gfx942: changed scores of packed heads", "[attention]") { check_packed_changes<target>(); }
