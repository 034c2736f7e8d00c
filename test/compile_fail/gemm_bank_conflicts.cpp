// 128 columns of 128 8-bit k, loaded along the columns by eight waves of 32 lanes: no layout serves the writes and the
// reads without conflicts.
//
// expect: tegula: no layout of the operand tile in shared memory is free of bank conflicts; choose another block_k
// expect: shared_memory_is_free_of_conflicts<false,

#include <tegula/gemm.hpp>

using namespace tegula;
using target = arch::gfx1100;

#ifdef TEGULA_CONTROL
constexpr index_t block_k = 64;
#else
constexpr index_t block_k = 128;
#endif

using tile = gemm_tile<target, default_atom<target, std::int8_t>, 128, 128, block_k, 2, 4>;
static_assert(tile::check<operand_order::k_contiguous, operand_order::row_contiguous>());
