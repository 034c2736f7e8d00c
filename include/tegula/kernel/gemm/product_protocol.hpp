#pragma once

#include <tegula/block/operand_load.hpp>
#include <tegula/kernel/gemm/epilogue/check.hpp>
#include <tegula/kernel/gemm/normalize.hpp>

namespace tegula {

/// Whether C, and what the epilogue reads with it, lie in rows of 16-byte vectors.
template <class A, class B, class C, class Epilogue>
bool writes_vectors(const gemm_arguments<A, B, C, Epilogue>& g)
{
    return has_vector_rows(g.c, g.m, g.n, g.batch) && epilogue::part_suits_vectors(g.epilogue, epilogue::extents_of(g));
}

namespace internal {

/// Whether an operand [rows, k] can be read in that order; `backwards`: also with a negative leading stride.
template <operand_order Order, class T>
bool lies_in(const matrix_argument<T>& x, long_index_t row_stride, long_index_t k_stride, long_index_t rows,
             long_index_t k, long_index_t batch, bool backwards)
{
    [[maybe_unused]] const auto leading = [&](long_index_t stride) {
        return backwards ? gemm_checks::absolute(stride) : stride;
    };
    if constexpr (Order == operand_order::k_contiguous)
        return k == 0 || ((k_stride == 1 || k == 1) && has_aligned_rows(x, leading(row_stride), rows, batch));
    else if constexpr (Order == operand_order::row_contiguous)
        return k == 0 || ((row_stride == 1 || rows == 1) && has_aligned_rows(x, leading(k_stride), k, batch));
    else
        return true;
}

template <operand_order Order>
status wrong_order(const char* operand, const char* rows)
{
    return status(status_code::unsupported, "the kernel needs ")
           << operand << " with stride 1 along " << (Order == operand_order::k_contiguous ? "k" : rows)
           << ", its vectors at multiples of 16 bytes; use the element-wise kernel";
}

/// Whether C, and what the epilogue reads with it, lie as the kernel writes them.
template <class Kernel, class Arguments>
status check_vectors_of_c(const Arguments& p)
{
    if (Kernel::vector_c && !writes_vectors(p))
        return {status_code::unsupported, "the kernel needs a C, and a source of its epilogue, with column stride 1 "
                                          "and rows at multiples of 16 bytes; use the element-wise kernel"};
    return {};
}

/// Whether the tensor data mover loads A or B: it takes negative leading strides, buffer loads do not.
template <class Tile, operand_order Order>
inline constexpr bool a_uses_tile_loads = Tile::template a_loader<Order>::by_tiles;
template <class Tile>
inline constexpr bool a_uses_tile_loads<Tile, operand_order::any> = false;
template <class Tile, operand_order Order>
inline constexpr bool b_uses_tile_loads = Tile::template b_loader<Order>::by_tiles;
template <class Tile>
inline constexpr bool b_uses_tile_loads<Tile, operand_order::any> = false;

/// Whether operands and C lie in memory as the kernel reads and writes them. Precondition: check_arguments.
///
/// k_of_b  elements of B along k, fewer than k if some are packed
template <class Kernel, class Arguments>
status check_orders(const Arguments& p, long_index_t k_of_b)
{
    if (p.m == 0 || p.n == 0 || p.batch == 0)
        return {};
    if (!lies_in<Kernel::order_a>(p.a, p.a.row_stride, p.a.column_stride, p.m, p.k, p.batch,
                                  a_uses_tile_loads<typename Kernel::tile, Kernel::order_a>))
        return wrong_order<Kernel::order_a>("an A", "m");
    if (!lies_in<Kernel::order_b>(p.b, p.b.column_stride, p.b.row_stride, p.n, k_of_b, p.batch,
                                  b_uses_tile_loads<typename Kernel::tile, Kernel::order_b>))
        return wrong_order<Kernel::order_b>("a B", "n");
    return check_vectors_of_c<Kernel>(p);
}

} // namespace internal

/// Names all memory that a kernel with these arguments may touch: operands, C, and what the epilogue's parts access.
template <class Arguments, class Memory>
void add_product(const Arguments& args, Memory& memory)
{
    args.memory(memory);
    epilogue::add_part_memory(args.epilogue, epilogue::extents_of(args), memory);
}

/// The protocol (kernel/protocol.hpp) of a kernel of one launch whose arguments are a product's.
template <class Arguments>
struct product_protocol
{
    static constexpr const char* name = "gemm";

    /// Errors: those of can_implement and check_epilogue.
    static status check(const Arguments& args) { return check_arguments(args); }
    /// Sets k to 0 if alpha is 0.
    static Arguments normalize(const Arguments& args) { return tegula::normalize(args); }
    template <class Memory>
    static void memory(const Arguments& args, Memory& memory)
    {
        add_product(args, memory);
    }
};

/// The protocol of a family of kernels that picks one by the arguments: Kernels::dispatch(arguments, launch).
template <class Kernels, class Arguments>
struct kernel_picker : product_protocol<Arguments>
{
    template <class Launcher>
    status launches(const Arguments& args, Launcher& launch) const
    {
        return Kernels::dispatch(args, [&](auto kernel) { return launch.start(kernel, args); });
    }
};

} // namespace tegula
