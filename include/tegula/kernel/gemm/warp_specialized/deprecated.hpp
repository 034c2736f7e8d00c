#pragma once

#include <tegula/kernel/gemm/warp_specialized/maps.hpp>

/// Former names of warp-specialised GEMM; the next version is without them.

namespace tegula {

struct [[deprecated("tegula: use operand_order")]] operand_major
{
    static constexpr operand_order k = operand_order::k_contiguous;
    static constexpr operand_order mn = operand_order::row_contiguous;
};

using work_sharing [[deprecated("tegula: use work_partition")]] = work_partition;

template <work_partition Partition, class Kernel>
[[deprecated("tegula: use with_partition")]]
constexpr auto with_sharing(Kernel kernel)
{
    return with_partition<Partition>(kernel);
}

template <class Kernel>
using shared_k_sum [[deprecated("tegula: use split_k_reduction")]] = split_k_reduction<Kernel>;

template <class Kernel>
[[deprecated("tegula: use split_k_workspace_bytes")]]
long_index_t shared_k_workspace_bytes(const typename Kernel::product_type& p, int multiprocessors, index_t splits = 1)
{
    return split_k_workspace_bytes<Kernel>(p, multiprocessors, splits);
}

} // namespace tegula
