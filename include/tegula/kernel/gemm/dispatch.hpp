#pragma once

#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/multistage.hpp>

namespace tegula {

/// The kernels of one tile: 16-byte aligned operands in each of the four orders, and one that reads and writes element
/// by element whatever the strides.
template <class Tile, class C, class Epilogue>
struct multistage_kernels
{
    using arguments = gemm_arguments<typename Tile::a_type, typename Tile::b_type, C, Epilogue>;

    template <operand_order A, operand_order B>
    using aligned = multistage_gemm<Tile, A, B, C, Epilogue, true>;
    using element_wise = multistage_gemm<Tile, operand_order::any, operand_order::any, C, Epilogue, false>;

    /// Calls launch(kernel{}) with the kernel that suits the arguments. `aligned_epilogue`: what the epilogue reads
    /// has 16-byte aligned rows too. Precondition: check_gemm(args) is ok.
    template <class Launch>
    static auto dispatch(const arguments& args, bool aligned_epilogue, Launch&& launch)
    {
        using enum operand_order;
        const operand_order a = find_order(args.a, args.a.row_stride, args.a.column_stride, args.m, args.k, args.batch);
        const operand_order b = find_order(args.b, args.b.column_stride, args.b.row_stride, args.n, args.k, args.batch);
        const bool c = aligned_epilogue && has_aligned_rows(args.c, args.c.row_stride, args.m, args.batch);
        if (a == any || b == any || !c)
            return launch(element_wise{});
        if (a == k_contiguous)
            return b == k_contiguous ? launch(aligned<k_contiguous, k_contiguous>{})
                                     : launch(aligned<k_contiguous, row_contiguous>{});
        return b == k_contiguous ? launch(aligned<row_contiguous, k_contiguous>{})
                                 : launch(aligned<row_contiguous, row_contiguous>{});
    }
};

} // namespace tegula
