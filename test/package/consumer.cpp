// A program of someone else: it uses the layout algebra, and where a project has kernels (WITH_KERNEL) one of those.
#include <tegula/layout.hpp>

// Four rows over the lanes, two neighbouring columns a lane.
using rows =
    tegula::tile_distribution_encoding<tegula::sequence<>, tegula::tuple<tegula::sequence<4>, tegula::sequence<2>>,
                                       tegula::tuple<tegula::sequence<1>>, tegula::tuple<tegula::sequence<0>>,
                                       tegula::sequence<2>, tegula::sequence<0>>;

using distribution = decltype(tegula::make_static_tile_distribution(rows{}));

#ifdef WITH_KERNEL
bool launch_nothing();
#else
bool launch_nothing() { return true; }
#endif

int main() { return distribution::x_length(0) == 4 && launch_nothing() ? 0 : 1; }
