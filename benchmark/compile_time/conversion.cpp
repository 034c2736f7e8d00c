// Two conversion plans, headers included: 128 x 128 over 256 threads through a swizzle, and 3 x 64 x 8 through padding.

#include <tegula/chip/chip_info.hpp>
#include <tegula/conversion/conversion_plan.hpp>
#include <tegula/layout/encoding.hpp>

using namespace tegula;

using rows = tile_distribution_encoding<sequence<>, tuple<sequence<4, 2, 4, 4>, sequence<16, 8>>,
                                        tuple<sequence<1>, sequence<1, 2>>, tuple<sequence<0>, sequence<2, 0>>,
                                        sequence<1, 1, 2>, sequence<1, 3, 1>>;
using columns = tile_distribution_encoding<sequence<>, tuple<sequence<16, 8>, sequence<4, 2, 4, 4>>,
                                           tuple<sequence<2>, sequence<2, 1>>, tuple<sequence<0>, sequence<2, 0>>,
                                           sequence<2, 2, 1>, sequence<1, 3, 1>>;
constexpr conversion_plan swizzled = plan_conversion(chip::gfx942, rows::value, columns::value, 16);
static_assert(swizzled.staging.store.conflicts == 0 && swizzled.staging.load.conflicts == 0);

using cube = tile_distribution_encoding<sequence<>, tuple<sequence<3>, sequence<64>, sequence<2, 4>>,
                                        tuple<sequence<3>, sequence<2>>, tuple<sequence<0>, sequence<0>>,
                                        sequence<1, 3>, sequence<0, 1>>;
using turned = tile_distribution_encoding<sequence<>, tuple<sequence<3>, sequence<2, 8, 4>, sequence<8>>,
                                          tuple<sequence<2>, sequence<2, 3>>, tuple<sequence<0>, sequence<1, 0>>,
                                          sequence<2, 1>, sequence<2, 0>>;
constexpr conversion_plan padded = plan_conversion(chip::gfx942, cube::value, turned::value, 32);
static_assert(padded.method == conversion_method::shared && !padded.staging.by_xor);
