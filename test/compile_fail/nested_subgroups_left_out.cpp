// More subgroup tiles than subgroups: part of the tile would have no owner.
// expect: the digits of a nested layout span more threads than there are, or do not divide them
// expect: digits_fit_the_workgroup<false, 0, 0, 8, 4

#include <tegula/notation/nested_layout.hpp>

using namespace tegula;

using layout = nested_layout<subgroup_tile<8>, batch_tile<1>, outer_tile<1>, thread_tile<64>, element_tile<1>,
                             subgroup_strides<1>, thread_strides<1>>;
#ifdef TEGULA_CONTROL
nested_encoding<layout, 64, 8> refused;
#else
nested_encoding<layout, 64, 4> refused;
#endif
