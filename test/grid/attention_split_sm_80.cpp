#include "test/kernel/attention/split/split.hpp"

using namespace tegula;
using namespace tegula::test;
using target = arch::sm_80;

TEST_CASE("sm_80: attention of few queries, keys split", "[attention]") { check_decoding<target>(); }

TEST_CASE("sm_80: changed scores of packed heads", "[attention]") { check_packed_changes<target>(); }
