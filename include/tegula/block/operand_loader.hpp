#pragma once

#include <tegula/block/ldmatrix_reads.hpp>
#include <tegula/block/operand_load.hpp>
#include <tegula/block/transposed_words.hpp>
#include <tegula/layout/descriptor/coordinate.hpp>
#include <tegula/layout/descriptor/descriptor.hpp>
#include <tegula/layout/shared/shared_layout.hpp>
#include <tegula/tensor/access.hpp>

namespace tegula {

/// The layout of an operand tile in shared memory: the one with the least bank conflicts for the way it is written and
/// the way it is read, by ldmatrix if InstructionRows says for which operand of mma.sync.
template <class Target, class Element, index_t Rows, index_t K, class LoadDistribution, class ReadDistribution,
          int InstructionRows = 0>
struct operand_shared_layout
{
    static constexpr int vector = 16 / static_cast<int>(sizeof(Element));
    static constexpr bool reads_matrices =
        detail::can_read_matrices<Target, Element, Rows, K, false, ReadDistribution, InstructionRows>();

    /// The accesses of a wave that writes and reads the tile.
    static consteval wave_accesses writes()
    {
        return make_wave_accesses<LoadDistribution, vector>(Target::chip(), access_kind::store);
    }
    static consteval wave_accesses reads()
    {
        if constexpr (reads_matrices)
            return detail::ldmatrix_reads<ReadDistribution, Element, false, InstructionRows>::accesses();
        else
            return make_wave_accesses<ReadDistribution, vector>(Target::chip(), access_kind::load);
    }

private:
    static consteval shared_layout_choice find()
    {
        return evaluate_shared_layout<Element>(Target::chip(), Rows, K, writes(), reads());
    }
    static constexpr shared_layout_choice choice = computed_once<find()>;

public:
    static constexpr shared_layout_value layout = choice.layout;
    /// Extra cycles one wave takes to write and read the tile once.
    static constexpr int conflicts = choice.store_conflicts + choice.load_conflicts;
};

/// Where an operand lies in global memory. Strides in elements.
template <class Element>
struct operand_source
{
    static constexpr bool is_staged = false; ///< it lies in global memory, not in that of the block

    const Element* data = nullptr;
    index_t rows = 0;
    index_t k = 0;
    long_index_t row_stride = 0;
    long_index_t k_stride = 0;
    const char* name = "operand";
    std::uint32_t multicast_mask =
        0; ///< ranks of the cluster's blocks that read the same rows, as tensor_tile::blocks has them
};

/// A [rows, k] view of an operand. With k_contiguous and row_contiguous the other stride and the start of the data are
/// multiples of 16 bytes.
template <class Target, operand_order Order, class Element>
TEGULA_INLINE auto make_operand_view(const operand_source<Element>& s)
{
    constexpr index_t promise = 16 / static_cast<index_t>(sizeof(Element));
    auto view = [&](auto row_stride, auto k_stride, auto aligned) {
        return make_tensor_view<Target, address_space::global>(
            s.data, make_strided_descriptor(make_tuple(s.rows, s.k), make_tuple(row_stride, k_stride), aligned),
            s.name);
    };
    if constexpr (Order == operand_order::k_contiguous)
        return view(s.row_stride, constant<1>{}, constant<promise>{});
    else if constexpr (Order == operand_order::row_contiguous)
        return view(constant<1>{}, s.k_stride, constant<promise>{});
    else
        return view(s.row_stride, s.k_stride, constant<1>{});
}

/// Reads whole tiles [Rows, K] of an operand one after the other along k by buffer loads. The lane's offsets stay, the
/// start of the tile moves in scalar registers, and the end of the tile stops the loads of rows past the last one. (If
/// rows are contiguous those give other elements of the tile instead, in rows of C that are not stored.)
template <class Target, class Element, index_t Rows, index_t K, class Window>
struct buffer_reader
{
    using plan = typename Window::plan;
    using distribution = typename Window::distribution;
    using raw = raw_vector<plan::vector* static_cast<int>(sizeof(Element))>;

    const Element* data;
    std::uint32_t end;    ///< end of the tile, in bytes from `data`
    long_index_t advance; ///< how far `data` moves from tile to tile, in elements
    std::uint32_t offsets[plan::accesses];

    TEGULA_INLINE buffer_reader(const operand_source<Element>& s, index_t first_row)
        : data(s.data + first_row * s.row_stride), advance(K * s.k_stride)
    {
        const index_t rows = s.rows - first_row < Rows ? s.rows - first_row : Rows;
        end = bytes_of(s, rows - 1, K - 1) + static_cast<std::uint32_t>(sizeof(Element));
        const auto x = distribution::origin(partition_index<Target, distribution>());
        static_for<plan::accesses>([&](auto a) {
            constexpr auto step = plan::step(a);
            offsets[a] = bytes_of(s, x[0] + step[0], x[1] + step[1]);
            // Replicas are not written: their offsets lie past the end of every tile, so that they read nothing.
            if constexpr (distribution::replication > 1)
                if (!internal::writes_its_elements<Window>())
                    offsets[a] = std::uint32_t{1} << 31;
        });
    }

    /// Whether the offsets of a tile fit 31 bits.
    static TEGULA_INLINE bool reaches(const operand_source<Element>& s)
    {
        return (Rows * s.row_stride + K * s.k_stride) * static_cast<long_index_t>(sizeof(Element)) < (1L << 31);
    }

    /// Whether all tiles of an operand with so many rows from the tile's first on can be read. A vector along the rows
    /// must not reach over the last row: the buffer would cut it off at 4 bytes.
    template <operand_order Order>
    static TEGULA_INLINE bool has_whole_tiles(const operand_source<Element>& s, index_t rows)
    {
        constexpr index_t vector = Order == operand_order::row_contiguous ? plan::vector : 1;
        return reaches(s) && (rows >= Rows || rows % vector == 0);
    }

    template <int A>
    TEGULA_INLINE raw read() const
    {
        return Target::template load_buffer<raw, true>({data, end}, offsets[A]);
    }

    TEGULA_INLINE void next() { data += advance; }

private:
    static TEGULA_INLINE std::uint32_t bytes_of(const operand_source<Element>& s, index_t row, index_t k)
    {
        return static_cast<std::uint32_t>((row * s.row_stride + k * s.k_stride) *
                                          static_cast<long_index_t>(sizeof(Element)));
    }
};

/// Stands for a buffer_reader if there is none.
struct no_buffer_reader
{
    template <class Source>
    TEGULA_INLINE no_buffer_reader(const Source&, index_t)
    {}
};

namespace detail {

/// The places of a shared_layout_value, or of what has its mask and offset(); see matrix_reader.
template <class Source, class Element>
struct shared_places
{
    static constexpr index_t chunk_bits = 16 * Source::layout.mask;

    static constexpr TEGULA_HOST_DEVICE index_t place(index_t row, index_t k)
    {
        constexpr auto l = Source::layout;
        return static_cast<index_t>(sizeof(Element)) * l.offset(row, k);
    }
};

} // namespace detail

/// One operand of a GEMM on its way from global memory into a ring of tiles in shared memory.
///
/// load_stage() starts the next tile: if the target copies asynchronously and the operand allows it, straight into
/// the ring; elsewhere into registers, which store_stage() writes to the ring later, when the loads had time to arrive.
/// Whole tiles are to be fetched in order with load_stage(), the ragged ones at the end with load_edge_stage().
///
/// InstructionRows: 0, or the instruction's rows of the mma.sync operand that ReadDistribution is. ldmatrix reads it if
/// it can: k is contiguous in shared memory, whatever the operand's order. Slices then have the instruction's own order
/// of k, see detail::ldmatrix_reads. Copies: whether asynchronous copies may be used.
template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
          int InstructionRows = 0, bool Copies = Target::has_async_copy>
struct operand_loader
{
    using load_distribution = tile_distribution<operand_load_source<Target, Element, Rows, K, Waves, Order>>;
    using shared =
        operand_shared_layout<Target, Element, Rows, K, load_distribution, ReadDistribution, InstructionRows>;
    using descriptor = shared_descriptor<shared>;
    using shared_view = tensor_view<Target, address_space::shared, Element, descriptor>;
    using write_window = tile_window<shared_view, load_distribution>;
    using read_window = tile_window<shared_view, ReadDistribution>;
    using global_view = decltype(make_operand_view<Target, Order>(std::declval<const operand_source<Element>&>()));
    using global_window = tile_window<global_view, load_distribution>;

    static constexpr bool instruction_order = shared::reads_matrices; ///< whether slices keep the instruction's k
    using matrices = detail::matrix_reader<detail::ldmatrix_reads<ReadDistribution, Element, false, InstructionRows>,
                                           detail::shared_places<shared, Element>>;

    static constexpr index_t tile_elements = descriptor::element_space_size();
    static constexpr bool asynchronous = Copies && Order == operand_order::k_contiguous;
    static constexpr bool buffered = Target::has_buffer_load && !asynchronous && Order != operand_order::any &&
                                     global_window::plan::vector * sizeof(Element) >= 4;
    /// Whether edges recompute each access' own multiples of the strides; kept, these would fill the scalar registers.
    /// Where bytes are turned in registers, that costs vector registers instead (gfx942, int8, 256x128: 5 spilled).
    static constexpr bool hides_strides = (buffered && sizeof(Element) > 1) || Order == operand_order::any;
    static constexpr bool by_tiles = false;
    static constexpr bool by_mbarriers = false;

    /// Copies that every lane starts for a whole tile; 0 if lanes start different numbers of them.
    static constexpr int copies_of_stage =
        asynchronous && load_distribution::replication == 1 && global_window::plan::vector * sizeof(Element) == 16
            ? global_window::plan::accesses
            : 0;

    // A vector read along k is written as it is; only a transposing or gathering tile is taken apart.
    static constexpr int bytes = global_window::plan::vector * static_cast<int>(sizeof(Element));
    static constexpr bool whole_vectors =
        Order == operand_order::k_contiguous && global_window::plan::vector == write_window::plan::vector;

    /// The registers that load_stage() fills: vectors as they came, or single elements.
    static constexpr bool stages_vectors = bytes >= 4;
    using staged_tile = std::conditional_t<stages_vectors, array<raw_vector<bytes>, global_window::plan::accesses>,
                                           distributed_tensor<Element, load_distribution>>;

    using transposition = detail::transposed_words<Target, typename global_window::plan, typename write_window::plan,
                                                   static_cast<int>(sizeof(Element))>;
    /// Whether nvcc 13 finds the instructions that turn words itself. It then takes fewer registers.
    static constexpr bool compiler_transposes =
        Target::vendor == vendor::nvidia && Target::chip().family < chip_family::blackwell;
    static constexpr bool transposes_words = stages_vectors && transposition::possible && !compiler_transposes &&
                                             requires { Target::template pick_bytes<0>(0u, 0u); };

    operand_source<Element> operand;
    index_t first_row;
    global_window source;
    index_t next_k = 0; ///< for load_stage(), if that makes a window for each step
    std::conditional_t<buffered, buffer_reader<Target, Element, Rows, K, global_window>, no_buffer_reader> reader;
    write_window writer;
    std::conditional_t<instruction_order, matrices, read_window> slices;
    Element* ring; ///< first tile in shared memory
    staged_tile staged;

    TEGULA_INLINE operand_loader(const operand_source<Element>& s, index_t row, Element* first_tile)
        : operand(s), first_row(row), source(window_at(0)), reader(s, row),
          writer(make_tile_window<load_distribution>(shared_view{first_tile, {}, s.name}, {0, 0})),
          slices(make_slices(s, first_tile)), ring(first_tile)
    {}

    /// Whether load_stage() can be used for the whole tiles of this block.
    TEGULA_INLINE bool has_whole_tiles() const
    {
        const index_t rows = operand.rows - first_row;
        if constexpr (buffered)
            return reader.template has_whole_tiles<Order>(operand, rows);
        else
            return rows >= Rows;
    }

    /// Starts the next whole tile towards slot `slot` of the ring.
    TEGULA_INLINE void load_stage(int slot)
    {
        if constexpr (buffered) {
            static_for<global_window::plan::accesses>([&](auto a) { keep<a>(reader.template read<a>()); });
            reader.next();
        } else if constexpr (Order == operand_order::any) {
            load_tile<bounds::unchecked>(window_at(next_k), slot);
            next_k += K;
        } else {
            load_tile<bounds::unchecked>(source, slot);
            source.move({0, K});
        }
    }

    /// Starts the tile at step `step` of k, which may lie partly outside the operand. Again: the lane's rows and the
    /// multiples of the strides are computed again, rather than kept through the loop of whole tiles.
    template <bool Again = false>
    TEGULA_INLINE void load_edge_stage(int slot, index_t step)
    {
        constexpr bool hides = hides_strides || Again;
        load_tile<bounds::checked>(window_at<hides, Again>(step * K), slot);
    }

    /// Completes load_stage(slot), or stores the tile of an earlier load_stage() if it is given.
    TEGULA_INLINE void store_stage(int slot) { store_stage(slot, staged); }
    TEGULA_INLINE void store_stage(int slot, const staged_tile& tile) const
    {
        if constexpr (!asynchronous) {
            write_window to = writer;
            to.view.data = slot_data(slot);
            if constexpr (whole_vectors) {
                store_vectors(to, tile);
            } else if constexpr (transposes_words) {
                const bool mine = internal::writes_its_elements<write_window>();
                for_each_access<bounds::unchecked>(to, [&](auto a, const auto& access) {
                    const auto words = transposition::template gather<a>(tile);
                    internal::write_access(access,
                                           __builtin_bit_cast(array<Element, write_window::plan::vector>, words), mine);
                });
            } else if constexpr (stages_vectors) {
                distributed_tensor<Element, load_distribution> elements;
                static_for<global_window::plan::accesses>([&](auto a) {
                    const auto vector = tile[a];
                    internal::scatter_registers<global_window, a>(
                        elements, __builtin_bit_cast(array<Element, global_window::plan::vector>, vector));
                });
                store<bounds::unchecked>(to, elements);
            } else {
                store<bounds::unchecked>(to, tile);
            }
        }
    }

    /// Reads the slice of k that starts at element `k` of the tile in `slot`.
    TEGULA_INLINE auto read(int slot, index_t k) const
    {
        read_window w = slices;
        w.view.data = slot_data(slot);
        w.move({0, k});
        return load<bounds::unchecked>(w);
    }
    template <int K0>
    TEGULA_INLINE auto read(int slot) const
    {
        if constexpr (instruction_order)
            return slices.template read<K0>(slot_data(slot));
        else
            return read(slot, K0);
    }

    /// Reads the slice as words, the registers of the slice in order. LLVM 22 takes elements of 8 bits apart if a
    /// function returns them.
    template <int K0>
    TEGULA_INLINE auto read_words(int slot) const
    {
        using slice = decltype(read<K0>(slot));
        array<std::uint32_t, sizeof(slice) / 4> words;
        if constexpr (reads_whole_words()) {
            using plan = typename read_window::plan;
            constexpr int per_word = 4 / static_cast<int>(sizeof(Element));
            read_window w = slices;
            w.view.data = slot_data(slot);
            w.move({0, K0});
            for_each_access<bounds::unchecked>(w, [&](auto a, const auto& access) {
                const auto vector = internal::read_access_words(access, Element{});
                const auto some = __builtin_bit_cast(array<std::uint32_t, plan::vector / per_word>, vector);
                constexpr int first = plan::register_of(a, 0) / per_word;
                static_for<some.size()>([&](auto i) { words[first + i] = some[i]; });
            });
        } else {
            const auto elements = read<K0>(slot);
            words = __builtin_bit_cast(decltype(words), elements);
        }
        return words;
    }

private:
    /// Whether the vectors that a slice is read in are whole words of its registers.
    static consteval bool reads_whole_words()
    {
        constexpr int per_word = 4 / static_cast<int>(sizeof(Element));
        if constexpr (instruction_order || per_word < 2) {
            return false;
        } else {
            using plan = typename read_window::plan;
            for (int a = 0; a < plan::accesses; ++a)
                for (int j = 0; j < plan::vector; ++j)
                    if (plan::register_of(a, j) != plan::register_of(a, 0) + j)
                        return false;
            return plan::vector % per_word == 0;
        }
    }

    static TEGULA_INLINE auto make_slices([[maybe_unused]] const operand_source<Element>& s,
                                          [[maybe_unused]] Element* first_tile)
    {
        if constexpr (instruction_order) {
            static_assert(matrices::places_divide(K),
                          "tegula: ldmatrix needs operand tiles whose rows and k are powers of two");
            return matrices::template of_lane<Target>();
        } else {
            return make_tile_window<ReadDistribution>(shared_view{first_tile, {}, s.name}, {0, 0});
        }
    }
    TEGULA_INLINE Element* slot_data(int slot) const { return ring + slot * tile_elements; }

    template <bool HidesStrides = Order == operand_order::any, bool HidesRow = false>
    TEGULA_INLINE global_window window_at(index_t k) const
    {
        operand_source<Element> s = operand;
        if constexpr (HidesStrides) {
            Target::make_opaque(s.row_stride);
            Target::make_opaque(s.k_stride);
        }
        long_index_t row = first_row;
        if constexpr (HidesRow)
            Target::make_opaque(row);
        return make_tile_window<load_distribution>(make_operand_view<Target, Order>(s), {static_cast<index_t>(row), k});
    }

    template <int A>
    TEGULA_INLINE void keep(const raw_vector<bytes>& vector)
    {
        if constexpr (stages_vectors)
            staged[A] = vector;
        else
            internal::scatter_registers<global_window, A>(
                staged, __builtin_bit_cast(array<Element, global_window::plan::vector>, vector));
    }

    template <bounds Bounds>
    TEGULA_INLINE void load_tile(const global_window& from, int slot)
    {
        if constexpr (asynchronous) {
            write_window to = writer;
            to.view.data = slot_data(slot);
            async_load<Bounds>(to, from);
        } else {
            // Replicas are not written: they read nothing, unless that would take a branch for every element.
            const bool mine = Order == operand_order::any || internal::writes_its_elements<global_window>();
            for_each_access<Bounds>(from, [&](auto a, const auto& access) {
                const auto values = internal::read_access_words(access, Element{}, mine);
                keep<a>(__builtin_bit_cast(raw_vector<bytes>, values));
            });
        }
    }

    static TEGULA_INLINE void store_vectors(const write_window& to, const staged_tile& tile)
    {
        using vector = array<Element, global_window::plan::vector>;
        const bool mine = internal::writes_its_elements<write_window>();
        for_each_access<bounds::unchecked>(to, [&](auto a, const auto& access) {
            internal::write_access(access, __builtin_bit_cast(vector, tile[a]), mine);
        });
    }
};

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::shared_places;
} // namespace tegula::internal
