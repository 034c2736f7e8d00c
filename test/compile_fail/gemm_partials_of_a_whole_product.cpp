// The sum of the parts of a product that has none.
//
// expect: tegula: reduce_partials sums what a kernel left in a workspace; give it split_k_gemm, stream_k_gemm

#include <tegula/tegula.hpp>

using namespace tegula;

using tile = gemm_tiles<arch::sm_80, half>::t32x128;
using kernel = gemm_kernels<tile, float, epilogue::none>::element_wise;

#ifdef TEGULA_CONTROL
using sum = reduce_partials<split_k_gemm<kernel>>;
#else
using sum = reduce_partials<kernel>;
#endif

static_assert(sum::shared_bytes == 0);
