#pragma once

#include <tegula/block/operand_loader.hpp>
#include <tegula/core/math.hpp>
#include <tegula/layout/shared/tma_swizzled_layout.hpp>
#include <tegula/tensor/choose.hpp>

namespace tegula {

namespace detail {

/// How ldmatrix_loader lays out a tile [Rows, K] in shared memory: in the panels of tma_swizzled_layout.hpp, along the
/// rows or along k.
template <class Element, index_t Rows, index_t K, bool RowsContiguous>
struct operand_panels
{
    static constexpr index_t bytes = sizeof(Element);
    static constexpr index_t line = min((RowsContiguous ? Rows : K) * bytes, 128);
    static constexpr tma_swizzled_layout_value layout = {RowsContiguous ? K : Rows, RowsContiguous ? Rows : K,
                                                         8 * bytes,
                                                         line == 128  ? swizzle_mode::bytes_128
                                                         : line == 64 ? swizzle_mode::bytes_64
                                                                      : swizzle_mode::bytes_32};
    static constexpr index_t chunk_bits = line - 16;
    static constexpr bool possible = layout.columns % layout.panel_columns() == 0;

    /// The place of element (row, k), in bytes.
    static constexpr TEGULA_HOST_DEVICE index_t place(index_t row, index_t k)
    {
        constexpr tma_swizzled_layout_value l = layout;
        return bytes * (RowsContiguous ? l.offset(k, row) : l.offset(row, k));
    }
};

/// The encoding in which waves load a [Rows, K] tile in vectors along its rows, as k_contiguous_load does along k. It
/// takes at most 128 elements of a row at a time, so that the rows of a step repeat the panels' swizzle.
template <class Target, class Element, index_t Rows, index_t K, int Waves, bool RowsContiguous>
struct panel_load_source
{
    static constexpr index_t swapped[] = {1, 0};

    static consteval encoding_value along(index_t rows, index_t k)
    {
        const index_t part = power_of_two_divisor(k, 128);
        encoding_value parts;
        parts.hs = {encoding_value::lengths_type{}, encoding_value::lengths_type{k / part}};
        parts.ys = {rh_digit{2, 0}};
        const load_shape shape{rows, k > 128 ? part : k, sizeof(Element), Waves, Target::wave_size};
        return k > 128 ? embed(parts, k_contiguous_load(shape)) : k_contiguous_load(shape);
    }
    static constexpr encoding_value raw = RowsContiguous ? transpose(along(K, Rows), swapped) : along(Rows, K);
    static constexpr const encoding_value& value = raw;
};

/// Descriptor of a [Rows, K] tile in panels.
template <class Panels, bool RowsContiguous>
struct tma_swizzled_descriptor
{
    static constexpr int num_dims = 2;
    static consteval index_t element_space_size() { return Panels::layout.element_space(); }
    static constexpr TEGULA_HOST_DEVICE index_t guaranteed_vector_length(int dim)
    {
        return (dim == 0) == RowsContiguous ? 16 / Panels::bytes : 1;
    }
    static constexpr TEGULA_INLINE bool is_valid(const multi_index<2>&) { return true; }
    friend constexpr TEGULA_INLINE shared_coordinate make_coordinate(const tma_swizzled_descriptor&,
                                                                     const multi_index<2>& x)
    {
        return {x, Panels::place(x[0], x[1]) / Panels::bytes};
    }
    friend constexpr TEGULA_INLINE void move_coordinate(const tma_swizzled_descriptor&, shared_coordinate& c,
                                                        const multi_index<2>& step)
    {
        const multi_index<2> x{c.position[0] + step[0], c.position[1] + step[1]};
        c = {x, Panels::place(x[0], x[1]) / Panels::bytes};
    }
};

template <class ReadDistribution, class Element, index_t Rows, index_t K, bool RowsContiguous, int InstructionRows>
using panel_reader = matrix_reader<ldmatrix_reads<ReadDistribution, Element, RowsContiguous, InstructionRows>,
                                   operand_panels<Element, Rows, K, RowsContiguous>>;

} // namespace detail

/// Whether ldmatrix_loader takes operands of this order and these tiles: NVIDIA, elements of 8 to 32 bits contiguous
/// along k or of 16 bits contiguous along the rows.
template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
          int InstructionRows>
consteval bool streams_matrices()
{
    constexpr bool rows = Order == operand_order::row_contiguous;
    if constexpr (Order == operand_order::any) {
        return false;
    } else if constexpr (!detail::can_read_matrices<Target, Element, Rows, K, rows, ReadDistribution,
                                                    InstructionRows>()) {
        return false;
    } else {
        constexpr encoding_value load = detail::panel_load_source<Target, Element, Rows, K, Waves, rows>::raw;
        return x_length(load, 0) == Rows && x_length(load, 1) == K &&
               detail::operand_panels<Element, Rows, K, rows>::possible &&
               detail::panel_reader<ReadDistribution, Element, Rows, K, rows, InstructionRows>::places_divide(K);
    }
}

/// operand_loader on NVIDIA for operands that ldmatrix reads as they lie in memory: tiles are copied asynchronously, in
/// the panels of tma_swizzled_layout.hpp, and ldmatrix transposes if rows are contiguous. Slices have the
/// instruction's own order of k, see detail::ldmatrix_reads.
template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
          int InstructionRows>
struct ldmatrix_loader
{
    static constexpr bool rows_contiguous = Order == operand_order::row_contiguous;
    using panels = detail::operand_panels<Element, Rows, K, rows_contiguous>;
    using reader = detail::panel_reader<ReadDistribution, Element, Rows, K, rows_contiguous, InstructionRows>;
    using descriptor = detail::tma_swizzled_descriptor<panels, rows_contiguous>;
    using load_distribution =
        tile_distribution<detail::panel_load_source<Target, Element, Rows, K, Waves, rows_contiguous>>;
    using shared_view = tensor_view<Target, address_space::shared, Element, descriptor>;
    using write_window = tile_window<shared_view, load_distribution>;
    using global_view = decltype(make_operand_view<Target, Order>(std::declval<const operand_source<Element>&>()));
    using global_window = tile_window<global_view, load_distribution>;

    static constexpr index_t tile_elements = descriptor::element_space_size();
    static constexpr bool asynchronous = true;
    static constexpr bool buffered = false;
    static constexpr bool by_tiles = false;
    static constexpr bool by_mbarriers = false;
    static constexpr int copies_of_stage = 0;
    static constexpr bool instruction_order = true; ///< whether slices keep the instruction's k

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
                    addresses[lane] = panels::place(x[0] + step[0], x[1] + step[1]);
                }
                n += conflict_cycles(Target::chip(), access_kind::store, 16, addresses, 0xffffffffu);
            }
            return n;
        }
        static constexpr int conflicts = count_writes() + reader::conflicts(Target::chip(), K);
    };

    /// load_stage() leaves nothing in registers.
    struct staged_tile
    {};

    operand_source<Element> operand;
    index_t first_row;
    const Element* next; ///< this lane's first vector of the next whole tile
    index_t next_k = 0;  ///< where that tile starts; for reports
    index_t write_place; ///< place of this lane's first vector in a tile, in bytes
    reader slices;
    Element* ring;
    staged_tile staged;

    TEGULA_INLINE ldmatrix_loader(const operand_source<Element>& s, index_t row, Element* first_tile)
        : operand(s), first_row(row), slices(reader::template of_lane<Target>()), ring(first_tile)
    {
        const auto vector = load_distribution::origin(partition_index<Target, load_distribution>());
        next = s.data + (row + vector[0]) * row_stride() + vector[1] * k_stride();
        write_place = panels::place(vector[0], vector[1]);
    }

    /// Whether load_stage() can be used for the whole tiles of this block.
    TEGULA_INLINE bool has_whole_tiles() const { return operand.rows - first_row >= Rows; }

    /// Starts the next whole tile towards slot `slot` of the ring.
    TEGULA_INLINE void load_stage(int slot)
    {
        auto* tile = reinterpret_cast<std::byte*>(ring + slot * tile_elements) + write_place;
        const bool mine = internal::writes_its_elements<write_window>();
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
    /// Starts the tile at step `step` of k, which may lie partly outside the operand.
    TEGULA_INLINE void load_edge_stage(int slot, index_t step)
    {
        async_load<bounds::checked>(writer_of(slot), window_at(step * K));
    }
    TEGULA_INLINE void store_stage(int) const {}
    TEGULA_INLINE void store_stage(int, const staged_tile&) const {}

    /// Reads the slice of k that starts at element K0 of the tile in `slot`, a multiple of 64 bytes.
    template <int K0>
    TEGULA_INLINE auto read(int slot) const
    {
        return slices.template read<K0>(ring + slot * tile_elements);
    }
    /// The registers of part `Part` of `Parts` of that slice.
    template <int K0, int Part, int Parts>
    TEGULA_INLINE auto read_words(int slot) const
    {
        return slices.template read_words<K0, Part, Parts>(ring + slot * tile_elements);
    }

private:
    static consteval index_t load_linear(const multi_index<2>& step)
    {
        return rows_contiguous ? panels::layout.linear_byte(step[1], step[0])
                               : panels::layout.linear_byte(step[0], step[1]);
    }
    /// Whether each vector of a lane lies where its step from the first says.
    static consteval bool writes_divide()
    {
        for (index_t wave = 0; wave < load_distribution::p_length(0); ++wave)
            for (int lane = 0; lane < 32; ++lane)
                for (int a = 0; a < write_window::plan::accesses; ++a) {
                    const auto x = load_distribution::origin(multi_index<2>{wave, lane});
                    const auto step = write_window::plan::step(a);
                    if (panels::place(x[0] + step[0], x[1] + step[1]) != panels::place(x[0], x[1]) + load_linear(step))
                        return false;
                }
        return true;
    }
    static_assert(write_window::plan::vector == 16 / sizeof(Element) && writes_divide());

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
            Target::set_element(operand.name, x, 2, operand.data);
        }
    }

    /// Made at each use, which is at edges only: as a member its registers would be live in the main loop.
    TEGULA_INLINE write_window writer_of(int slot) const
    {
        return make_tile_window<load_distribution>(shared_view{ring + slot * tile_elements, {}, operand.name}, {0, 0});
    }
    TEGULA_INLINE global_window window_at(index_t k) const
    {
        index_t row = first_row;
        // Also keeps row * stride out of the main loop: t128x256 has no registers for it if lanes transpose bytes.
        if constexpr (sizeof(Element) == 1)
            Target::make_opaque(row);
        return make_tile_window<load_distribution>(make_operand_view<Target, Order>(operand), {row, k});
    }
};

/// The loader of an operand, by its order and the target.
template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
          int InstructionRows>
using best_operand_loader =
    std::conditional_t<Target::has_async_copy && streams_matrices<Target, Element, Rows, K, Waves, Order,
                                                                  ReadDistribution, InstructionRows>(),
                       ldmatrix_loader<Target, Element, Rows, K, Waves, Order, ReadDistribution, InstructionRows>,
                       operand_loader<Target, Element, Rows, K, Waves, Order, ReadDistribution, InstructionRows>>;

} // namespace tegula
