#pragma once

#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/gemm_kernel.hpp>

namespace tegula {

/// Orders of A and B, as a type.
template <operand_order A, operand_order B>
struct operand_orders
{};

/// The orders that a list of kernels has a kernel of aligned operands for; all four if none is named.
template <class... Orders>
struct order_list
{
    template <operand_order A, operand_order B>
    static constexpr bool has = sizeof...(Orders) == 0 || (std::is_same_v<Orders, operand_orders<A, B>> || ...);
};

/// The kernel of Kernels for aligned operands of these orders; if it has none, the element-wise one.
template <class Kernels, operand_order A, operand_order B>
using kernel_for_orders = std::conditional_t<Kernels::orders::template has<A, B>,
                                             typename Kernels::template aligned<A, B>, typename Kernels::element_wise>;

/// Calls launch(kernel{}) with the kernel of Kernels for operands of these orders: aligned<A, B> if all accesses may be
/// vectors of 16 bytes, else element_wise.
template <class Kernels, class Launch>
auto dispatch_by_order(operand_order a, operand_order b, bool aligned_c, Launch&& launch)
{
    using enum operand_order;
    if (a == any || b == any || !aligned_c)
        return launch(typename Kernels::element_wise{});
    if (a == k_contiguous)
        return b == k_contiguous ? launch(kernel_for_orders<Kernels, k_contiguous, k_contiguous>{})
                                 : launch(kernel_for_orders<Kernels, k_contiguous, row_contiguous>{});
    return b == k_contiguous ? launch(kernel_for_orders<Kernels, row_contiguous, k_contiguous>{})
                             : launch(kernel_for_orders<Kernels, row_contiguous, row_contiguous>{});
}

/// dispatch_by_order for operands that are matrices in memory; k_of_b: elements of B along k, fewer than k if some are
/// packed.
template <class Kernels, class Arguments, class Launch>
auto dispatch_by_order(const Arguments& args, long_index_t k_of_b, Launch&& launch)
{
    return dispatch_by_order<Kernels>(
        find_order(args.a, args.a.row_stride, args.a.column_stride, args.m, args.k, args.batch),
        find_order(args.b, args.b.column_stride, args.b.row_stride, args.n, k_of_b, args.batch), writes_vectors(args),
        launch);
}

/// The kernels of one tile: for operands aligned to 16 bytes in each of the four orders, and one that reads and writes
/// element by element whatever the strides. launch(device, gemm_kernels<...>{}, arguments) picks one.
///
/// Orders: the operand_orders<A, B> that dispatch has a kernel of aligned operands for; all four if none is
/// named. Each is compiled where dispatch is called, and takes seconds; other operands take the element-wise kernel.
template <class Tile, class C, class Epilogue, class... Orders>
struct gemm_kernels : kernel_picker<gemm_kernels<Tile, C, Epilogue, Orders...>,
                                    gemm_arguments<typename Tile::a_type, typename Tile::b_type, C, Epilogue>>
{
    using arguments = gemm_arguments<typename Tile::a_type, typename Tile::b_type, C, Epilogue>;
    using orders = order_list<Orders...>;

    template <operand_order A, operand_order B>
    using aligned = gemm_kernel<Tile, A, B, C, Epilogue, output_access::vectors>;
    using element_wise = gemm_kernel<typename Tile::element_wise_tile, operand_order::any, operand_order::any, C,
                                     Epilogue, output_access::elements>;

    /// Calls launch(kernel{}) with the kernel that suits the arguments; the epilogue's parts decide too, by
    /// suits_vectors. Precondition: can_implement(args) is ok.
    template <class Launch>
    static auto dispatch(const arguments& args, Launch&& launch)
    {
        return dispatch_by_order<gemm_kernels>(args, args.k, launch);
    }
};

} // namespace tegula
