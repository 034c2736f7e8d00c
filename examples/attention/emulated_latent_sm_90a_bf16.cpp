// not in the demo
#include "emulated.hpp"

using namespace attention_example;

static const bool added = add_emulated_latent<tegula::arch::sm_90a, tegula::bfloat16>("bf16");
