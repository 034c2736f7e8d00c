#pragma once

#include <tegula/arch/nvidia/tma.hpp>
#include <tegula/kernel/gemm/forms/partials.hpp>
#include <tegula/kernel/gemm/warp_specialized/work.hpp>

/// The arguments of warp_specialized_gemm and tcgen05_gemm: a product and its tensor maps, or a list of such.

namespace tegula {

/// The batch's coordinate in a tensor map: 0 if all products of the batch share one matrix.
template <class Matrix>
TEGULA_INLINE index_t batch_coordinate(const Matrix& x, long_index_t batch)
{
    return x.batch_stride == 0 ? 0 : static_cast<index_t>(batch);
}

/// The first weight of a gated product's B; the operand itself of others.
template <class Operand>
constexpr TEGULA_HOST_DEVICE const auto& first_weight(const Operand& x)
{
    if constexpr (requires { x.gate; })
        return x.gate;
    else
        return x;
}

/// Coordinates of a copy of an operand along k and of the batch.
struct copied_place
{
    index_t k, batch;

    /// For operand x. One of several slices along k has these in the place of the batch; a step lies in one of them.
    template <class Operand>
    static TEGULA_INLINE copied_place of(const Operand& x, index_t k, long_index_t batch)
    {
        if constexpr (requires { x.slice_k; })
            return {k % x.slice_k, k / x.slice_k};
        else
            return {k, batch_coordinate(x, batch)};
    }
};

/// The maps of the scales of block-scaled operands.
struct scale_maps
{
    tensor_map left_scales;
    tensor_map right_scales;
};
struct no_scale_maps
{};
/// The map of C0, if the kernel prefetches it.
struct source_map
{
    tensor_map source;
};
struct no_source_map
{};
/// The map of the second weight of a gated product.
struct gate_map
{
    tensor_map up;
};
struct no_gate_map
{};
/// Where partial sums go, if the k of tiles is shared.
struct partial_arguments
{
    gemm_workspace workspace;
    tensor_map parts; ///< [slots, block_m, block_n]
};
struct no_partial_arguments
{};

/// A product and the maps of its matrices.
template <class Product, bool BlockScaled, bool BringsSource = false, bool Gates = false>
struct mapped_product : std::conditional_t<BlockScaled, scale_maps, no_scale_maps>,
                        std::conditional_t<BringsSource, source_map, no_source_map>,
                        std::conditional_t<Gates, gate_map, no_gate_map>
{
    Product product;
    tensor_map left; ///< the operand that gives the instruction's rows
    tensor_map right;
    tensor_map c; ///< used if tensor copies write C
};

/// The arguments of a kernel for one product.
template <class Mapped, bool HasPartials>
struct planned_product : Mapped, std::conditional_t<HasPartials, partial_arguments, no_partial_arguments>
{
    work_plan plan;
};

/// A product of a list.
template <class Mapped>
struct listed_product : Mapped
{
    index_t steps; ///< ceil(k / block_k)
};

/// The arguments of a kernel of work_partition::list: the arrays of fill_list, in memory that the kernel reads.
template <class Listed>
struct listed_products
{
    const Listed* products = nullptr;    ///< [count]
    const index_t* first_tile = nullptr; ///< [count + 1], cluster tiles of the products before
    index_t count = 0;
    work_plan plan;
};

/// Finds the product of each piece of work, as one reader goes through the pieces of a work_queue.
template <work_partition Partition>
class product_finder
{
public:
    /// The kernel's one product, or the product of a list that has tile `work.tile` of the whole list. In a list,
    /// work.tile then becomes the tile's number in that product, and work.last the product's steps.
    template <class Arguments>
    TEGULA_INLINE const auto& find(const Arguments& args, cluster_work& work)
    {
        if constexpr (Partition != work_partition::list) {
            return args;
        } else {
            index_t low = max(product_, 0), high = args.count;
            TEGULA_ROLLED
            while (high - low > 1) {
                const index_t middle = low + (high - low) / 2;
                (args.first_tile[middle] <= work.tile ? low : high) = middle;
            }
            changed_ = low != product_;
            product_ = low;
            const auto& one = args.products[low];
            work.tile -= args.first_tile[low];
            work.last = one.steps;
            return one;
        }
    }
    /// Whether the last find() gave another product than the one before. Its maps must then be acquired.
    TEGULA_INLINE bool changed() const { return changed_; }

private:
    index_t product_ = -1;
    bool changed_ = false;
};

/// Called before a reader's first copy of operands by the maps of a listed product.
template <class Operands, class Listed>
TEGULA_INLINE void acquire_operand_maps(const Listed& one)
{
    if constexpr (Operands::copies_left)
        arch::nvidia::acquire_tensor_map(one.left);
    if constexpr (Operands::copies_right)
        arch::nvidia::acquire_tensor_map(one.right);
}

} // namespace tegula
