// Two instructions of 16 k, fed by reads of 16 bytes, make a step of 32.
//
// expect: tegula: block_k must be a multiple of the k that one step of the matrix instruction takes
// expect: block_k_is_whole_slices<false, 16, 32>

#include <tegula/gemm.hpp>

using namespace tegula;
using target = arch::gfx942;

#ifdef TEGULA_CONTROL
constexpr index_t block_k = 32;
#else
constexpr index_t block_k = 16;
#endif

using tile = gemm_tile<target, default_atom<target, bfloat16>, 64, 64, block_k, 2, 2>;
static_assert(tile::check<operand_order::k_contiguous, operand_order::k_contiguous>());
