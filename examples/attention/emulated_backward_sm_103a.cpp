// not in the demo
#include "emulated_backward.hpp"

#include <tegula/attention_sm100.hpp>

using namespace attention_example;

using target = tegula::arch::sm_103a;

template <class T>
using by_tcgen05 = tegula::tcgen05_backward_for<target, T, 128, 128, changing_variant, float, tegula::soft_cap<target>>;

static const bool added[] = {
    add_emulated_backward<target, tegula::bfloat16, by_tcgen05<tegula::bfloat16>>("bf16"),
    add_emulated_backward<target, tegula::half, by_tcgen05<tegula::half>>("f16"),
};
