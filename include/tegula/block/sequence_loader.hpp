#pragma once

#include <tegula/block/ldmatrix_loader.hpp>
#include <tegula/block/row_search.hpp>
#include <tegula/block/slice_reader.hpp>

namespace tegula {

namespace detail {
/// Uses buffer loads through registers, which stop at the end of a sequence by themselves, even on chips that also have
/// asynchronous copies: gfx1250.
template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
          int InstructionRows>
using sequence_operand_loader =
    std::conditional_t<Target::has_buffer_load,
                       operand_loader<Target, Element, Rows, K, Waves, Order, ReadDistribution, InstructionRows, false>,
                       best_operand_loader<Target, Element, Rows, K, Waves, Order, ReadDistribution, InstructionRows>>;
} // namespace detail

/// A loader of operand tiles that follow each other along their stride, wherever each lies in memory: keys and values
/// of attention, whole or in pages. With k_contiguous tiles are stacked along the rows, with row_contiguous along k.
///
/// load() starts a tile on its way to shared memory, and store() completes it. After arrive() all waves may read its
/// slices, in the way of the loader that this one is made of.
template <class Target, class Element, index_t Rows, index_t K, int Waves, operand_order Order, class ReadDistribution,
          int InstructionRows>
struct sequence_loader
    : detail::sequence_operand_loader<Target, Element, Rows, K, Waves, Order, ReadDistribution, InstructionRows>
{
    using base =
        detail::sequence_operand_loader<Target, Element, Rows, K, Waves, Order, ReadDistribution, InstructionRows>;
    using load_distribution = typename base::load_distribution;
    using plan = typename base::global_window::plan;
    static constexpr int vector = 16 / static_cast<int>(sizeof(Element));
    static_assert(Order != operand_order::any && (base::buffered || base::asynchronous),
                  "tegula: tiles of a sequence come by buffer loads or by asynchronous copies of vectors");

    static constexpr bool rows_contiguous = Order == operand_order::row_contiguous;
    static constexpr int along = rows_contiguous ? 1 : 0;         ///< the dimension of the sequence
    static constexpr index_t length = rows_contiguous ? K : Rows; ///< length of a tile along it
    static constexpr index_t contiguous = rows_contiguous ? Rows : K;
    /// A kernel that multiplies so many columns has no registers for places that a loop would keep: they are
    /// recomputed.
    static constexpr bool wide = contiguous >= 256;
    static constexpr index_t bytes = base::tile_elements * static_cast<index_t>(sizeof(Element));
    using search = row_search<Target, load_distribution, plan, along>; ///< of rows for load_rows()

    index_t inside;      ///< elements of the contiguous dimension
    long_index_t stride; ///< elements from one position of the sequence to the next
    multi_index<2> first = load_distribution::origin(partition_index<Target, load_distribution>());
    array<std::uint32_t, base::buffered ? plan::accesses : 1> offsets; ///< in bytes from the tile's first element

    /// stride   elements from one position of the sequence to the next, a multiple of 16 bytes; `length` of them are
    ///          below 2^31 bytes
    /// inside   elements of the contiguous dimension; a multiple of 16 bytes too
    /// memory   `bytes` bytes of shared memory
    /// skipped  elements of the contiguous dimension before the tile's; `inside` counts from the first of them
    TEGULA_INLINE sequence_loader(long_index_t sequence_stride, index_t inside_length, std::byte* memory,
                                  const char* name, index_t skipped = 0)
        : base(operand_source<Element>{nullptr, 0, 0, 0, 0, name}, 0, reinterpret_cast<Element*>(memory)),
          inside(inside_length), stride(sequence_stride)
    {
        first[1 - along] += skipped;
        if constexpr (base::buffered)
            static_for<plan::accesses>([&](auto a) {
                constexpr auto step = plan::step(a);
                const multi_index<2> x{first[0] + step[0], first[1] + step[1]};
                const std::uint32_t there = bytes_to(x[along], x[1 - along]);
                offsets[a] = choose(x[1 - along] >= inside, 0x80000000u, there); // no buffer reaches so far
            });
    }

    /// Starts the tile whose first element is *tile. The first `extent` positions of its sequence exist, or none if it
    /// is 0 or less. The others arrive as zeros.
    TEGULA_INLINE void load(const Element* tile, index_t extent)
    {
        if constexpr (base::buffered) {
            const index_t rows = min(extent, length);
            const std::uint32_t end = rows > 0 ? bytes_to(rows - 1, inside) : 0;
            static_for<plan::accesses>([&](auto a) {
                using raw = typename decltype(base::reader)::raw;
                this->staged[a] = Target::template load_buffer<raw>({tile, end}, offsets[a]);
            });
        } else {
            index_t row = first[along], column = first[1 - along];
            if constexpr (wide) {
                Target::make_opaque(row);
                Target::make_opaque(column);
            }
            const Element* const from = tile + row * stride + column;
            const auto source = [&](const multi_index<2>& step) {
                return from + step[along] * stride + step[1 - along];
            };
            if (extent >= length && inside >= contiguous)
                copy(tile, [](const multi_index<2>&) { return true; }, source);
            else
                copy(tile, [&](const multi_index<2>& step) { return exists(step, extent); }, source);
        }
    }

    /// Starts a tile whose position x of the sequence, below `extent`, lies place(x) elements after *origin: from 0 to
    /// `reach`, below 2^31 bytes.
    TEGULA_CALLS_BACK
    template <class Place>
    TEGULA_INLINE void gather(const Element* origin, index_t extent, long_index_t reach, const Place& place)
    {
        const auto offset = [&](const multi_index<2>& step) {
            return place(first[along] + step[along]) + (first[1 - along] + step[1 - along]);
        };
        if constexpr (base::buffered) {
            const auto end = static_cast<std::uint32_t>((reach + inside) * static_cast<long_index_t>(sizeof(Element)));
            static_for<plan::accesses>([&](auto a) {
                using raw = typename decltype(base::reader)::raw;
                constexpr multi_index<2> step = plan::step(a);
                const auto there =
                    static_cast<std::uint32_t>(offset(step)) * static_cast<std::uint32_t>(sizeof(Element));
                this->staged[a] = Target::template load_buffer<raw>(
                    {origin, end}, choose(exists(step, extent), there, std::uint32_t{0x80000000u}));
            });
        } else {
            copy(
                origin, [&](const multi_index<2>& step) { return exists(step, extent); },
                [&](const multi_index<2>& step) { return origin + offset(step); });
        }
    }

    /// The position of the n-th row that this lane finds for load_rows().
    TEGULA_INLINE index_t searched(int n) const { return search::position(first[along], n); }

    /// Starts a tile whose rows lie anywhere in memory, at multiples of 16 bytes. All lanes of the block call it, and
    /// store_rows() completes it.
    ///
    ///   extent   as in load()
    ///   offsets  elements from *origin to the first of the row at searched(n), or of any row that exists if it does not
    template <int Found>
    TEGULA_INLINE void load_rows(const Element* origin, index_t extent, const array<long_index_t, Found>& offsets)
    {
        static_assert(Found == search::found);
        load_each_row(origin, extent, search::exchange(offsets));
    }
    /// load_rows() with the offsets of all rows that this lane loads.
    template <int All>
    TEGULA_INLINE void load_each_row(const Element* origin, index_t extent, const array<long_index_t, All>& offsets)
    {
        index_t column = first[1 - along];
        Target::make_opaque(column); // a loop would keep the addresses of columns in registers that it does not have
        const auto row = [&](const multi_index<2>& step) { return origin + offsets[search::row_at(step[along])]; };
        if constexpr (base::buffered) {
            // Loads under conditions would be branches. What does not exist is cleared when it is stored.
            static_for<plan::accesses>([&](auto a) {
                using raw = typename decltype(base::reader)::raw;
                constexpr multi_index<2> step = plan::step(a);
                label(step);
                const index_t there = min(column + step[1 - along], inside - plan::vector);
                this->staged[a] = Target::load_global(reinterpret_cast<const raw*>(row(step) + there));
            });
        } else {
            const auto source = [&](const multi_index<2>& step) { return row(step) + (column + step[1 - along]); };
            if (extent >= length && inside >= contiguous)
                copy(origin, [](const multi_index<2>&) { return true; }, source);
            else
                copy(origin, [&](const multi_index<2>& step) { return exists(step, extent); }, source);
        }
    }

    /// Completes load(). No lane may still be reading the tile before it.
    TEGULA_INLINE void store() const { this->store_stage(0, this->staged); }
    /// Completes load_rows() of a tile of that extent, `skipped` as in the constructor. No lane may still be reading the
    /// tile before it.
    TEGULA_INLINE void store_rows(index_t extent, [[maybe_unused]] index_t skipped = 0) const
    {
        if constexpr (!base::buffered) {
            store();
        } else {
            // With this branch LLVM 22 spills 239 registers of split keys on gfx1100.
            constexpr bool branches = Target::wave_size == 64;
            if (branches && extent >= length && inside >= skipped + contiguous)
                return store();
            index_t position = first[along], column = first[1 - along];
            Target::make_opaque(position); // a loop would hold what is compared
            Target::make_opaque(column);
            auto cleared = this->staged;
            static_for<plan::accesses>([&](auto a) {
                constexpr multi_index<2> step = plan::step(a);
                const bool there = position + step[along] < extent && column + step[1 - along] < inside;
                cleared[a] = choose(there, cleared[a], typename decltype(base::reader)::raw{});
            });
            this->store_stage(0, cleared);
        }
    }

    /// Waits until all that was loaded and stored has arrived for every wave, and all waves have come here.
    static TEGULA_INLINE void arrive()
    {
        if constexpr (base::asynchronous)
            Target::template async_wait<0>();
        Target::shared_barrier();
    }

    /// A reader of the slices of the tile that arrived: read<K0, Part, Parts>() gives the registers of a part of the
    /// slice from element K0 of k on.
    TEGULA_INLINE auto stream() const
    {
        if constexpr (base::instruction_order) {
            matrix_slices s{*this};
            if constexpr (wide)
                Target::make_opaque(s.loader.slices.lane_place);
            return s;
        } else {
            using reader = slice_reader<Target, Element, ReadDistribution, typename base::shared>;
            static_assert(reader::reads_vectors() && reader::places_divide(K),
                          "tegula: slices of a sequence's tile are read by vectors of 16 bytes");
            return reader(this->ring);
        }
    }

private:
    struct matrix_slices
    {
        base loader;

        template <int K0, int Part = 0, int Parts = 1>
        TEGULA_INLINE auto read() const
        {
            return loader.template read_words<K0, Part, Parts>(0);
        }
    };

    TEGULA_INLINE std::uint32_t bytes_to(index_t position, index_t column) const
    {
        return (static_cast<std::uint32_t>(position) * static_cast<std::uint32_t>(stride) +
                static_cast<std::uint32_t>(column)) *
               static_cast<std::uint32_t>(sizeof(Element));
    }

    /// Whether the lane's element at `step` is in the first `extent` positions and in the columns.
    TEGULA_INLINE bool exists(const multi_index<2>& step, index_t extent) const
    {
        return first[along] + step[along] < extent && first[1 - along] + step[1 - along] < inside;
    }

    TEGULA_INLINE void label([[maybe_unused]] const multi_index<2>& step) const
    {
        if (Target::labels_enabled()) {
            const index_t x[2] = {first[0] + step[0], first[1] + step[1]};
            Target::set_element(this->operand.name, x, 2, this->operand.data);
        }
    }

    /// Positions that do not exist are not read; `tile` is an address that does exist.
    TEGULA_CALLS_BACK
    template <class Exists, class Source>
    TEGULA_INLINE void copy(const Element* tile, const Exists& is_there, const Source& source)
    {
        auto* const to = reinterpret_cast<std::byte*>(this->ring) + this->write_place;
        const bool mine = internal::writes_its_elements<typename base::write_window>();
        static_for<plan::accesses>([&](auto a) {
            constexpr multi_index<2> step = plan::step(a);
            constexpr index_t place = rows_contiguous ? base::panels::layout.linear_byte(step[1], step[0])
                                                      : base::panels::layout.linear_byte(step[0], step[1]);
            label(step);
            const bool there = is_there(step);
            if (mine)
                Target::template async_copy<16>(to + place, there ? source(step) : tile, there);
        });
        Target::async_commit();
    }
};

} // namespace tegula
