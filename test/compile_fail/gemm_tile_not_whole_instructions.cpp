// Two waves of 16 rows each do not divide 48.
//
// expect: tegula: the block tile must be a multiple of the instruction's tile times the waves

#include <tegula/gemm.hpp>

using namespace tegula;
using target = arch::gfx942;

#ifdef TEGULA_CONTROL
constexpr index_t block_m = 64;
#else
constexpr index_t block_m = 48;
#endif

using tile = gemm_tile<target, default_atom<target, bfloat16>, block_m, 64, 32, 2, 2>;
static_assert(tile::mma::iterations_m > 0);
