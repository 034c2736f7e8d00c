#pragma once

#include <tegula/core/math.hpp>
#include <tegula/tensor/partition.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

/// The scales of one block's tile of C in a block-scaled product. Strides in elements.
struct block_scale_source
{
    const float* a = nullptr; ///< [rows, groups], from the block's first row on
    long_index_t a_row_stride = 0;
    long_index_t a_group_stride = 0;
    const float* b = nullptr; ///< [groups], shared by the block's columns
    long_index_t b_group_stride = 0;
    index_t rows = 0;   ///< rows of A from the block's first row on
    index_t groups = 0; ///< groups along k

    /// The scales without the first `count` groups.
    TEGULA_INLINE block_scale_source behind(index_t count) const
    {
        block_scale_source s = *this;
        s.a += count * a_group_stride;
        s.b += count * b_group_stride;
        s.groups -= count;
        return s;
    }
};

/// The scales of a lane's part of a tile of C in a block-scaled product, a group ahead of their use.
///
///   Target        the target whose waves hold the tile
///   Distribution  which lane holds which element of the tile [rows, columns]; its columns share a scale of B
template <class Target, class Distribution>
class block_scales
{
    static constexpr int registers = Distribution::num_registers;

    /// Which of a lane's rows each register is in, and where those rows are.
    struct row_table
    {
        int count = 0;
        index_t offset[registers]{};
        int of_register[registers]{};
    };
    static consteval row_table make_rows()
    {
        row_table t;
        for (int n = 0; n < registers; ++n) {
            const auto x = Distribution::step(n);
            int slot = 0;
            while (slot < t.count && t.offset[slot] != x[0])
                ++slot;
            t.offset[slot] = x[0];
            t.count = slot == t.count ? slot + 1 : t.count;
            t.of_register[Distribution::register_at(x)] = slot;
        }
        return t;
    }
    static constexpr row_table table = make_rows();
    static consteval index_t row_offset(int slot) { return table.offset[slot]; }

public:
    static constexpr int rows_a_lane = table.count;
    using factors = array<float, rows_a_lane>;

    TEGULA_INLINE block_scales() : first_row_(Distribution::origin(partition_index<Target, Distribution>())[0]) {}

    /// The scales from the lane's first row on. Rows past A's last one take its scales; their sums are not stored.
    TEGULA_INLINE block_scale_source of_lane(const block_scale_source& source) const
    {
        block_scale_source s = source;
        const index_t row = min(first_row_, source.rows - 1);
        s.a += row * source.a_row_stride;
        s.rows -= row;
        return s;
    }

    /// Loads the scales of the first group of `source`, which of_lane() returned; 0 if there is no group.
    TEGULA_INLINE void load(const block_scale_source& source)
    {
        const bool exists = source.groups > 0;
        static_for<rows_a_lane>([&](auto slot) {
            constexpr index_t offset = row_offset(slot);
            const float* at = source.a;
            if constexpr (offset > 0)
                at += min(offset, source.rows - 1) * source.a_row_stride;
            rows_[slot] = internal::read_scalar<Target>(at, exists);
        });
        column_ = internal::read_scalar<Target>(source.b, exists);
    }

    /// The products of the loaded scales, one for each of the lane's rows.
    TEGULA_INLINE factors products() const
    {
        factors f;
        static_for<rows_a_lane>([&](auto slot) { f[slot] = rows_[slot] * column_; });
        return f;
    }

    /// The index in products() for register r of the distribution.
    static consteval int slot_of(int r) { return table.of_register[r]; }

private:
    index_t first_row_;
    factors rows_;
    float column_;
};

} // namespace tegula
