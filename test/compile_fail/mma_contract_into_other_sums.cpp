// A product of halves summed in halves.
//
// a beginner's mistake
// expect: tegula: contract sums in accumulator_of<A's element type>; cast() C
// expect: half
// expect g++: tegula::small_float<tegula::half_format>, float>

#include <tegula/mma.hpp>
#include <tegula/tensor.hpp>

using namespace tegula;
using target = arch::sm_80;

template <index_t Rows, index_t Columns>
using tile = coalesced<target, half, Rows, Columns, 1>;
#ifdef TEGULA_CONTROL
using sum_type = float;
#else
using sum_type = half;
#endif

void product(distributed_tensor<sum_type, tile<16, 16>>& c, const distributed_tensor<half, tile<16, 16>>& a,
             const distributed_tensor<half, tile<16, 16>>& b)
{
    contract<target>(c, a, b, target::shared_memory());
}
