// A matrix instruction's operand as the end of a conversion.

#include <tegula/mma.hpp>
#include <tegula/tensor/convert.hpp>

using namespace tegula;

namespace {

using mma = mma_atom<arch::sm_80, half, half, float, 16, 8, 16>;
using mfma = mma_atom<arch::gfx942, half, half, float, 32, 32, 8>;

static_assert(operand_distribution<mma, operand::a>::x_length(0) == 16);
static_assert(operand_distribution<mma, operand::b>::x_length(1) == 8);
static_assert(operand_distribution<mfma, operand::c>::num_registers == 16);

// 16 x 16 of half, a lane 8 neighbours of a row, as a 16-byte load brings it.
using loaded =
    tile_distribution<tile_distribution_encoding<sequence<>, tuple<sequence<16>, sequence<2, 8>>, tuple<sequence<1, 2>>,
                                                 tuple<sequence<0, 0>>, sequence<2>, sequence<1>>>;

template <class Target, class Source, class Destination>
constexpr conversion_plan plan = plan_conversion(Target::chip(), Source::value, Destination::value, 16);

static_assert(plan<arch::sm_80, loaded, operand_distribution<mma, operand::a>>.method == conversion_method::shuffle);
static_assert(plan<arch::sm_80, loaded, operand_distribution<mma, operand::a>>.shuffles == 4, "a word each");
static_assert(conversion_scratch_bytes<arch::sm_80, half, loaded, operand_distribution<mma, operand::a>> == 0);

// The accumulator of 16 x 8 is the operand A of the next product once it is narrowed: two of them side by side.
using next = mma_atom<arch::sm_80, half, half, float, 16, 8, 8>;
static_assert(plan<arch::sm_80, operand_distribution<mma, operand::c>, operand_distribution<next, operand::a>>.method ==
              conversion_method::none);

} // namespace
