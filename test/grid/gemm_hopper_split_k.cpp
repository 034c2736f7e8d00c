// Split-K and stream-K of the warp-specialised kernels: products whose tiles and k are shared in every way, in a
// workspace full of NaN, the same bits from run to run.

#include "test/kernel/gemm/forms/partitions.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;
using target = arch::sm_90a;

namespace {

template <work_partition Partition>
using shared_kernel = hopper_kernel<warp_specialized_tiles<target, bfloat16>::ws128x128_2x1, k, k, bfloat16,
                                    c_layout::tensor_copies, Partition>;

} // namespace

TEST_CASE("sm_90a: clusters share all steps of all tiles", "[gemm][hopper]")
{
    check_shared<shared_kernel<work_partition::stream>>(6, 1);
    check_shared<shared_kernel<work_partition::stream>>(4, 1);
    check_shared<shared_kernel<work_partition::stream>>(132, 1);
    check_shared<shared_kernel<work_partition::stream>>(2, 1);
}
