// Two transforms make the same dimension.
//
// expect: tegula: the upper dimensions of all transforms together must be 0, 1, 2, ... once each
// expect: every_upper_dimension_has_one_transform<false, 0>

#include <tegula/layout/descriptor/descriptor.hpp>

using namespace tegula;

constexpr auto base = make_packed_descriptor(sequence<8, 64>{});
#ifdef TEGULA_CONTROL
constexpr auto result = transform_descriptor(
    base, make_tuple(make_pass_through_transform(constant<8>{}), make_pass_through_transform(constant<64>{})),
    make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<1>{}, sequence<0>{}));
#else
constexpr auto result = transform_descriptor(
    base, make_tuple(make_pass_through_transform(constant<8>{}), make_pass_through_transform(constant<64>{})),
    make_tuple(sequence<0>{}, sequence<1>{}), make_tuple(sequence<1>{}, sequence<1>{}));
#endif
