/// Gradients of attention on gfx942: bands and biases.

#include <tegula/kernel/attention/backward/tiles.hpp>

#include "test/kernel/attention/backward/backward.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {
using target = arch::gfx942;
}

TEST_CASE("attention backward on gfx942: bands and biases") { check_gradients_of_bands<target>(); }
