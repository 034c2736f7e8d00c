// A dimension that no transform takes.
//
// expect: tegula: every dimension below must be taken by exactly one transform
// expect: every_lower_dimension_has_one_transform<false, 0>

#include <tegula/layout/descriptor/descriptor.hpp>

using namespace tegula;

constexpr auto base = make_packed_descriptor(sequence<8, 64>{});
#ifdef TEGULA_CONTROL
constexpr auto result =
    transform_descriptor(base, make_tuple(make_pass_through_transform(constant<64>{}), make_freeze_transform(1)),
                         make_tuple(sequence<1>{}, sequence<0>{}), make_tuple(sequence<0>{}, sequence<>{}));
#else
constexpr auto result = transform_descriptor(base, make_tuple(make_pass_through_transform(constant<64>{})),
                                             make_tuple(sequence<1>{}), make_tuple(sequence<0>{}));
#endif
