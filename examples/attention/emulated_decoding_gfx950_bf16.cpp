// not in the demo
#include "emulated.hpp"

using namespace attention_example;

static const bool added = add_emulated_decoding<tegula::arch::gfx950, tegula::bfloat16>("bf16");
