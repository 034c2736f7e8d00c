// not in the demo
#include "emulated_backward.hpp"

using namespace attention_example;

// Of 256 columns, which serve fewer as well; f16 has 128.
using kernels = changing_backward<tegula::arch::sm_80, tegula::bfloat16, 256>;
static const bool added = add_emulated_backward<tegula::arch::sm_80, tegula::bfloat16, kernels>("bf16");
