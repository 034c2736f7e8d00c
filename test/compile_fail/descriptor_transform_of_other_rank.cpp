// A merge of two lengths is given one dimension.
//
// expect: tegula: a transform is given more or fewer lower or upper dimensions than it has
// expect: transform_has_its_number_of_dimensions<false, 1>

#include <tegula/layout/descriptor/descriptor.hpp>

using namespace tegula;

constexpr auto base = make_packed_descriptor(sequence<8, 64>{});
#ifdef TEGULA_CONTROL
constexpr auto result = transform_descriptor(
    base, make_tuple(make_pass_through_transform(constant<8>{}), make_merge_transform(sequence<64>{})),
    make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0>{}, sequence<1>{}));
#else
constexpr auto result = transform_descriptor(
    base, make_tuple(make_pass_through_transform(constant<8>{}), make_merge_transform(sequence<8, 8>{})),
    make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<0>{}, sequence<1>{}));
#endif
