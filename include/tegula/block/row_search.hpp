#pragma once

#include <tegula/core/array.hpp>
#include <tegula/core/math.hpp>
#include <tegula/core/static_for.hpp>
#include <tegula/tensor/partition.hpp>

namespace tegula {

/// How the lanes of a wave find the rows that they load if these lie anywhere, as in pages of a few keys. Lanes that load
/// different columns of the same rows share the search: each finds `found` of the rows, and the others get them by
/// exchanges. A row is a position of the sequence, whichever way the tile lies.
///
///   Distribution, Plan  of the tile that is loaded: its distribution and access_plan
///   Along               the dimension of the sequence
template <class Target, class Distribution, class Plan, int Along>
struct row_search
{
private:
    static constexpr int lane_p = Distribution::num_p - 1;

    static consteval index_t first_of(int wave, int lane)
    {
        multi_index<Distribution::num_p> p{};
        p[lane_p] = lane;
        p[0] += lane_p > 0 ? wave : wave * Target::wave_size;
        return Distribution::origin(p)[Along];
    }
    /// Neighbouring bits of a lane's number on which its rows do not depend.
    static consteval int find_sharing_bits()
    {
        int bits = 0;
        for (int bit = 1; bit < Target::wave_size; bit *= 2)
            if (first_of(0, bit) == 0)
                bits |= bit;
        const int lowest = bits & -bits;
        return bits & ~(bits + lowest);
    }
    static consteval index_t find_spacing()
    {
        index_t least = 0;
        for (int a = 0; a < Plan::accesses; ++a)
            if (const index_t step = Plan::step(a)[Along]; step > 0 && (least == 0 || step < least))
                least = step;
        return least;
    }
    static consteval int count_rows()
    {
        index_t last = 0;
        for (int a = 0; a < Plan::accesses; ++a)
            last = max(last, Plan::step(a)[Along]);
        return last == 0 ? 1 : static_cast<int>(last / find_spacing()) + 1;
    }

    static constexpr int sharing_bits = find_sharing_bits();
    static constexpr int lowest_bit = sharing_bits == 0 ? Target::wave_size : sharing_bits & -sharing_bits;
    static constexpr int sharers = sharing_bits / lowest_bit + 1; ///< lanes that load the same rows
    static constexpr index_t spacing = find_spacing();            ///< of the rows of a lane

public:
    static constexpr int rows = count_rows(); ///< that a lane loads
    static constexpr int found = ceil_div(rows, sharers);

    /// The row, in [0, rows), `step` positions behind the first that the lane loads.
    static constexpr TEGULA_INLINE int row_at(index_t step)
    {
        return static_cast<int>(step / max(spacing, index_t{1}));
    }

    /// The position in the tile of the n-th row that this lane finds; lanes with nothing to find repeat one of another.
    ///
    ///   first  position of the first row that the lane loads
    static TEGULA_INLINE index_t position(index_t first, int n)
    {
        const int index = Target::lane_id() / lowest_bit % sharers + n * sharers;
        return first + index % rows * spacing;
    }

    /// Results of the search for all rows that this lane loads, in order; every lane of the wave calls it.
    template <class T>
    static TEGULA_INLINE array<T, rows> exchange(const array<T, found>& mine)
    {
        index_t lane = Target::lane_id() & ~sharing_bits;
        if constexpr (sharers > 1)
            Target::make_opaque(lane); // a loop would hold the number of each lane that is asked
        array<T, rows> all;
        static_for<rows>([&](auto row) {
            constexpr int finder = row % sharers * lowest_bit;
            if constexpr (sharers == 1)
                all[row] = mine[row];
            else
                all[row] = Target::shuffle(mine[row / sharers], lane + finder);
        });
        return all;
    }

    /// Whether each lane finds the same rows in the search of another loader of the same waves.
    template <class Other>
    static consteval bool finds_rows_of()
    {
        bool same = Other::rows == rows && Other::spacing == spacing && Other::sharing_bits == sharing_bits;
        for (int wave = 0; wave < Distribution::partition_size / Target::wave_size; ++wave)
            for (int lane = 0; same && lane < Target::wave_size; ++lane)
                same = Other::first_of(wave, lane) == first_of(wave, lane);
        return same;
    }

private:
    template <class, class, class, int>
    friend struct row_search;
};

} // namespace tegula
