// not in the demo
#include "emulated.hpp"

using namespace attention_example;

static const bool added = add_emulated_features<tegula::arch::gfx1250, tegula::bfloat16>("bf16");
