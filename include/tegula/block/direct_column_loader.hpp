#pragma once

#include <tegula/arch/amd/column_read.hpp>
#include <tegula/block/direct_loader.hpp>

namespace tegula {

/// Loads whole tiles of an operand whose rows are contiguous straight into shared memory, on targets with direct loads
/// and with reads that transpose (read_column), for elements of 8 and 16 bits: nothing is transposed in registers.
///
/// In shared memory a tile is K lines of Rows elements. Sixteen rows of a line are a chunk. Lines that one phase of a
/// read accesses differ in line_key; the XOR of a chunk's number with that key puts their chunks in different banks.
///
/// Together: as in direct_loader
template <class Target, class Element, index_t Rows, index_t K, int Waves, class ReadDistribution, int Together = 4>
struct direct_column_loader
{
    using target = Target;

    static constexpr index_t bytes = sizeof(Element);
    static constexpr index_t tile_k = K;
    static_assert(bytes <= 2 && Rows * bytes >= 128 && K * bytes % 32 == 0,
                  "tegula: transposing reads take elements of 8 or 16 bits; give the block tile rows of 128 bytes");

    static constexpr index_t chunk = 16 / bytes;                        ///< elements per lane and load
    static constexpr index_t load_elements = Target::wave_size * chunk; ///< elements per wave and load
    static constexpr int loads = static_cast<int>(Rows * K / (Waves * load_elements));
    static_assert(
        loads * Waves * load_elements == Rows * K,
        "tegula: direct loads fill whole tiles; use powers of two for the rows, k and waves of the block tile");
    static constexpr index_t tile_elements = Rows * K;
    static constexpr bool asynchronous = false; // direct loads are not counted as asynchronous copies
    static constexpr bool buffered = true;
    static constexpr bool instruction_order = false;
    static constexpr bool by_tiles = false;
    static constexpr bool by_mbarriers = false;
    static constexpr int copies_of_stage = 0;

    using word = std::conditional_t<bytes == 1, std::uint8_t, std::uint16_t>;
    using slice = distributed_tensor<Element, ReadDistribution>;
    using plan = access_plan<ReadDistribution, 1, static_cast<int>(chunk)>;
    /// Elements of k in a transposing read; there are two reads for each vector of a slice.
    static constexpr index_t depth = 8 / bytes;
    static constexpr int reads_of_slice = 2 * plan::accesses;

    /// Whether the second 16 lanes have the next rows, of the same k: the instruction has 32 rows.
    static constexpr bool two_chunks =
        ReadDistribution::origin({0, 16})[0] != ReadDistribution::origin(multi_index<2>{0, 0})[0];
    /// The number that a chunk's number is XORed with in line k. 16 lanes read `depth` lines. The next 16 lanes read the
    /// next chunk of these (two_chunks), or others 2 depth lines further. Short lines that fit together in the 256 bytes
    /// of all banks share a key.
    static constexpr TEGULA_HOST_DEVICE index_t line_key(index_t k)
    {
        constexpr index_t lines = max(256 / (Rows * bytes), 1);
        const index_t line = k & (depth - 1);
        return (two_chunks ? 2 * line : line | (k / (2 * depth) & 1) * depth) / lines;
    }
    static constexpr index_t keyed_rows = 16 * min(2 * depth, Rows / 16); ///< rows within which chunks are exchanged
    /// The place of element (row, k), in elements.
    static constexpr TEGULA_HOST_DEVICE index_t place(index_t row, index_t k)
    {
        return k * Rows + (row ^ line_key(k) << 4);
    }

    /// Bank conflicts of a wave that reads the tile once; a transposing read counts as a read of 8 bytes per lane.
    struct shared
    {
        static consteval int count()
        {
            int n = 0;
            for (index_t k0 = 0; k0 < K; k0 += ReadDistribution::x_length(1))
                for (int a = 0; a < plan::accesses; ++a)
                    for (int half = 0; half < 2; ++half) {
                        index_t addresses[64]{};
                        for (int lane = 0; lane < 64; ++lane)
                            addresses[lane] =
                                bytes * (place_of(multi_index<2>{0, lane}) ^ step_xor(a)) + step_add(a, k0, half);
                        n += conflict_cycles(Target::chip(), access_kind::load, 8, addresses, ~std::uint64_t{0});
                    }
            return n;
        }
        static constexpr int conflicts = computed_once<count()>;
    };
    struct staged_tile
    {};

    operand_source<Element> operand;
    index_t first_row;
    const Element* data; ///< first element of the next whole tile
    std::uint32_t end;   ///< end of that tile, in bytes from `data`
    index_t wave_first;  ///< where the wave's first load begins in a tile, in elements
    /// Offsets of the lane's loads in bytes from the tile's first element, less what each load adds to both addresses.
    std::uint32_t offsets[loads];
    index_t lane_place; ///< place of the rows that the lane addresses in a slice, in elements
    Element* ring;
    staged_tile staged;

    TEGULA_INLINE direct_column_loader(const operand_source<Element>& s, index_t row, Element* first_tile)
        : operand(s), first_row(row), data(s.data + row), wave_first(Target::wave_id() * loads * load_elements),
          lane_place(place_of(partition_index<Target, ReadDistribution>())), ring(first_tile)
    {
        const index_t rows = min(s.rows - row, Rows);
        end = static_cast<std::uint32_t>((rows + (K - 1) * s.k_stride) * bytes);
        static_for<loads>([&](auto i) {
            const multi_index<2> x = element_of(i);
            offsets[i] = static_cast<std::uint32_t>((x[0] + x[1] * s.k_stride) * bytes) -
                         static_cast<std::uint32_t>(bytes_further(i));
        });
    }

    /// Vectors must not reach past the last row, and lines must not overlap if loads share an address.
    TEGULA_INLINE bool has_whole_tiles() const
    {
        const index_t rows = operand.rows - first_row;
        return (Together == 1 || operand.k_stride >= Rows) && K * operand.k_stride * bytes < (1L << 31) &&
               (rows >= Rows || rows % chunk == 0);
    }

    TEGULA_INLINE void load_stage(int slot)
    {
        Element* const first = ring + slot * tile_elements + wave_first;
        static_for<loads>([&](auto i) {
            Target::template load_direct<bytes_further(i)>({data, end}, offsets[i],
                                                           first + i / Together * Together * load_elements);
        });
        data += K * operand.k_stride;
    }
    /// Element by element, through registers, written at once: the slot is free when the tile is loaded.
    TEGULA_INLINE void load_edge_stage(int slot, index_t step)
    {
        Element* const first = ring + slot * tile_elements + wave_first + Target::lane_id() * chunk;
        TEGULA_ROLLED
        for (int i = 0; i < loads; ++i) {
            const multi_index<2> x = element_of(i);
            const index_t k = step * K + x[1];
            array<raw_vector<bytes>, chunk> vector;
            static_for<chunk>([&](auto e) {
                const index_t row = first_row + x[0] + e;
                const bool inside = row < operand.rows && k < operand.k;
                const Element* const at = operand.data + (inside ? row + k * operand.k_stride : 0);
                label(row, k);
                vector[e] = Target::load_global(reinterpret_cast<const raw_vector<bytes>*>(at), inside);
            });
            Target::store_shared(reinterpret_cast<raw_vector<16>*>(first + i * load_elements),
                                 __builtin_bit_cast(raw_vector<16>, vector));
        }
    }
    TEGULA_INLINE void store_stage(int) const {}
    TEGULA_INLINE void store_stage(int, const staged_tile&) const {}
    TEGULA_INLINE void forget_places() { Target::make_opaque(lane_place); }

    /// The slice of k that starts at K0 of the tile in `slot`, as the words of its registers.
    template <int K0>
    TEGULA_INLINE auto read_words(int slot) const
    {
        const auto* const tile = reinterpret_cast<const std::byte*>(ring + slot * tile_elements);
        array<std::uint32_t, sizeof(slice) / 4> words;
        static_for<plan::accesses>([&](auto a) {
            static_for<2>([&](auto half) {
                constexpr int first = plan::register_of(a, 0) * static_cast<int>(bytes) / 4 + 2 * half;
                constexpr index_t flipped = step_xor(a), further = step_add(a, K0, half);
                const auto column = arch::amd::read_column<word>(tile + bytes * (lane_place ^ flipped) + further);
                const auto two = __builtin_bit_cast(array<std::uint32_t, 2>, column);
                words[first] = two[0];
                words[first + 1] = two[1];
            });
        });
        return words;
    }
    template <int K0>
    TEGULA_INLINE auto read(int slot) const
    {
        const auto words = read_words<K0>(slot);
        return __builtin_bit_cast(slice, words);
    }

protected:
    /// Row and k, in a tile, of the first element of the lane's load i.
    TEGULA_INLINE multi_index<2> element_of(int i) const
    {
        return element_at(wave_first + i * load_elements + Target::lane_id() * chunk);
    }
    static constexpr TEGULA_HOST_DEVICE multi_index<2> element_at(index_t at)
    {
        const index_t k = at / Rows;
        return {at % Rows ^ line_key(k) << 4, k};
    }

private:
    static constexpr int bytes_further(int i) { return i % Together * Target::wave_size * 16; }

    /// The place of the `depth` rows of one k that a lane of sixteen addresses, in elements.
    static constexpr TEGULA_HOST_DEVICE index_t place_of(const multi_index<2>& p)
    {
        const auto x = ReadDistribution::origin(p);
        const index_t lane = x[0] % 16, lanes = 16 / depth; // lanes that share a line
        return place(x[0] - lane + lane % lanes * depth, x[1] + lane / lanes);
    }
    /// From the lane's place to that of access `a`: an XOR of keyed rows, in elements, then an addition, in bytes.
    static consteval index_t step_xor(int a) { return plan::step(a)[0] % keyed_rows; }
    static consteval index_t step_add(int a, index_t k0, int half)
    {
        return bytes * (plan::step(a)[0] / keyed_rows * keyed_rows + (plan::step(a)[1] + k0 + depth * half) * Rows);
    }
    /// Whether sixteen lanes have sixteen rows and the same k, and these steps lead to each access.
    static consteval bool reads_columns()
    {
        if (plan::vector != 2 * depth || ReadDistribution::x_length(1) % (4 * depth) != 0)
            return false;
        index_t flipped[plan::accesses], further[plan::accesses];
        for (int a = 0; a < plan::accesses; ++a) {
            flipped[a] = step_xor(a);
            further[a] = step_add(a, 0, 1);
            if (plan::register_of(a, plan::vector - 1) != plan::register_of(a, 0) + plan::vector - 1)
                return false;
        }
        for (index_t wave = 0; wave < ReadDistribution::p_length(0); ++wave)
            for (index_t lane = 0; lane < 64; ++lane) {
                const auto x = ReadDistribution::origin({wave, lane});
                const auto group = ReadDistribution::origin({wave, lane - lane % 16});
                if (x[0] != group[0] + lane % 16 || group[0] % 16 != 0 || x[1] != group[1])
                    return false;
            }
        for (index_t wave = 0; wave < ReadDistribution::p_length(0); ++wave)
            for (index_t lane = 0; lane < 64; lane += 16) { // the other lanes of the sixteen add rows and lines
                const auto x = ReadDistribution::origin({wave, lane});
                const index_t own = place(x[0], x[1]);
                for (int a = 0; a < plan::accesses; ++a)
                    if (bytes * (own ^ flipped[a]) + further[a] !=
                        bytes * place(x[0] + plan::step(a)[0], x[1] + plan::step(a)[1] + depth))
                        return false;
            }
        return true;
    }
    static_assert(reads_columns(), "tegula: the instruction's lanes do not stand as transposing reads have them");

    TEGULA_INLINE void label([[maybe_unused]] index_t row, [[maybe_unused]] index_t k) const
    {
        if (Target::labels_enabled()) {
            const index_t x[2] = {row, k};
            Target::set_element(operand.name, x, 2, operand.data);
        }
    }
};

/// The loader of an operand that comes by direct loads: its elements have 8 or 16 bits, or its k is contiguous.
template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
          int Together = 4>
using direct_loader_of =
    std::conditional_t<Order == operand_order::k_contiguous,
                       direct_loader<Target, Element, Rows, K, Waves, ReadDistribution, Together>,
                       direct_column_loader<Target, Element, Rows, K, Waves, ReadDistribution, Together>>;

/// A gemm_tile whose operands come by direct loads.
template <class Tile>
struct direct_operands : Tile
{
    template <operand_order Order>
    using a_loader = typename Tile::template direct_a_loader<Order>;
    template <operand_order Order>
    using b_loader = typename Tile::template direct_b_loader<Order>;
};

/// Whether a wave reads the loader's tiles without bank conflicts.
template <class Loader>
inline constexpr bool reads_without_conflicts = Loader::shared::conflicts == 0;

/// Whether direct_loader_of has a loader for an operand.
template <class Element, index_t Rows, operand_order Order>
inline constexpr bool uses_direct_loads =
    Order == operand_order::k_contiguous ||
    (Order == operand_order::row_contiguous && sizeof(Element) <= 2 && Rows * sizeof(Element) >= 128);

} // namespace tegula
