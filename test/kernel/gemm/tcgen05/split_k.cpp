// sm_100a: split-K and stream-K of blocks and pairs, in a workspace full of NaN, the same bits from run to run.

#include "test/kernel/gemm/forms/partitions.hpp"
#include "test/kernel/gemm/tcgen05/tcgen05.hpp"

using namespace tegula;
using namespace tegula::test;
constexpr operand_order k = operand_order::k_contiguous;

template <class Tile, work_partition Partition>
using shared_kernel =
    tcgen05_gemm<Tile, k, k, bfloat16, test_epilogue<bfloat16>::type, output_store::tensor_copies, Partition>;

TEST_CASE("sm_100a: tcgen05, clusters share the k of tiles", "[gemm][tcgen05]")
{
    using tiles = tcgen05_tiles<arch::sm_100a, bfloat16>;
    check_shared<shared_kernel<tiles::tc128x64, work_partition::split_k>>(3, 3);
    check_shared<shared_kernel<tiles::tc256x256_2x1, work_partition::stream>>(4, 1);
}
