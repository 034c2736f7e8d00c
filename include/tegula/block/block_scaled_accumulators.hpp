#pragma once

#include <tegula/block/mma_tile.hpp>
#include <tegula/tensor/partition.hpp>
#include <tegula/tensor/vector_access.hpp>

namespace tegula {

/// The scales of one block's tile of C in a block-scaled product. Strides in elements.
struct block_scale_source
{
    const float* a = nullptr; ///< [rows, groups], those of the block's first row first
    long_index_t a_row_stride = 0;
    long_index_t a_group_stride = 0;
    const float* b = nullptr; ///< [groups], those of the block's columns
    long_index_t b_group_stride = 0;
    index_t rows = 0;   ///< of A from the block's first row on
    index_t groups = 0; ///< of k
};

/// Accumulators of two levels: products of Group neighbours along k are summed by the matrix instructions, the sums
/// scaled and added to the total in float.
///
/// total[m][n] = sum over groups g of a[m][g] * b[g] * (sum over k in g of A[m][k] B[k][n])
///
/// A k loop runs it as the Mma's accumulators, which it derives from: the sums of the group at hand.
///
/// Source is a function object that gives the block_scale_source; it is called for each group, so that scalar registers
/// need not keep it.
template <class Mma, index_t BlockK, index_t Group, class Source>
struct block_scaled_accumulators : Mma::accumulators
{
    using target = typename Mma::target;
    using distribution = typename Mma::c_distribution;
    static_assert(std::is_same_v<typename Mma::c_type, float>, "tegula: block scales are for products summed in float");
    static_assert(Group % BlockK == 0,
                  "tegula: block_k must divide the 128 elements of k that share a scale; use a smaller block_k");

    static constexpr index_t steps_a_group = Group / BlockK;
    static constexpr int registers = distribution::num_registers;

private:
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
            const auto x = distribution::step(n);
            int slot = 0;
            while (slot < t.count && t.offset[slot] != x[0])
                ++slot;
            t.offset[slot] = x[0];
            t.count = slot == t.count ? slot + 1 : t.count;
            t.of_register[distribution::register_at(x)] = slot;
        }
        return t;
    }
    static constexpr row_table table = make_rows();
    static consteval index_t row_offset(int slot) { return table.offset[slot]; }
    static consteval int slot_of(int r) { return table.of_register[r]; }

public:
    static constexpr int rows_a_lane = table.count;

    typename Mma::accumulators total;

    TEGULA_INLINE explicit block_scaled_accumulators(const Source& s)
        : scales_at(s), first_row(distribution::origin(partition_index<target, distribution>())[0])
    {
        this->clear();
        total.clear();
        load_scales();
    }

    /// One step of BlockK went into the accumulators.
    TEGULA_INLINE void end_step()
    {
        if (++step == steps_a_group)
            add_group();
    }

    /// Adds what is left of a last group that is shorter.
    TEGULA_INLINE void finish()
    {
        if (step != 0)
            add_group();
    }

private:
    Source scales_at;
    index_t first_row;
    index_t step = 0;
    index_t group = 0;
    array<float, rows_a_lane> row_scales;
    float column_scale;

    /// The scales of the group that comes, a group ahead of their use.
    TEGULA_INLINE void load_scales()
    {
        const block_scale_source source = scales_at();
        const bool exists = group < source.groups;
        static_for<rows_a_lane>([&](auto slot) {
            constexpr index_t offset = row_offset(slot);
            const index_t row = first_row + offset;
            row_scales[slot] =
                read(source.a + row * source.a_row_stride + group * source.a_group_stride, exists && row < source.rows);
        });
        column_scale = read(source.b + group * source.b_group_stride, exists);
    }

    static TEGULA_INLINE float read(const float* from, bool active)
    {
        return internal::read_vector<target, address_space::global, 1>(from, active)[0];
    }

    TEGULA_INLINE void add_group()
    {
        static_for<rows_a_lane>([&](auto slot) { row_scales[slot] = row_scales[slot] * column_scale; });
        constexpr int count = Mma::accumulators::tile::size();
        static_for<registers>([&](auto r) {
            constexpr int slot = slot_of(r);
            float& sum = total.tiles[r / count][r % count];
            sum = sum + row_scales[slot] * this->tiles[r / count][r % count];
        });
        this->clear();
        step = 0;
        ++group;
        load_scales();
    }
};

} // namespace tegula
