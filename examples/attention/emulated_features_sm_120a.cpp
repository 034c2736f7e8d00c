// not in the demo
#include "emulated.hpp"

using namespace attention_example;

static const bool added = add_emulated_features<tegula::arch::sm_120a, tegula::bfloat16>("bf16");
