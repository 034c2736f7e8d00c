#pragma once

#include <tegula/block/operand_loader.hpp>
#include <tegula/core/math.hpp>

namespace tegula {

/// An operand_loader whose whole tiles come straight into shared memory, on targets with direct loads, for operands whose
/// k is contiguous.
///
/// A wave's direct load fills 1024 consecutive bytes. So the layout's swizzle is applied to the addresses in global
/// memory: the XOR of a chunk's number inside its line of 128 bytes is its own inverse. Ragged tiles come through
/// registers, written at once: their slot is free when they are loaded.
///
/// Together: loads that share one base address: their constant offsets are below 4096 bytes
template <class Target, class Element, index_t Rows, index_t K, int Waves, class ReadDistribution, int Together = 4>
struct direct_loader : operand_loader<Target, Element, Rows, K, Waves, operand_order::k_contiguous, ReadDistribution>
{
    using loader = operand_loader<Target, Element, Rows, K, Waves, operand_order::k_contiguous, ReadDistribution>;

    using target = Target;

    static constexpr index_t tile_k = K;
    static constexpr index_t chunk = 16 / static_cast<index_t>(sizeof(Element));
    static constexpr index_t load_elements = Target::wave_size * chunk; ///< elements per wave and load
    /// Direct loads per wave for a tile.
    static constexpr int loads = static_cast<int>(Rows * K / (Waves * load_elements));
    static constexpr int reads_of_slice = loader::read_window::plan::accesses; ///< reads of a slice from shared memory
    static_assert(loads * Waves * load_elements == Rows * K && loader::shared::layout.pitch == K,
                  "tegula: direct loads fill whole tiles without padding; use powers of two for the rows, k and waves "
                  "of the block tile");

    index_t wave_first; ///< where the wave's first load begins in a tile, in elements
    /// Offsets of the lane's loads in bytes from the tile's first element, less what each load adds to both addresses.
    std::uint32_t offsets[loads];

    TEGULA_INLINE direct_loader(const operand_source<Element>& s, index_t row, Element* first_tile)
        : loader(s, row, first_tile), wave_first(Target::wave_id() * loads * load_elements)
    {
        static_for<loads>([&](auto i) {
            const multi_index<2> x = element_of(i);
            offsets[i] =
                static_cast<std::uint32_t>((x[0] * s.row_stride + x[1]) * static_cast<long_index_t>(sizeof(Element))) -
                static_cast<std::uint32_t>(bytes_further(i));
        });
    }

    /// Offsets of loads that share an address would be below 0 if rows overlapped.
    TEGULA_INLINE bool has_whole_tiles() const
    {
        return loader::has_whole_tiles() && (Together == 1 || this->operand.row_stride >= K);
    }

    TEGULA_INLINE void load_stage(int slot)
    {
        Element* const first = this->ring + slot * loader::tile_elements + wave_first;
        static_for<loads>([&](auto i) {
            Target::template load_direct<bytes_further(i)>({this->reader.data, this->reader.end}, offsets[i],
                                                           first + i / Together * Together * load_elements);
        });
        this->reader.next();
    }
    TEGULA_INLINE void load_edge_stage(int slot, index_t step)
    {
        loader::template load_edge_stage<true>(slot, step);
        loader::store_stage(slot);
    }
    TEGULA_INLINE void store_stage(int) const {}

    /// Lets the reads behind compute their places again, rather than keep them through a loop.
    TEGULA_INLINE void forget_places()
    {
        Target::make_opaque(this->slices.coordinate.position[0]);
        Target::make_opaque(this->slices.coordinate.position[1]);
    }

protected:
    /// Row and k, in a tile, of the first element of the lane's load i.
    TEGULA_INLINE multi_index<2> element_of(int i) const
    {
        return element_at(wave_first + i * load_elements + Target::lane_id() * chunk);
    }
    static constexpr TEGULA_HOST_DEVICE multi_index<2> element_at(index_t place)
    {
        constexpr shared_layout_value layout = loader::shared::layout;
        const index_t from = layout.offset(place / K, place % K);
        return {from / K, from % K};
    }

private:
    static constexpr int bytes_further(int i) { return i % Together * Target::wave_size * 16; }
};

} // namespace tegula
