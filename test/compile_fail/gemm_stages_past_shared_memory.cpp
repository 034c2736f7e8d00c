// Four stages of 128 x 64 and 128 x 64 bf16 take 128 KiB; a block of gfx942 has 64.
//
// expect: tegula: the stages of the tile do not fit the target's shared memory; use fewer stages or a smaller tile
// expect: stages_fit_shared_memory<false, 131072, 65536>

#include <tegula/gemm.hpp>

using namespace tegula;
using target = arch::gfx942;

#ifdef TEGULA_CONTROL
constexpr int stages = 2;
#else
constexpr int stages = 4;
#endif

using tile = gemm_tile<target, default_atom<target, bfloat16>, 128, 128, 64, 2, 2, stages>;
static_assert(tile::check<operand_order::k_contiguous, operand_order::k_contiguous>());
