#pragma once

#include <tegula/block/direct_column_loader.hpp>
#include <tegula/block/located_loader.hpp>
#include <tegula/core/status.hpp>

/// Loaders of located_sources whose vectors of 16 bytes are whole or not there, straight into shared memory. Each lane of a
/// direct load has an offset of its own. Past the end of every buffer it brings zeros for what is not there, so that ragged
/// tiles come like whole ones.
///
/// Source has in addition `extent`: all elements are among so many from `data` on; check_direct_reach has checked it.

namespace tegula {

namespace detail {

/// An offset that no buffer reaches; a function, or it would be loaded from memory.
consteval std::uint32_t no_offset() { return std::uint32_t{1} << 31; }

} // namespace detail

/// A direct_loader of rows that start anywhere: Source::row(i) has `start` and `there`. Offsets are found once; the start of
/// the tile moves as in direct_loader.
template <class Target, class Source, class Element, index_t Rows, index_t K, int Waves, class ReadDistribution>
struct direct_gathered_loader : direct_loader<Target, Element, Rows, K, Waves, ReadDistribution, 1>
{
    using base = direct_loader<Target, Element, Rows, K, Waves, ReadDistribution, 1>;

    long_index_t extent; ///< elements from first_k of the first row on
    index_t k;

    TEGULA_INLINE direct_gathered_loader(const Source& s, index_t row, Element* first_tile)
        : base(operand_source<Element>{s.data + s.first_k, Rows, s.k, 0, 1, s.name}, 0, first_tile),
          extent(s.extent - s.first_k), k(s.k)
    {
        this->reader.end = bytes_of(extent - k + K);
        static_for<base::loads>([&](auto i) {
            const multi_index<2> x = base::element_of(i);
            const auto from = s.row(row + x[0]);
            this->offsets[i] = choose(from.there, bytes_of(from.start - s.data + x[1]), detail::no_offset());
        });
    }

    static constexpr TEGULA_HOST_DEVICE bool has_whole_tiles() { return true; }

    TEGULA_INLINE void load_edge_stage(int slot, index_t step)
    {
        const index_t k0 = step * K;
        Element* const first = this->ring + slot * base::tile_elements + this->wave_first;
        static_for<base::loads>([&](auto i) {
            const bool inside = k0 + base::element_of(i)[1] < k;
            Target::load_direct({this->operand.data + k0, bytes_of(extent - k0)},
                                choose(inside, this->offsets[i], detail::no_offset()), first + i * base::load_elements);
        });
    }

private:
    /// An empty table has no elements.
    static TEGULA_INLINE std::uint32_t bytes_of(long_index_t elements)
    {
        return static_cast<std::uint32_t>(max(elements, long_index_t{0}) * static_cast<long_index_t>(sizeof(Element)));
    }
};

/// Base, a direct_loader or direct_column_loader, of any located_source. Facts about a lane's rows stay in registers over the k
/// loop; facts about its k are worked out in each step.
///
/// Source may also have direct_offset(row, column): the offset in bytes, at least 2^31 if the element is not there; and
/// complete(rows), which finishes the facts about all of a lane's rows.
template <class Base, class Source>
struct direct_located_loader : Base
{
    using row_place = decltype(std::declval<const Source&>().row(0));
    using column_place = decltype(std::declval<const Source&>().column(0));
    using element_type = std::remove_cvref_t<decltype(*Base::ring)>;
    using Base::loads;

private:
    /// Loads after which a lane has the same row (Dim 0) or k (Dim 1) of a tile again.
    template <int Dim>
    static consteval int find_period()
    {
        const auto at = [](int load, int lane) {
            return Base::element_at(load * Base::load_elements + lane * Base::chunk)[Dim];
        };
        for (int n = 1; n < loads; ++n) {
            bool same = loads % n == 0;
            for (int i = 0; same && i < Base::tile_elements / Base::load_elements; ++i)
                for (int lane = 0; lane < Base::load_elements / Base::chunk; ++lane)
                    same = same && at(i, lane) == at(i / loads * loads + i % n, lane);
            if (same)
                return n;
        }
        return loads;
    }
    static constexpr int row_period = find_period<0>();
    static constexpr int k_period = find_period<1>();

public:
    Source source;
    array<row_place, row_period> places;
    index_t next_step = 0; ///< next step for load_stage()
    /// Facts about its k, if they are the same for all loads; they are worked out a step ahead, hidden behind products.
    array<column_place, k_period == 1 ? 1 : 0> columns;

    /// s: a Source, or what its base is.
    template <class From>
    TEGULA_INLINE direct_located_loader(const From& s, index_t row, element_type* first_tile)
        : Base(operand_source<element_type>{s.data, 0, 0, 0, 0, s.name}, 0, first_tile), source{s}
    {
        static_for<row_period>([&](auto i) { places[i] = source.row(row + Base::element_of(i)[0]); });
        if constexpr (requires { source.complete(places); })
            source.complete(places);
        find_columns(0);
    }

    static constexpr TEGULA_HOST_DEVICE bool has_whole_tiles() { return true; }

    TEGULA_INLINE void load_stage(int slot)
    {
        load(slot, next_step++);
        find_columns(next_step);
    }
    TEGULA_INLINE void load_edge_stage(int slot, index_t step)
    {
        find_columns(step);
        load(slot, step);
    }

private:
    TEGULA_INLINE column_place column(int i, index_t step) const
    {
        return source.column(source.first_k + step * Base::tile_k + Base::element_of(i)[1]);
    }
    TEGULA_INLINE void find_columns(index_t step)
    {
        if constexpr (k_period == 1)
            columns[0] = column(0, step);
    }
    TEGULA_INLINE void load(int slot, index_t step) const
    {
        // Places of loads are computed in each step: kept, all of them would fill the scalar registers.
        long_index_t wave_first = this->wave_first;
        Base::target::make_opaque(wave_first);
        element_type* const first = this->ring + slot * Base::tile_elements + wave_first;
        const std::uint32_t end = static_cast<std::uint32_t>(source.extent) * element_bytes;
        static_for<loads>([&](auto i) {
            column_place of_load;
            if constexpr (k_period == 1)
                of_load = columns[0];
            else
                of_load = column(i, step);
            Base::target::load_direct({source.data, end}, offset(places[i % row_period], of_load),
                                      first + i * Base::load_elements);
        });
    }

    static constexpr auto element_bytes = static_cast<std::uint32_t>(sizeof(element_type));

    TEGULA_INLINE std::uint32_t offset(const row_place& row, const column_place& column) const
    {
        if constexpr (requires { source.direct_offset(row, column); }) {
            return source.direct_offset(row, column);
        } else {
            const auto from = source.find(row, column);
            const std::uint32_t there = static_cast<std::uint32_t>(from.pointer - source.data) * element_bytes;
            return choose(from.there, there, detail::no_offset());
        }
    }
};

/// Whether direct loads of elements T reach so many.
template <class T>
status check_direct_reach(const char* name, long_index_t elements)
{
    constexpr long_index_t limit = (long_index_t{1} << 31) / static_cast<long_index_t>(sizeof(T));
    if (elements <= limit)
        return {};
    return status(status_code::unsupported, name) << " lies in " << elements << " elements; direct loads reach "
                                                  << limit << ": take a tile without them, such as t128x128";
}

} // namespace tegula
