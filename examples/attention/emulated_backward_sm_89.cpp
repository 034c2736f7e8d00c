// not in the demo
#include "emulated_backward.hpp"

using namespace attention_example;
using target = tegula::arch::sm_89;

static const bool added[] = {add_emulated_backward<target, tegula::bfloat16>("bf16"),
                             add_emulated_backward<target, tegula::half>("f16")};
