#pragma once

#include <tegula/arch/nvidia/matrix_copy.hpp>
#include <tegula/block/operand_stream.hpp>
#include <tegula/layout/panel_layout.hpp>

namespace tegula {

namespace detail {

/// The reads of a warp from an operand tile by ldmatrix, four 8x8 matrices at a time.
///
/// ReadDistribution is an operand of mma.sync with k packed: in groups of eight registers a lane has eight k of one
/// row. The matrices fill its registers in the instruction's own order of k instead, 8 q + 2 (lane % 4) for pair q of a
/// group, so that both operands of a product must be read this way. InstructionRows: 16 for the instruction's A, whose
/// four registers (two rows, two runs of k) come by one ldmatrix, or 8 for its B.
///
/// The place of a matrix row is that of the wave and the lane, with what belongs to the read XORed into the chunk and
/// added to the rest.
template <class ReadDistribution, index_t Rows, index_t K, bool RowsContiguous, int InstructionRows>
struct matrix_reads
{
    static constexpr index_t line = (RowsContiguous ? Rows : K) * 2 >= 128 ? 128 : (RowsContiguous ? Rows : K) * 2;
    static constexpr panel_layout_value layout = {RowsContiguous ? K : Rows, RowsContiguous ? Rows : K, 16,
                                                  line == 128  ? swizzle_mode::bytes_128
                                                  : line == 64 ? swizzle_mode::bytes_64
                                                               : swizzle_mode::bytes_32};
    static constexpr index_t chunk_bits = line - 16;
    static constexpr int count = ReadDistribution::num_registers / 8; ///< in a slice of 32 k

    /// Of element (row, k), in bytes.
    static constexpr TEGULA_HOST_DEVICE index_t place(index_t row, index_t k)
    {
        constexpr panel_layout_value l = layout;
        return 2 * (RowsContiguous ? l.offset(k, row) : l.offset(row, k));
    }
    /// The same without swizzle: what read I of the slice at K0 adds.
    static consteval index_t linear(int i, index_t k0)
    {
        const index_t row = ReadDistribution::step(8 * (InstructionRows == 16 ? i / 2 * 2 : i))[0];
        const index_t k = k0 + (InstructionRows == 16 ? i % 2 * 16 : 0);
        return RowsContiguous ? layout.linear_byte(k, row) : layout.linear_byte(row, k);
    }
    /// The matrix row that a lane names, and its k, in the first read.
    static constexpr TEGULA_HOST_DEVICE multi_index<2> lane_position(int lane)
    {
        const index_t matrix = lane / 8;
        const index_t along = lane % 8;
        const index_t row = InstructionRows == 16 ? matrix % 2 * 8 : 0;
        const index_t k = InstructionRows == 16 ? matrix / 2 * 8 : matrix * 8;
        return {row + (RowsContiguous ? 0 : along), k + (RowsContiguous ? along : 0)};
    }
    /// The 32-bit word of the slice that matrix `matrix` of read I fills.
    static consteval int word(int i, int matrix)
    {
        return InstructionRows == 16 ? 4 * (i / 2 * 2 + matrix % 2) + i % 2 * 2 + matrix / 2 : 4 * i + matrix;
    }

    /// Whether the distribution is as described, and every place is found from its parts.
    static consteval bool possible()
    {
        if constexpr (ReadDistribution::num_x != 2 || ReadDistribution::num_p != 2 ||
                      ReadDistribution::num_registers % 16 != 0 || Rows % 8 != 0 || K % 32 != 0 ||
                      layout.columns % layout.panel_columns() != 0)
            return false;
        else
            return is_packed() && places_divide();
    }

    /// Bank conflicts of one wave that reads the tile once.
    static consteval int conflicts(const chip_info& chip)
    {
        int n = 0;
        for (index_t k0 = 0; k0 < K; k0 += 32)
            for (int i = 0; i < count; ++i) {
                index_t addresses[32]{};
                for (int lane = 0; lane < 32; ++lane)
                    addresses[lane] = found(0, lane, linear(i, k0));
                n += conflict_cycles(chip, access_kind::load, 16, addresses, 0xffffffffu);
            }
        return n;
    }

private:
    static consteval bool is_packed()
    {
        for (int lane = 0; lane < 32; ++lane) {
            const auto x = ReadDistribution::origin(multi_index<2>{0, lane});
            if (x[0] != lane / 4 || x[1] != lane % 4 * 8)
                return false;
        }
        for (int r = 0; r < ReadDistribution::num_registers; ++r) {
            const index_t row = ReadDistribution::step(r / 16 * 16)[0];
            const auto x = ReadDistribution::step(r);
            if (x[1] != r % 8 || x[0] != ReadDistribution::step(r / 8 * 8)[0] ||
                (InstructionRows == 16 && x[0] != row + r % 16 / 8 * 8))
                return false;
        }
        return true;
    }

    static consteval index_t found(index_t wave, int lane, index_t step)
    {
        const index_t row = ReadDistribution::origin(multi_index<2>{wave, 0})[0];
        const auto x = lane_position(lane);
        return (place(row + x[0], x[1]) ^ (step & chunk_bits)) + (step & ~chunk_bits);
    }

    static consteval bool places_divide()
    {
        for (index_t wave = 0; wave < ReadDistribution::p_length(0); ++wave)
            for (int i = 0; i < count; ++i)
                for (index_t k0 = 0; k0 < K; k0 += 32)
                    for (int lane = 0; lane < 32; lane += 3) {
                        const index_t row = ReadDistribution::origin(multi_index<2>{wave, 0})[0] +
                                            ReadDistribution::step(8 * (InstructionRows == 16 ? i / 2 * 2 : i))[0];
                        const index_t k = k0 + (InstructionRows == 16 ? i % 2 * 16 : 0);
                        const auto x = lane_position(lane);
                        if (found(wave, lane, linear(i, k0)) != place(row + x[0], k + x[1]))
                            return false;
                    }
        return true;
    }
};

/// In which encoding waves load a [Rows, K] tile in vectors along its rows, as k_contiguous_load does along k.
template <class Target, index_t Rows, index_t K, int Waves, bool RowsContiguous>
struct panel_load_source
{
    static constexpr index_t swapped[] = {1, 0};
    static constexpr encoding_value raw =
        RowsContiguous ? transpose(k_contiguous_load({K, Rows, 2, Waves, Target::wave_size}), swapped)
                       : k_contiguous_load({Rows, K, 2, Waves, Target::wave_size});
    static constexpr const encoding_value& value = raw;
};

/// Descriptor of a [Rows, K] tile in panels.
template <class Reads, bool RowsContiguous>
struct panel_descriptor
{
    static constexpr int num_dims = 2;
    static consteval index_t element_space_size() { return Reads::layout.element_space(); }
    static constexpr TEGULA_HOST_DEVICE index_t guaranteed_vector_length(int dim)
    {
        return (dim == 0) == RowsContiguous ? 8 : 1;
    }
    static constexpr TEGULA_INLINE bool is_valid(const multi_index<2>&) { return true; }
    friend constexpr TEGULA_INLINE shared_coordinate make_coordinate(const panel_descriptor&, const multi_index<2>& x)
    {
        return {x, Reads::place(x[0], x[1]) / 2};
    }
    friend constexpr TEGULA_INLINE void move_coordinate(const panel_descriptor&, shared_coordinate& c,
                                                        const multi_index<2>& step)
    {
        const multi_index<2> x{c.position[0] + step[0], c.position[1] + step[1]};
        c = {x, Reads::place(x[0], x[1]) / 2};
    }
};

} // namespace detail

/// Whether matrix_stream takes operands of this order and these tiles: 16 bits an element, NVIDIA, contiguous along k
/// or along the rows.
template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
          int InstructionRows>
consteval bool streams_matrices()
{
    if constexpr (Target::vendor != vendor::nvidia || sizeof(Element) != 2 || Order == operand_order::any ||
                  (InstructionRows != 16 && InstructionRows != 8) || Rows % 8 != 0 || K % 32 != 0) {
        return false;
    } else {
        constexpr bool rows = Order == operand_order::row_contiguous;
        constexpr encoding_value load = detail::panel_load_source<Target, Rows, K, Waves, rows>::raw;
        return x_length(load, 0) == Rows && x_length(load, 1) == K &&
               detail::matrix_reads<ReadDistribution, Rows, K, rows, InstructionRows>::possible();
    }
}

/// operand_stream for 16-bit operands on NVIDIA: tiles are copied asynchronously as they are, in the panels of
/// panel_layout.hpp, and ldmatrix reads them, transposing where rows are contiguous. Slices have the instruction's own
/// order of k, see detail::matrix_reads.
template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
          int InstructionRows>
struct matrix_stream
{
    static constexpr bool rows_contiguous = Order == operand_order::row_contiguous;
    using reads = detail::matrix_reads<ReadDistribution, Rows, K, rows_contiguous, InstructionRows>;
    using descriptor = detail::panel_descriptor<reads, rows_contiguous>;
    using load_distribution = tile_distribution<detail::panel_load_source<Target, Rows, K, Waves, rows_contiguous>>;
    using shared_view = tensor_view<Target, address_space::shared, Element, descriptor>;
    using write_window = tile_window<shared_view, load_distribution>;
    using global_view = decltype(make_operand_view<Target, Order>(std::declval<const operand_source<Element>&>()));
    using global_window = tile_window<global_view, load_distribution>;
    using slice = distributed_tensor<Element, ReadDistribution>;

    static constexpr index_t tile_elements = descriptor::element_space_size();
    static constexpr bool asynchronous = true;
    static constexpr bool buffered = false;
    static constexpr bool instruction_order = true; ///< of k in a slice

    /// Bank conflicts of one wave that writes and reads the tile once.
    struct shared
    {
        static consteval int count_writes()
        {
            int n = 0;
            for (int a = 0; a < write_window::plan::accesses; ++a) {
                index_t addresses[32]{};
                for (int lane = 0; lane < 32; ++lane) {
                    const auto x = load_distribution::origin(multi_index<2>{0, lane});
                    const auto step = write_window::plan::step(a);
                    addresses[lane] = reads::place(x[0] + step[0], x[1] + step[1]);
                }
                n += conflict_cycles(Target::chip(), access_kind::store, 16, addresses, 0xffffffffu);
            }
            return n;
        }
        static constexpr int conflicts = count_writes() + reads::conflicts(Target::chip());
    };

    /// fetch() leaves nothing in registers.
    struct staged_tile
    {};

    operand_source<Element> operand;
    index_t first_row;
    const Element* next; ///< this lane's first vector of the next whole tile
    index_t next_k = 0;  ///< where that tile starts; for reports
    index_t write_place; ///< of this lane's first vector in a tile, in bytes
    index_t lane_place;  ///< of this lane's matrix row in a tile, in bytes
    Element* ring;
    staged_tile staged;

    TEGULA_INLINE matrix_stream(const operand_source<Element>& s, index_t row, Element* first_tile)
        : operand(s), first_row(row), ring(first_tile)
    {
        const auto vector = load_distribution::origin(partition_index<Target, load_distribution>());
        next = s.data + (row + vector[0]) * row_stride() + vector[1] * k_stride();
        write_place = reads::place(vector[0], vector[1]);
        const index_t wave_row = ReadDistribution::origin(multi_index<2>{Target::wave_id(), 0})[0];
        const auto x = reads::lane_position(Target::lane_id());
        lane_place = reads::place(wave_row + x[0], x[1]);
    }

    /// Whether fetch() can be used for the whole tiles of this block.
    TEGULA_INLINE bool has_whole_tiles() const { return operand.rows - first_row >= Rows; }

    /// Starts the next whole tile towards slot `slot` of the ring.
    TEGULA_INLINE void fetch(int slot)
    {
        auto* tile = reinterpret_cast<std::byte*>(ring + slot * tile_elements) + write_place;
        const bool mine = detail::writes_its_elements<write_window>();
        static_for<write_window::plan::accesses>([&](auto a) {
            constexpr auto step = write_window::plan::step(a);
            constexpr index_t bytes = load_linear(step);
            label(step);
            if (mine)
                Target::template async_copy<16>(tile + bytes, next + step[0] * row_stride() + step[1] * k_stride());
        });
        next += K * k_stride();
        next_k += K;
    }
    /// Starts the tile at step `step` of k, whatever of it is inside the operand.
    TEGULA_INLINE void fetch_edge(int slot, index_t step)
    {
        async_load<bounds::checked>(writer_of(slot), window_at(step * K));
    }
    TEGULA_INLINE void publish(int) const {}
    TEGULA_INLINE void publish(int, const staged_tile&) const {}

    /// Reads the slice of k that starts at element K0 of the tile in `slot`, a multiple of 32.
    template <int K0>
    TEGULA_INLINE slice read(int slot) const
    {
        // Tiles start at whole lines, so that the chunk of a place can be changed in the address.
        const auto place = reinterpret_cast<std::uintptr_t>(ring + slot * tile_elements) + lane_place;
        array<std::uint32_t, slice::num_registers / 2> words;
        static_for<reads::count>([&](auto i) {
            constexpr index_t step = reads::linear(decltype(i)::value, K0);
            const auto chunk = place ^ static_cast<std::uintptr_t>(step & reads::chunk_bits);
            const auto matrices = arch::nvidia::load_matrices<4, rows_contiguous>(
                reinterpret_cast<const std::byte*>(chunk) + (step & ~reads::chunk_bits));
            static_for<4>([&](auto m) {
                constexpr int word = reads::word(decltype(i)::value, decltype(m)::value);
                words[word] = matrices[m];
            });
        });
        slice result;
        result.registers = __builtin_bit_cast(array<Element, slice::num_registers>, words);
        return result;
    }

private:
    static consteval index_t load_linear(const multi_index<2>& step)
    {
        return rows_contiguous ? reads::layout.linear_byte(step[1], step[0])
                               : reads::layout.linear_byte(step[0], step[1]);
    }
    /// Whether each vector of a lane lies where its step from the first says.
    static consteval bool writes_divide()
    {
        for (index_t wave = 0; wave < load_distribution::p_length(0); ++wave)
            for (int lane = 0; lane < 32; ++lane)
                for (int a = 0; a < write_window::plan::accesses; ++a) {
                    const auto x = load_distribution::origin(multi_index<2>{wave, lane});
                    const auto step = write_window::plan::step(a);
                    if (reads::place(x[0] + step[0], x[1] + step[1]) != reads::place(x[0], x[1]) + load_linear(step))
                        return false;
                }
        return true;
    }
    static_assert(write_window::plan::vector == 8 && writes_divide());

    TEGULA_INLINE auto row_stride() const
    {
        if constexpr (rows_contiguous)
            return constant<1>{};
        else
            return operand.row_stride;
    }
    TEGULA_INLINE auto k_stride() const
    {
        if constexpr (rows_contiguous)
            return operand.k_stride;
        else
            return constant<1>{};
    }

    /// Reports name the first element of a vector.
    TEGULA_INLINE void label([[maybe_unused]] const multi_index<2>& step) const
    {
        if (Target::labels_enabled()) {
            const auto vector = load_distribution::origin(partition_index<Target, load_distribution>());
            const index_t x[2] = {first_row + vector[0] + step[0], next_k + vector[1] + step[1]};
            Target::set_element(operand.name, x, 2);
        }
    }

    /// Made anew where it is used, at edges only: its registers would be live in the main loop.
    TEGULA_INLINE write_window writer_of(int slot) const
    {
        return make_tile_window<load_distribution>(shared_view{ring + slot * tile_elements, {}, operand.name}, {0, 0});
    }
    TEGULA_INLINE global_window window_at(index_t k) const
    {
        return make_tile_window<load_distribution>(make_operand_view<Target, Order>(operand), {first_row, k});
    }
};

/// The stream of an operand, by its order and the target.
template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
          int InstructionRows>
using best_operand_stream =
    std::conditional_t<streams_matrices<Target, Element, Rows, K, Waves, Order, ReadDistribution, InstructionRows>(),
                       matrix_stream<Target, Element, Rows, K, Waves, Order, ReadDistribution, InstructionRows>,
                       operand_stream<Target, Element, Rows, K, Waves, Order, ReadDistribution>>;

} // namespace tegula
