#pragma once

#include <tegula/block/block_scales.hpp>
#include <tegula/block/warpgroup.hpp>
#include <tegula/core/array.hpp>
#include <tegula/core/rounding.hpp>
#include <tegula/layout/encoding.hpp>

namespace tegula {

/// Adds the sums of a group of k to a total as they are.
class plain_promotion
{
public:
    template <class Product>
    TEGULA_INLINE plain_promotion(const Product&, long_index_t, index_t, index_t, index_t)
    {}

    struct factors
    {
        template <class Sums>
        TEGULA_INLINE void add(Sums& total, const Sums& part) const
        {
            static_for<Sums::size()>([&](auto r) { total[r] += part[r]; });
        }
    };

    TEGULA_INLINE factors next() const { return {}; }
};

/// Adds the sums of a group of k, times the scales of the group, to a total. Each lane loads its scales, a group ahead
/// of their use.
template <class Tile, class Atom, class Product>
class scaled_promotion
{
    using distribution = tile_distribution<std::conditional_t<
        Tile::transposed, transpose_encoding<typename Atom::c_encoding, sequence<1, 0>>, typename Atom::c_encoding>>;
    static constexpr index_t groups_a_step = Tile::block_k / Tile::promote_k;
    using scales_type = block_scales<warpgroup<typename Tile::target>, distribution>;

public:
    /// For the part of C that begins at (row, column) of matrix `batch`, from step `step` of block_k on.
    TEGULA_INLINE scaled_promotion(const Product& p, long_index_t batch, index_t row, index_t column, index_t step)
        : source_(scales_.of_lane(block_scales_at(p, batch, row, column).behind(step * groups_a_step)))
    {
        scales_.load(source_);
    }

    class factors
    {
    public:
        TEGULA_INLINE explicit factors(const scales_type& scales) : of_rows_(scales.products()) {}

        template <class Sums>
        TEGULA_INLINE void add(Sums& total, const Sums& part) const
        {
            static_for<Sums::size()>([&](auto r) {
                constexpr int slot = scales_type::slot_of(r);
                total[r] = multiply_add(of_rows_[slot], part[r], total[r]);
            });
        }

    private:
        typename scales_type::factors of_rows_;
    };

    /// The factors of the next group; also starts to load those of the group after it.
    TEGULA_INLINE factors next()
    {
        const factors f(scales_);
        source_ = source_.behind(1);
        scales_.load(source_);
        return f;
    }

private:
    scales_type scales_;
    block_scale_source source_;
};

namespace detail {
template <class Tile, class Atom, class Product>
using promotion_of = std::conditional_t<Tile::scales_sums, scaled_promotion<Tile, Atom, Product>, plain_promotion>;
} // namespace detail

} // namespace tegula
