// Two lengths, one stride.
//
// expect: tegula: embed needs one stride for each length

#include <tegula/layout/descriptor/descriptor.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
constexpr auto result = make_strided_descriptor(sequence<8, 64>{}, sequence<64, 1>{});
#else
constexpr auto result = make_strided_descriptor(sequence<8, 64>{}, sequence<64>{});
#endif
