#pragma once

#include <tegula/block/sequence_loader.hpp>

namespace tegula {

/// A sequence_loader of tiles that lie in shared memory as `Count` panels of their columns side by side, each as a tile
/// of its own: columns whose number is no power of two have no layout free of bank conflicts.
///
///   Panel  the sequence_loader of a panel, whose columns are neighbours (k_contiguous)
template <class Panel, int Count>
struct panel_loader
{
    static_assert(!Panel::rows_contiguous && Panel::buffered, "tegula: panels along k come by buffer loads");

    using shared = typename Panel::shared;
    using search = typename Panel::search;
    static constexpr bool instruction_order = Panel::instruction_order;
    static constexpr bool buffered = Panel::buffered;
    static constexpr index_t length = Panel::length;
    static constexpr index_t contiguous = Count * Panel::contiguous;
    static constexpr index_t bytes = Count * Panel::bytes;

    array<Panel, Count> panels;

    /// As in sequence_loader.
    TEGULA_INLINE panel_loader(long_index_t stride, index_t inside, std::byte* memory, const char* name,
                               index_t skipped = 0)
        : panel_loader(stride, inside, memory, name, skipped, std::make_integer_sequence<int, Count>{})
    {}

    template <class Element>
    TEGULA_INLINE void load(const Element* tile, index_t extent)
    {
        static_for<Count>([&](auto p) { panels[p].load(tile, extent); });
    }
    TEGULA_CALLS_BACK
    template <class Element, class Place>
    TEGULA_INLINE void gather(const Element* origin, index_t extent, long_index_t reach, const Place& place)
    {
        static_for<Count>([&](auto p) { panels[p].gather(origin, extent, reach, place); });
    }
    TEGULA_INLINE index_t searched(int n) const { return panels[0].searched(n); }
    template <class Element, int Found>
    TEGULA_INLINE void load_rows(const Element* origin, index_t extent, const array<long_index_t, Found>& offsets)
    {
        const auto all = search::exchange(offsets); // the panels have the same rows
        static_for<Count>([&](auto p) { panels[p].load_each_row(origin, extent, all); });
    }
    TEGULA_INLINE void store() const
    {
        static_for<Count>([&](auto p) { panels[p].store(); });
    }
    TEGULA_INLINE void store_rows(index_t extent)
    {
        static_for<Count>([&](auto p) { panels[p].store_rows(extent, p * Panel::contiguous); });
    }
    static TEGULA_INLINE void arrive() { Panel::arrive(); }
    TEGULA_INLINE auto stream() const { return panel_stream{*this}; }

private:
    template <int... Ps>
    TEGULA_INLINE panel_loader(long_index_t stride, index_t inside, std::byte* memory, const char* name,
                               index_t skipped, std::integer_sequence<int, Ps...>)
        : panels{{Panel(stride, inside, memory + Ps * Panel::bytes, name, skipped + Ps * Panel::contiguous)...}}
    {}

    struct panel_stream
    {
        const panel_loader& loader;

        template <int K0, int Part = 0, int Parts = 1>
        TEGULA_INLINE auto read() const
        {
            constexpr int columns = static_cast<int>(Panel::contiguous);
            return loader.panels[K0 / columns].stream().template read<K0 % columns, Part, Parts>();
        }
    };
};

namespace detail {
template <class Target, class Element, index_t Rows, index_t K, int Waves, class ReadDistribution, int InstructionRows>
struct column_loader_of
{
    /// Columns of a panel. The panels of ldmatrix_loader take any number of columns themselves.
    static constexpr index_t panel = Target::has_async_copy ? K : power_of_two_divisor(static_cast<int>(K), 1 << 20);
    using panel_type = sequence_loader<Target, Element, Rows, panel, Waves, operand_order::k_contiguous,
                                       ReadDistribution, InstructionRows>;
    using type = std::conditional_t<panel == K, panel_type, panel_loader<panel_type, static_cast<int>(K / panel)>>;
};
} // namespace detail

/// The loader of tiles [Rows, K] of a sequence of rows whose K columns are neighbours: whole or as panels.
template <class Target, class Element, index_t Rows, index_t K, int Waves, class ReadDistribution, int InstructionRows>
using column_loader =
    typename detail::column_loader_of<Target, Element, Rows, K, Waves, ReadDistribution, InstructionRows>::type;

} // namespace tegula
