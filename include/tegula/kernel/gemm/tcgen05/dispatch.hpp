#pragma once

#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/dispatch.hpp>

namespace tegula {

namespace detail {
template <class Tile, class C, class Epilogue, work_partition Sharing, output_store Store>
struct tcgen05_family
{
    static constexpr bool both_orders = sizeof(typename Tile::a_type) <= 2;
    template <operand_order A, operand_order B>
    using kernel = tcgen05_gemm<Tile, A, B, C, Epilogue, Store, Sharing>;
};
} // namespace detail

/// The kernels of one tcgen05_tile: one for each order of the operands; for tf32 only contiguous k. `Sharing`: see
/// tcgen05_gemm; `Store`: how they write C.
template <class Tile, class C, class Epilogue, work_partition Sharing = work_partition::tiles,
          output_store Store = output_store::tensor_copies>
struct tcgen05_kernels : kernels_by_order<detail::tcgen05_family<Tile, C, Epilogue, Sharing, Store>>,
                         persistent_picker<tcgen05_kernels<Tile, C, Epilogue, Sharing, Store>,
                                           typename Tile::template product_type<C, Epilogue>>
{};

} // namespace tegula
