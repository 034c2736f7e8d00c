#pragma once

#include <tegula/arch/amd/column_read.hpp>
#include <tegula/block/slice_reader.hpp>
#include <tegula/block/tile_ring_loop.hpp>

namespace tegula {

/// How a tile of rows of 8- or 16-bit elements lies in shared memory if one product reads it along its rows and another across
/// them. Rows follow each other without padding. The number of a 16-byte chunk is XORed with a key of its row.
///
/// On gfx950 16 lanes read a chunk each at a time, out of rows whose numbers differ modulo 16. 32 lanes of a transposing
/// read take 64 bytes out of each of four neighbouring rows. Where elements have 8 bits, they take 32 bytes out of each of
/// eight neighbouring rows. Each of these reads fills the 256 bytes of all banks: the keys of 16 rows differ, those of these
/// neighbours already in the bits that a read does not go through.
/// Two rows of 128 bytes or four of 64 fill the banks side by side.
template <index_t Columns, index_t ElementBytes>
struct two_way_layout
{
    static constexpr index_t chunk = 16 / ElementBytes;  ///< elements
    static constexpr index_t chunks = Columns / chunk;   ///< of a row
    static constexpr index_t mask = min(chunks, 16) - 1; ///< bits of a chunk's number that are exchanged
    static_assert(chunks >= (ElementBytes == 1 ? 4 : 8) && is_power_of_two(Columns),
                  "tegula: rows of bytes are 64 times a power of two, others 128 bytes times one");

    static constexpr TEGULA_HOST_DEVICE index_t key(index_t row)
    {
        if constexpr (ElementBytes == 1) // four bits in reverse, as far as a row has chunks
            return ((row & 1) << 3 | (row & 2) << 1 | (row >> 1 & 2) | (row >> 3 & 1)) & mask;
        else if constexpr (chunks == 8)
            return (row & 2) << 1 | (row >> 2 & 3);
        else
            return (row & 3) << 2 | (row >> 2 & 3);
    }
    /// Offset of element (row, column), in elements.
    static constexpr TEGULA_HOST_DEVICE index_t offset(index_t row, index_t column)
    {
        return row * Columns + (column ^ key(row) * chunk);
    }
};

/// row_tiles of 8- or 16-bit elements that come straight into shared memory, on targets with direct loads and with reads that
/// transpose (read_column). Both products read the same copy.
///
///   AlongDistribution   of the first product's B, [Rows, slice_k]
///   AcrossDistribution  of the second's, [Columns, slice_k] of rows; or void
template <class Target, class Element, index_t Rows, index_t Columns, int Waves, class AlongDistribution,
          class AcrossDistribution, int Stages>
struct direct_row_loader
{
    static constexpr index_t element_bytes = sizeof(Element);
    static_assert(element_bytes <= 2);
    static constexpr index_t chunk = 16 / element_bytes;                ///< elements per lane and load
    static constexpr index_t load_elements = Target::wave_size * chunk; ///< elements per wave and load
    static constexpr int loads = static_cast<int>(Rows * Columns / (Waves * load_elements));
    static_assert(loads * Waves * load_elements == Rows * Columns,
                  "tegula: direct loads fill whole tiles; use powers of two for rows, columns and waves");
    static constexpr index_t tile_elements = Rows * Columns;
    static constexpr index_t bytes = Stages * element_bytes * tile_elements;
    static constexpr ring_loads loads_by = ring_loads::direct;

    struct shared
    {
        static constexpr two_way_layout<Columns, element_bytes> layout{};
    };
    using places = detail::shared_places<shared, Element>;
    using along_reader = slice_reader<Target, Element, AlongDistribution, shared>;

    using word = std::conditional_t<element_bytes == 1, std::uint8_t, std::uint16_t>;
    static constexpr index_t depth = 8 / element_bytes; ///< rows of a transposing read
    static constexpr index_t lanes_of_row = 16 / depth; ///< that address one of these rows

    /// Reads slices of the product over the rows, in two transposing reads for each vector of 2 * depth rows.
    template <class Distribution>
    struct transposing_reader
    {
        using slice = distributed_tensor<Element, Distribution>;
        using plan = access_plan<Distribution, 1, static_cast<int>(chunk)>;

        const std::byte* tile;
        std::uint32_t lane_place;

        TEGULA_INLINE explicit transposing_reader(const Element* first)
            : tile(reinterpret_cast<const std::byte*>(first)),
              lane_place(static_cast<std::uint32_t>(place_of(partition_index<Target, Distribution>())))
        {}

        /// The registers of part `Part` of `Parts` of the slice of rows from K0 on.
        template <int K0, int Part = 0, int Parts = 1>
        TEGULA_INLINE auto read() const
        {
            constexpr int accesses = plan::accesses / Parts;
            static_assert(plan::accesses % Parts == 0);
            array<std::uint32_t, sizeof(slice) / 4 / Parts> words;
            static_for<accesses>([&](auto i) {
                static_for<2>([&](auto half) {
                    constexpr int a = Part * accesses + decltype(i)::value;
                    constexpr int first = (plan::register_of(a, 0) - plan::register_of(Part * accesses, 0)) *
                                              static_cast<int>(element_bytes) / 4 +
                                          2 * half;
                    constexpr index_t step = step_place(a, K0, half);
                    const std::uint32_t place = (lane_place ^ static_cast<std::uint32_t>(step & places::chunk_bits)) +
                                                static_cast<std::uint32_t>(step & ~places::chunk_bits);
                    const auto column = arch::amd::read_column<word>(tile + place);
                    const auto two = __builtin_bit_cast(array<std::uint32_t, 2>, column);
                    words[first] = two[0];
                    words[first + 1] = two[1];
                });
            });
            return words;
        }

        /// The place that a lane addresses for a vector whose first element in its own registers is at origin(p): lane
        /// lanes_of_row * r + q of sixteen addresses row r of the columns of lanes depth * q and following.
        static constexpr TEGULA_HOST_DEVICE index_t place_of(const multi_index<2>& p)
        {
            const index_t of_sixteen = p[1] % 16;
            const auto x = Distribution::origin({p[0], p[1] - of_sixteen + of_sixteen % lanes_of_row * depth});
            return places::place(x[1] + of_sixteen / lanes_of_row, x[0]);
        }
        static consteval index_t step_place(int a, int k0, int half)
        {
            return places::place(plan::step(a)[1] + k0 + depth * half, plan::step(a)[0]);
        }
        /// Whether lanes have the columns that transposing reads give them, and steps lead to each access.
        static consteval bool reads_columns()
        {
            if (plan::vector != chunk || Distribution::x_length(1) % (2 * chunk) != 0)
                return false;
            for (int a = 0; a < plan::accesses; ++a)
                if (plan::register_of(a, plan::vector - 1) != plan::register_of(a, 0) + plan::vector - 1)
                    return false;
            for (index_t wave = 0; wave < Distribution::p_length(0); ++wave)
                for (index_t lane = 0; lane < 64; ++lane) {
                    const auto x = Distribution::origin({wave, lane});
                    const auto first = Distribution::origin({wave, lane - lane % depth});
                    const auto sixteen = Distribution::origin({wave, lane - lane % 16});
                    if (x[0] != first[0] + lane % depth || first[0] % depth != 0 || x[1] != sixteen[1] ||
                        x[1] % chunk != 0)
                        return false;
                    const auto addressed = Distribution::origin({wave, lane - lane % 16 + lane % lanes_of_row * depth});
                    const index_t own = place_of({wave, lane});
                    for (index_t k0 = 0; k0 < Rows; k0 += Distribution::x_length(1))
                        for (int a = 0; a < plan::accesses; ++a)
                            for (int half = 0; half < 2; ++half) {
                                const index_t step = step_place(a, static_cast<int>(k0), half);
                                if ((own ^ (step & places::chunk_bits)) + (step & ~places::chunk_bits) !=
                                    places::place(addressed[1] + lane % 16 / lanes_of_row + plan::step(a)[1] + k0 +
                                                      depth * half,
                                                  addressed[0] + plan::step(a)[0]))
                                    return false;
                            }
                }
            return true;
        }
        /// Bank conflicts of a wave that reads the tile once; a transposing read counts as a read of 8 bytes per lane.
        static consteval int count_conflicts()
        {
            int n = 0;
            for (index_t k0 = 0; k0 < Rows; k0 += Distribution::x_length(1))
                for (int a = 0; a < plan::accesses; ++a)
                    for (int half = 0; half < 2; ++half) {
                        index_t addresses[64]{};
                        const index_t step = step_place(a, static_cast<int>(k0), half);
                        for (int lane = 0; lane < 64; ++lane)
                            addresses[lane] =
                                (place_of({0, lane}) ^ (step & places::chunk_bits)) + (step & ~places::chunk_bits);
                        n += conflict_cycles(Target::chip(), access_kind::load, 8, addresses, ~std::uint64_t{0});
                    }
            return n;
        }
    };
    static constexpr bool reads_across = !std::is_void_v<AcrossDistribution>;
    using across_reader = transposing_reader<std::conditional_t<reads_across, AcrossDistribution, AlongDistribution>>;

    /// Whether both products can read the layout.
    static consteval bool reads()
    {
        if constexpr (!along_reader::reads_vectors() || !along_reader::places_divide(Columns))
            return false;
        else if constexpr (reads_across)
            return across_reader::reads_columns();
        else
            return true;
    }
    static constexpr int conflicts = computed_once<along_reader::count_conflicts(Columns)> + [] {
        if constexpr (reads_across)
            return computed_once<across_reader::count_conflicts()>;
        else
            return 0;
    }();

    long_index_t wave_first;      ///< where the wave's first load begins in a tile, in elements
    std::uint32_t offsets[loads]; ///< of the lane's loads, in bytes from the tile's first element
    std::uint32_t row_bytes;      ///< from row to row
    std::uint32_t inside_bytes;   ///< of a row
    Element* ring;
    const char* name;

    /// stride   elements from row to row, a multiple of 16 bytes; Rows of them are below 2^31 bytes
    /// columns  columns of the matrix, at most Columns; a multiple of 16 bytes
    /// memory   `bytes` bytes of shared memory
    TEGULA_INLINE direct_row_loader(long_index_t stride, index_t columns, std::byte* memory, const char* matrix_name)
        : wave_first(Target::wave_id() * loads * load_elements),
          row_bytes(static_cast<std::uint32_t>(element_bytes * stride)),
          inside_bytes(static_cast<std::uint32_t>(element_bytes * columns)), ring(reinterpret_cast<Element*>(memory)),
          name(matrix_name)
    {
        static_for<loads>([&](auto i) {
            const index_t place = place_of_lane(i);
            const index_t row = place / Columns, column = place % Columns ^ shared::layout.key(row) * chunk;
            const std::uint32_t there =
                static_cast<std::uint32_t>(row) * row_bytes + static_cast<std::uint32_t>(element_bytes * column);
            offsets[i] = choose(column >= columns, 0x80000000u, there); // no buffer reaches so far
        });
    }

    /// Starts the tile of `extent` rows from *tile on, or of Rows if there are more, to stage `slot`, which nobody reads.
    /// Rows that do not exist arrive as zeros. It is there for all waves after direct_barrier().
    TEGULA_INLINE void load(int slot, const Element* tile, index_t extent) const
    {
        const index_t rows = min(extent, Rows);
        const std::uint32_t end = rows > 0 ? static_cast<std::uint32_t>(rows - 1) * row_bytes + inside_bytes : 0;
        Element* const first = ring + slot * tile_elements + wave_first;
        static_for<loads>([&](auto i) {
            if (Target::labels_enabled()) {
                const index_t place = place_of_lane(i);
                const index_t x[2] = {place / Columns, place % Columns};
                Target::set_element(name, x, 2, tile);
            }
            Target::template load_direct<0, false>({tile, end}, offsets[i], first + i * load_elements);
        });
    }
    TEGULA_INLINE void store(int) const {}

    TEGULA_INLINE auto along(int slot) const { return along_reader(ring + slot * tile_elements); }
    TEGULA_INLINE auto across(int slot) const { return across_reader(ring + slot * tile_elements); }

private:
    /// Where the lane's part of load i begins in a tile, in elements.
    TEGULA_INLINE index_t place_of_lane(index_t i) const
    {
        return static_cast<index_t>(wave_first) + i * load_elements + Target::lane_id() * chunk;
    }
};

} // namespace tegula
