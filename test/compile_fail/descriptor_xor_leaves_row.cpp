// Four chunks of 8 and a mask of 3 bits: chunks would leave their row.
//
// expect: tegula: the columns of an xor transform must be a multiple of its chunk times its group of chunks

#include <tegula/layout/descriptor/descriptor.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
constexpr auto result = make_xor_transform(sequence<8, 32>{}, xor_pattern<8, 3>{});
#else
constexpr auto result = make_xor_transform(sequence<8, 32>{}, xor_pattern<8, 7>{});
#endif
