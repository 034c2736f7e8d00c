#pragma once

#include <tegula/block/row_tiles.hpp>

namespace tegula {

/// A sequence_loader of rows that direct_row_loader brings straight into shared memory.
///
///   Swaps   whether the caller swaps places: the next tile is loaded while one is read
///   Along   of the product over the columns, as AlongDistribution there
///   Across  void, or of the product over the rows, which then reads the tile alone
template <class Target, class Element, index_t Rows, index_t Columns, int Waves, class Along, class Across, bool Swaps>
struct direct_sequence_loader : direct_row_loader<Target, Element, Rows, Columns, Waves, Along, Across, 1>
{
    using base = direct_row_loader<Target, Element, Rows, Columns, Waves, Along, Across, 1>;

    struct shared
    {
        static constexpr int conflicts = base::conflicts;
    };
    static constexpr bool instruction_order = false;
    static constexpr bool buffered = true;

    using base::base;

    /// As in sequence_loader. The tile that is read meanwhile must lie elsewhere.
    TEGULA_INLINE void load(const Element* tile, index_t extent) const
    {
        base to = *this;
        if constexpr (!Swaps) // the compiler would hold the place of each load in a scalar register
            Target::make_opaque(to.wave_first);
        to.load(0, tile, extent);
    }
    TEGULA_INLINE void store() const {}
    static TEGULA_INLINE void arrive() { Target::template direct_barrier<0>(); }
    TEGULA_INLINE auto stream() const
    {
        if constexpr (base::reads_across)
            return base::across(0);
        else
            return base::along(0);
    }
};

} // namespace tegula
