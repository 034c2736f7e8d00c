// not in the demo
#include "emulated_backward.hpp"

using namespace attention_example;

using target = tegula::arch::sm_103a;
using dropping = dropping_backward<target, tegula::bfloat16>;

static const bool added[] = {add_emulated_features<target, tegula::bfloat16>("bf16"),
                             add_emulated_backward<target, tegula::bfloat16, dropping>("bf16")};
