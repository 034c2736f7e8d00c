#pragma once

#include <tegula/block/operand_load.hpp>
#include <tegula/layout/coordinate.hpp>
#include <tegula/layout/descriptor.hpp>
#include <tegula/layout/shared_layout.hpp>
#include <tegula/tensor/access.hpp>

namespace tegula {

/// The layout of an operand tile in shared memory: the one with the least bank conflicts for the way it is written and
/// the way it is read.
template <class Target, class Element, index_t Rows, index_t K, class LoadDistribution, class ReadDistribution>
struct operand_shared_layout
{
    static constexpr int vector = 16 / static_cast<int>(sizeof(Element));
    static constexpr wave_accesses writes =
        make_wave_accesses<LoadDistribution, vector>(Target::chip(), access_kind::store);
    static constexpr wave_accesses reads =
        make_wave_accesses<ReadDistribution, vector>(Target::chip(), access_kind::load);
    static constexpr shared_layout_value layout =
        choose_shared_layout(Target::chip(), Rows, K, static_cast<int>(sizeof(Element) * 8), writes, reads);
    /// Extra cycles one wave takes to write and read the tile once.
    static constexpr int conflicts =
        count_conflicts(Target::chip(), layout, writes) + count_conflicts(Target::chip(), layout, reads);
};

/// Where an operand lies in global memory. Strides in elements.
template <class Element>
struct operand_source
{
    const Element* data = nullptr;
    index_t rows = 0;
    index_t k = 0;
    long_index_t row_stride = 0;
    long_index_t k_stride = 0;
    const char* name = "operand";
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

/// One operand of a GEMM on its way from global memory into a ring of tiles in shared memory.
///
/// fetch() starts the next tile: where the target copies asynchronously and the operand allows it, straight into the
/// ring; elsewhere into registers, which publish() writes to the ring later, when the loads had time to arrive.
template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution>
struct operand_stream
{
    using load_distribution = tile_distribution<operand_load_source<Target, Element, Rows, K, Waves, Order>>;
    using shared = operand_shared_layout<Target, Element, Rows, K, load_distribution, ReadDistribution>;
    using descriptor = shared_descriptor<shared>;
    using shared_view = tensor_view<Target, address_space::shared, Element, descriptor>;
    using write_window = tile_window<shared_view, load_distribution>;
    using read_window = tile_window<shared_view, ReadDistribution>;
    using global_view = decltype(make_operand_view<Target, Order>(std::declval<const operand_source<Element>&>()));
    using global_window = tile_window<global_view, load_distribution>;

    static constexpr index_t tile_elements = descriptor::element_space_size();
    static constexpr bool asynchronous = Target::has_async_copy && Order == operand_order::k_contiguous;

    global_window source;
    write_window writer;
    read_window reader;
    Element* ring; ///< first tile in shared memory
    distributed_tensor<Element, load_distribution> staged;

    TEGULA_INLINE operand_stream(const operand_source<Element>& s, index_t first_row, Element* first_tile)
        : source(make_tile_window<load_distribution>(make_operand_view<Target, Order>(s), {first_row, 0})),
          writer(make_tile_window<load_distribution>(shared_view{first_tile, {}, s.name}, {0, 0})),
          reader(make_tile_window<ReadDistribution>(shared_view{first_tile, {}, s.name}, {0, 0})), ring(first_tile)
    {}

    /// Starts the next tile towards slot `slot` of the ring. `inside`: the whole tile is inside the operand.
    TEGULA_INLINE void fetch(int slot, bool inside)
    {
        if (inside)
            fetch_tile<bounds::unchecked>(slot);
        else
            fetch_tile<bounds::checked>(slot);
        source.move({0, K});
    }

    /// Completes what fetch(slot) left in registers.
    TEGULA_INLINE void publish(int slot)
    {
        if constexpr (!asynchronous) {
            writer.view.data = tile(slot);
            store(writer, staged);
        }
    }

    /// Reads the slice of k that starts at element `k` of the tile in `slot`.
    template <int KOffset>
    TEGULA_INLINE auto read(int slot) const
    {
        read_window w = reader;
        w.view.data = tile(slot);
        w.move({0, KOffset});
        return load(w);
    }

private:
    TEGULA_INLINE Element* tile(int slot) const { return ring + slot * tile_elements; }

    template <bounds Bounds>
    TEGULA_INLINE void fetch_tile(int slot)
    {
        if constexpr (asynchronous) {
            writer.view.data = tile(slot);
            async_load<Bounds>(writer, source);
        } else {
            load<Bounds>(staged, source);
        }
    }
};

} // namespace tegula
