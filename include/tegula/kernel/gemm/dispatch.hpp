#pragma once

#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/gemm_kernel.hpp>

namespace tegula {

/// Whether C, and what the epilogue reads with it, lie in rows of 16-byte vectors.
template <class A, class B, class C, class Epilogue>
bool writes_vectors(const gemm_arguments<A, B, C, Epilogue>& g)
{
    return has_vector_rows(g.c, g.m, g.n, g.batch) &&
           epilogue::suits_vectors(g.epilogue, epilogue::extents{g.m, g.n, g.batch});
}

/// Calls launch(kernel{}) with the kernel of Kernels for operands of these orders: aligned<A, B> where every vector
/// may be of 16 bytes, or element_wise.
template <class Kernels, class Launch>
auto dispatch_by_order(operand_order a, operand_order b, bool aligned_c, Launch&& launch)
{
    using enum operand_order;
    if (a == any || b == any || !aligned_c)
        return launch(typename Kernels::element_wise{});
    if (a == k_contiguous)
        return b == k_contiguous ? launch(typename Kernels::template aligned<k_contiguous, k_contiguous>{})
                                 : launch(typename Kernels::template aligned<k_contiguous, row_contiguous>{});
    return b == k_contiguous ? launch(typename Kernels::template aligned<row_contiguous, k_contiguous>{})
                             : launch(typename Kernels::template aligned<row_contiguous, row_contiguous>{});
}

/// The kernels of one tile: 16-byte aligned operands in each of the four orders, and one that reads and writes element
/// by element whatever the strides.
template <class Tile, class C, class Epilogue>
struct gemm_kernels
{
    using arguments = gemm_arguments<typename Tile::a_type, typename Tile::b_type, C, Epilogue>;

    template <operand_order A, operand_order B>
    using aligned = gemm_kernel<Tile, A, B, C, Epilogue, true>;
    using element_wise =
        gemm_kernel<typename Tile::element_wise_tile, operand_order::any, operand_order::any, C, Epilogue, false>;

    /// Calls launch(kernel{}) with the kernel that suits the arguments. `aligned_epilogue`: parts of the caller's own
    /// read rows of 16-byte vectors; for those of the library it is found out. Precondition: can_implement(args) is ok.
    template <class Launch>
    static auto dispatch(const arguments& args, bool aligned_epilogue, Launch&& launch)
    {
        return dispatch_by_order<gemm_kernels>(
            find_order(args.a, args.a.row_stride, args.a.column_stride, args.m, args.k, args.batch),
            find_order(args.b, args.b.column_stride, args.b.row_stride, args.n, args.k, args.batch),
            aligned_epilogue && writes_vectors(args), launch);
    }
};

} // namespace tegula
