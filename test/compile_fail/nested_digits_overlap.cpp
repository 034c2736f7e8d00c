// Two thread digits that share lanes.
// expect: a stride of a nested layout is no multiple of what the smaller strides span
// expect: digits_stand_apart<false, 3, 0, 4, 8

#include <tegula/notation/nested_layout.hpp>

using namespace tegula;

using layout = nested_layout<subgroup_tile<1, 1>, batch_tile<1, 1>, outer_tile<1, 1>, thread_tile<8, 8>,
#ifdef TEGULA_CONTROL
                             element_tile<1, 1>, subgroup_strides<0, 0>, thread_strides<8, 1>>;
#else
                             element_tile<1, 1>, subgroup_strides<0, 0>, thread_strides<4, 1>>;
#endif
nested_encoding<layout, 64, 1> refused;
