/// Gradients of attention on sm_80: lengths, bands and biases.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention/backward/backward.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {
using target = arch::sm_80;
}

TEST_CASE("attention backward on sm_80: lengths") { check_gradients_of_lengths<target>(); }

TEST_CASE("attention backward on sm_80: bands and biases") { check_gradients_of_bands<target>(); }
