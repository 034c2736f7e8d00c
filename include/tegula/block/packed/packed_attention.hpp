#pragma once

#include <tegula/block/packed/packed_output.hpp>
#include <tegula/block/packed/packed_rows.hpp>
#include <tegula/block/packed/strict_panels.hpp>
#include <tegula/block/softmax_rows.hpp>
#include <tegula/core/math.hpp>
#include <tegula/tensor/access.hpp>
#include <tegula/tensor/tile_window.hpp>

/// The parts of attention on a CPU, with the interfaces of the parts for GPUs. Operands come as packed panels, scores
/// and output lie in the block's shared memory, and the softmax passes over the rows there.

namespace tegula {

/// The left operand of a product as a panel: rows of words.
struct packed_panel
{
    const std::byte* data = nullptr;
    index_t rows = 0;
};

/// Rows that lie anywhere, row r `offsets[r]` elements after *data. The elements of each are neighbours.
template <class Element>
struct scattered_rows : operand_source<Element>
{
    const long_index_t* offsets = nullptr;

    TEGULA_INLINE const Element* start_of(index_t row) const { return this->data + offsets[row]; }
};

/// Panels of an operand with a sequence as one dimension: the counterpart of sequence_loader. store() packs a tile;
/// until then only its place is noted.
///
///   Operations  native_panels or strict_panels
///   Length      elements of a tile along the sequence
///   Side        which panel it becomes
enum class packed_side {
    left,            ///< rows of A along the sequence
    right,           ///< columns of B along the sequence
    right_by_columns ///< the sequence is k of B
};
template <class Operations, class Element, index_t Length, packed_side Side>
struct packed_sequence
{
    using I = typename Operations::instruction;
    static constexpr index_t length = Length;
    static constexpr bool buffered = false;
    static constexpr index_t row_bytes = Operations::depth * static_cast<index_t>(sizeof(typename I::word));
    static constexpr index_t bytes = Length * row_bytes; ///< bytes of a panel with rows or columns along the sequence

    std::byte* panel;
    index_t columns; ///< elements of the other dimension
    long_index_t stride;
    const char* name;
    const Element* tile = nullptr;
    index_t extent = 0; ///< length of the tile that load() noted

    TEGULA_INLINE packed_sequence(long_index_t sequence_stride, index_t inside, std::byte* memory, const char* label)
        : panel(memory), columns(inside), stride(sequence_stride), name(label)
    {}

    /// Notes the tile from *first on; `count` positions of its sequence exist; 0 or less: none.
    TEGULA_INLINE void load(const Element* first, index_t count)
    {
        tile = first;
        extent = min(max(count, 0), Length);
    }
    /// Packs rows that lie place(r) elements after *origin.
    template <class Place>
    TEGULA_INLINE void gather(const Element* origin, index_t count, long_index_t, const Place& place)
    {
        static_assert(Side == packed_side::left);
        load(origin, count);
        for (index_t r = 0; r < round_up(extent, I::rows); ++r) {
            const bool exists = r < extent;
            const operand_source<Element> row{exists ? origin + place(r) : origin, exists ? 1 : 0, columns, 0, 1, name};
            Operations::pack_a(panel + r * row_bytes, row, 0, 1, 0, columns);
        }
        gathered = true;
    }

    TEGULA_INLINE void store() const
    {
        if (gathered || extent == 0)
            return;
        if constexpr (Side == packed_side::left) {
            const operand_source<Element> s{tile, extent, columns, stride, 1, name};
            Operations::pack_a(panel, s, 0, round_up(extent, I::rows), 0, columns);
        } else if constexpr (Side == packed_side::right) {
            const operand_source<Element> s{tile, extent, columns, stride, 1, name};
            Operations::pack_b(panel, s, 0, round_up(Length, I::tile_columns), 0, columns);
        } else {
            const operand_source<Element> s{tile, columns, extent, 1, stride, name};
            Operations::pack_b(panel, s, 0, round_up(columns, I::tile_columns), 0, Length);
        }
    }
    /// Every row is looked for, and keys and values share the search.
    struct search
    {
        static constexpr int found = Length;
        template <class>
        static consteval bool finds_rows_of()
        {
            return true;
        }
    };
    TEGULA_INLINE index_t searched(int n) const { return n; }
    /// As in sequence_loader, but packs the rows: the one thread of the block has multiplied what the panel held.
    TEGULA_INLINE void load_rows(const Element* origin, index_t count, const array<long_index_t, Length>& offsets)
    {
        static_assert(Side != packed_side::left);
        extent = min(max(count, 0), Length);
        const auto end_of_run = [&](index_t row) {
            do
                ++row;
            while (row < extent && offsets[row] - offsets[row - 1] == stride);
            return row;
        };
        if constexpr (Side == packed_side::right_by_columns) { // run by run, the last one with zeros behind it
            for (index_t first = 0, last = 0; first < extent; first = last) {
                last = end_of_run(first);
                const operand_source<Element> s{origin + offsets[first], columns, last - first, 1, stride, name};
                Operations::pack_b(panel + first * word_row_bytes, s, 0, round_up(columns, I::tile_columns), 0,
                                   (last < extent ? last : Length) - first);
            }
        } else if (end_of_run(0) >= extent) {
            load(origin + offsets[0], count);
            store();
        } else {
            const scattered_rows<Element> s{{origin, extent, columns, 0, 1, name}, &offsets[0]};
            Operations::pack_b(panel, s, 0, round_up(Length, I::tile_columns), 0, columns);
        }
    }
    TEGULA_INLINE void store_rows(index_t) const {}
    static TEGULA_INLINE void arrive() {}

    /// acc += a b^T with the tile as b; sets the rows and columns of acc.
    template <class Accumulators>
    TEGULA_INLINE void multiply(Accumulators& acc, const packed_panel& a) const
    {
        static_assert(Side != packed_side::left);
        constexpr bool by_columns = Side == packed_side::right_by_columns;
        acc.rows = a.rows;
        acc.columns = round_up(by_columns ? columns : Length, I::tile_columns);
        Operations::multiply(acc.view(), acc.columns, a.data, panel, by_columns ? Length : columns);
        acc.is_zero = false;
    }

private:
    static constexpr index_t word_row_bytes = I::tile_columns * static_cast<index_t>(sizeof(typename I::word));

    bool gathered = false;
};

/// A matrix of floats in the block's shared memory, from byte First on: accumulators of a product.
template <class Target, index_t First, index_t Pitch>
struct packed_matrix : accumulators_in_memory<float>
{
    TEGULA_INLINE packed_matrix()
        : accumulators_in_memory<float>{reinterpret_cast<float*>(Target::shared_memory() + First), Pitch}
    {}
    TEGULA_INLINE void clear() { is_zero = true; }
    TEGULA_INLINE const accumulators_in_memory<float>& view() const { return *this; }
    TEGULA_INLINE float* row(index_t i) const { return data + i * pitch; }
};

/// The product of a block whose operands are panels: the counterpart of the product in registers.
template <class Mma, int Slices, bool Crowded = false, class SliceOfA, class Loader>
    requires(Mma::in_memory)
TEGULA_INLINE void streamed_product(typename Mma::accumulators& acc, const SliceOfA& a_of, const Loader& loader)
{
    static_assert(Slices == 1);
    loader.multiply(acc, a_of(constant<0>{}));
}

/// The scores of a block, [rows, Columns], every element in memory.
///
///   Rows  native_rows or strict_rows
template <class Rows, class Distribution, index_t Columns>
struct packed_scores
{
    using value_type = float;
    using distribution = Distribution; ///< distribution of a part of a row, for windows

    float* data = nullptr;
    index_t rows = 0;
};

/// As for tiles in registers.
template <class Target, class Rows, class Distribution, index_t Columns, class F>
TEGULA_INLINE void sweep(packed_scores<Rows, Distribution, Columns>& x, const F& f)
{
    Rows::change(x.data, Columns, x.rows, Columns, f);
}
template <class Rows, class Distribution, index_t Columns, class F>
TEGULA_INLINE void transform(packed_scores<Rows, Distribution, Columns>& x, const F& f)
{
    Rows::change(x.data, Columns, x.rows, Columns, [&](float& value, const auto&) { value = f(value); });
}
/// x = f(x, y) with y read through the window, element by element.
template <class Rows, class Distribution, index_t Columns, class Window, class F>
TEGULA_INLINE void combine_with(packed_scores<Rows, Distribution, Columns>& x, Window window, const F& f)
{
    constexpr index_t part = Distribution::num_registers;
    for (index_t i = 0; i < x.rows; ++i) {
        for (index_t j = 0; j < Columns; j += part) {
            const auto y = load(window);
            Rows::change(x.data + i * Columns + j, part, 1, part,
                         [&](float& value, const auto& place) { value = f(value, y[place[1]]); });
            window.move({0, part});
        }
        window.move({1, -Columns});
    }
}

/// The softmax of rows that come a tile of columns at a time and lie in memory: see online_softmax, whose rule for the
/// reference this one follows row by row. Every row is treated as one whose reference is far from 0.
///
///   Rows         native_rows or strict_rows
///   Queries      largest number of rows
///   Keys         columns of a tile
///   Accumulators  accumulators of the output
template <class Target, class Rows, index_t Queries, index_t Keys, class Accumulators>
struct packed_softmax
{
    /// All rows in the one lane. lse may start at any element, so that they are accessed one by one: the lane's digit
    /// of length 1 ends the run of neighbours.
    struct all_rows
    {
        static constexpr encoding_value raw = [] {
            encoding_value e;
            e.hs = {encoding_value::lengths_type{Queries, 1}};
            e.ps = {encoding_value::digits_type{}, encoding_value::digits_type{rh_digit{1, 1}}};
            e.ys = {rh_digit{1, 0}};
            return e;
        }();
        static constexpr const encoding_value& value = raw;
    };
    using row_distribution = tile_distribution<all_rows>;
    using rows = distributed_tensor<float, row_distribution>;
    using accumulators = Accumulators;

    static constexpr float slack = 8; ///< how far, as a power of two, a row's maximum may be above its reference

    float reference[Queries]; ///< a score
    float sum[Queries];

    TEGULA_INLINE void clear()
    {
        for (index_t r = 0; r < Queries; ++r) {
            reference[r] = -greatest_float;
            sum[r] = 0;
        }
    }

    /// Rescales what was summed up before if it must; scores = exp(scale * (scores - reference)). The difference comes
    /// first: it is exact near the greatest score. scale > 0.
    template <class Scores>
    TEGULA_INLINE void update(Scores& scores, float scale, accumulators& output)
    {
        const float to_exponent = scale * log2_of_e;
        for (index_t r = 0; r < scores.rows; ++r) {
            float* const x = scores.data + r * Keys;
            const float highest = Rows::highest(x, Keys);
            if ((highest - reference[r]) * to_exponent > slack) {
                const float factor = Target::exp2((reference[r] - highest) * to_exponent);
                reference[r] = highest;
                sum[r] *= factor;
                multiply_row(output, r, factor);
            }
            sum[r] += Rows::exponentials(x, Keys, to_exponent, reference[r]);
        }
    }

    /// As online_softmax::finish.
    TEGULA_INLINE softmax_row_ends<rows> finish(accumulators& output, const rows& extra, float scale)
    {
        softmax_row_ends<rows> ends;
        for (index_t r = 0; r < Queries; ++r) {
            const float shift = Target::max_number(reference[r] * scale, -greatest_float);
            ends.set(r, end_softmax_row<Target>(shift, 0, sum[r], extra[r]));
            if (r < output.rows)
                multiply_row(output, r, ends.factor[r]);
        }
        return ends;
    }

private:
    static TEGULA_INLINE void multiply_row(accumulators& output, index_t r, float factor)
    {
        if (!output.is_zero)
            Rows::scale(output.row(r), output.columns, factor);
    }
};

} // namespace tegula
