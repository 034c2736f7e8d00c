#pragma once

#include <tegula/kernel/gemm/tcgen05/kernel.hpp>
#include <tegula/kernel/gemm/warp_specialized/dispatch.hpp>

namespace tegula {

/// The kernels of one tcgen05_tile: one for each order of the operands; for tf32 only contiguous k. `Sharing`: see
/// tcgen05_gemm; `Store`: how they write C.
template <class Tile, class C, class Epilogue, work_partition Sharing = work_partition::tiles,
          output_store Store = output_store::tensor_copies>
struct tcgen05_kernels : kernels_by_order<Tile, C, Epilogue, Sharing, Store>,
                         persistent_picker<tcgen05_kernels<Tile, C, Epilogue, Sharing, Store>,
                                           typename Tile::template product_type<C, Epilogue>>
{};

} // namespace tegula
