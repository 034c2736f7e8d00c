#pragma once

#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/warp_specialized/mapped_product.hpp>

/// Products of each expert's rows with the expert's matrix, by persistent clusters. The host need not know how many rows
/// each expert has: first_row lies in the device's memory, as moe_sort leaves it.

namespace tegula {

/// The arguments of a kernel of work_partition::experts. The product is that of all rows; its B is the matrix of expert
/// 0, with the distance to the next expert's as batch stride. A or its indices, C or its row indices, and the epilogue's
/// values per row are lists over the sorted rows, of which each expert takes its part. The epilogue's `batch` is the
/// expert's first row.
template <class Mapped>
struct expert_products : planned_product<Mapped, false>
{
    const index_t* first_row = nullptr; ///< [experts + 1]
    index_t experts = 0;
};

/// The part of an expert that a tile has. Expert e starts at tile first_row[e] / block_m + e along m: its rows never need
/// more tiles than lie between its start and the next expert's.
template <class Tile>
struct expert_tile
{
    tile_position at; ///< among the tiles of the expert; batch is its first row
    index_t expert, rows;

    /// Tiles along m, those without rows included.
    static constexpr TEGULA_HOST_DEVICE long_index_t tiles_m(long_index_t rows, index_t experts)
    {
        return rows / Tile::block_m + experts;
    }
    /// The expert of tile `tile`, in raster order, of the products of `rows` rows.
    static TEGULA_INLINE expert_tile find(const index_t* first_row, index_t experts, long_index_t rows, index_t tile,
                                          index_t tiles_n)
    {
        expert_tile one{Tile::raster::position(tile, static_cast<index_t>(tiles_m(rows, experts)), tiles_n), 0, 0};
        index_t low = 0, high = experts;
        TEGULA_ROLLED
        while (high - low > 1) {
            const index_t middle = low + (high - low) / 2;
            (first_row[middle] / Tile::block_m + middle <= one.at.m ? low : high) = middle;
        }
        const index_t first = first_row[low];
        one.expert = low;
        one.rows = first_row[low + 1] - first;
        one.at.m -= first / Tile::block_m + low;
        one.at.batch = first;
        return one;
    }
    /// In uniform registers; called by whole waves.
    TEGULA_INLINE expert_tile uniform() const
    {
        using target = typename Tile::target;
        return {{target::uniform(at.m), target::uniform(at.n), target::uniform(static_cast<index_t>(at.batch))},
                target::uniform(expert),
                target::uniform(rows)};
    }
    TEGULA_INLINE bool is_empty() const { return at.m * Tile::block_m >= rows; }

    /// The product of the expert, but for its B.
    template <bool Scatters, class Product>
    TEGULA_INLINE Product part_of(const Product& all) const
    {
        Product p = all;
        const auto first = static_cast<index_t>(at.batch);
        p.m = rows;
        p.a.skip_rows(first);
        if constexpr (Scatters)
            p.c_rows += first;
        else
            p.c.data += first * p.c.row_stride;
        p.c.batch_stride = 0; // the position's batch is for the epilogue alone
        return p;
    }
};

/// Whether the products of experts can be computed. Errors: those of can_implement and check_epilogue; matrices of experts
/// that are wrong.
///
///   product  of all rows, with the matrix of expert 0
///   stride   from an expert's matrix to the next one's, in elements
template <class Product>
status check_experts(const Product& product, const index_t* first_row, index_t experts, long_index_t stride)
{
    if (status s = can_implement(product); !s)
        return s;
    if (product.batch != 1)
        return gemm_checks::invalid("batch is ") << product.batch << "; the products of experts have none, use 1";
    if (experts < 1 || first_row == nullptr)
        return gemm_checks::invalid("experts is ") << experts << "; there is at least 1, with first_row";
    auto b = product.b;
    b.set_batch_stride(stride);
    if (status s = b.check("the matrices of the experts", product.n, product.k, experts); !s)
        return s;
    return check_epilogue(product);
}

} // namespace tegula
