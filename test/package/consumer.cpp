// A program of someone else: it uses the layout algebra and nothing more.
#include <tegula/layout.hpp>

// Four rows over the lanes, two neighbouring columns a lane.
using rows =
    tegula::tile_distribution_encoding<tegula::sequence<>, tegula::tuple<tegula::sequence<4>, tegula::sequence<2>>,
                                       tegula::tuple<tegula::sequence<1>>, tegula::tuple<tegula::sequence<0>>,
                                       tegula::sequence<2>, tegula::sequence<0>>;

using distribution = decltype(tegula::make_static_tile_distribution(rows{}));

int main() { return distribution::x_length(0) == 4 ? 0 : 1; }
