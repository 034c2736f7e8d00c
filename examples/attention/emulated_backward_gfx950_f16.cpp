// not in the demo
#include "emulated_backward.hpp"

using namespace attention_example;

static const bool added = add_emulated_backward<tegula::arch::gfx950, tegula::half>("f16");
