// A thread tile with stride 0 would leave elements without an owner.
// expect: a subgroup or thread tile above 1 has stride 0, which leaves elements without an owner
// expect: distributed_tiles_have_a_stride<false, 3, 1, 8

#include <tegula/notation/nested_layout.hpp>

using namespace tegula;

using layout = nested_layout<subgroup_tile<1, 1>, batch_tile<1, 1>, outer_tile<1, 1>, thread_tile<8, 8>,
#ifdef TEGULA_CONTROL
                             element_tile<1, 1>, subgroup_strides<0, 0>, thread_strides<8, 1>>;
#else
                             element_tile<1, 1>, subgroup_strides<0, 0>, thread_strides<8, 0>>;
#endif
nested_encoding<layout, 64, 1> refused;
