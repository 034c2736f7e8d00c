// A slice that ends after its dimension.
//
// expect: tegula: a slice must end inside its dimension

#include <tegula/layout/descriptor/descriptor.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
constexpr auto result = make_slice_transform(constant<8>{}, constant<2>{}, constant<8>{});
#else
constexpr auto result = make_slice_transform(constant<8>{}, constant<2>{}, constant<9>{});
#endif
