#pragma once

#include <tegula/block/dequantizing_loader.hpp>
#include <tegula/block/located_loader.hpp>
#include <tegula/block/making_loader.hpp>
#include <tegula/block/warpgroup.hpp>

/// Operands that no tensor copy can load: a warpgroup reads or computes their elements and writes them to shared memory
/// as wgmma and tcgen05.mma read them.

namespace tegula {

namespace detail {

/// How a lane loads N neighbours along k of a row:
///
///   raw                  what read() holds in registers while loads are in flight
///   row(source, i)       what is known of row i, for any i, past the end too
///   read(source, row, k) what lies outside the operand becomes zeros
///   finish(raw)          the elements
///   in_memory            whether elements or packets lie at source.data
///
///   Whole  whether neighbours along k lie in vectors of 16 bytes; otherwise they are read one by one
template <class Target, class Element, int N, bool Whole, class Source>
struct maker_access;

/// Elements read from their places: rows of a table, pixels under a filter.
template <class Target, class Element, int N, bool Whole, located_source Source>
struct maker_access<Target, Element, N, Whole, Source>
{
    using raw = internal::word_vector<Element, N>;
    static constexpr bool in_memory = true;

    static TEGULA_INLINE auto row(const Source& s, index_t i) { return s.row(i); }
    template <class Row>
    static TEGULA_INLINE raw read(const Source& s, const Row& row, index_t k)
    {
        if constexpr (Whole) {
            const auto at = s.find(row, s.column(s.first_k + k));
            return internal::read_words<Target, address_space::global, N>(at.pointer, at.there);
        } else {
            array<Element, N> values;
            static_for<N>([&](auto j) {
                const auto at = s.find(row, s.column(s.first_k + k + j));
                values[j] = internal::read_scalar<Target>(at.pointer, at.there);
            });
            return __builtin_bit_cast(raw, values);
        }
    }
    static TEGULA_INLINE array<Element, N> finish(const raw& x) { return x.values(); }
};

/// Elements that are computed.
template <class Target, class Element, int N, bool Whole, class Maker>
struct maker_access<Target, Element, N, Whole, made_source<Maker>>
{
    using source = made_source<Maker>;
    using raw = array<Element, N>;
    static constexpr bool in_memory = false;

    static TEGULA_INLINE index_t row(const source&, index_t i) { return i; }
    static TEGULA_INLINE raw read(const source& s, index_t row, index_t k)
    {
        Target::make_opaque(row); // what the maker computes from it is not held for all rows
        return s.template make<Target, Element, N>(row, s.first_k + k);
    }
    static TEGULA_INLINE raw finish(const raw& x) { return x; }
};

/// Integers, widened by the scale and the zero point of their group.
template <class Target, class Element, int N, bool Whole, class Form>
struct maker_access<Target, Element, N, Whole, quantized_source<Form>>
{
    using source = quantized_source<Form>;
    using packet = typename Form::packet;
    static constexpr bool in_memory = true;
    static constexpr int packets = N / Form::packing;
    static constexpr bool scaled = Form::group != 0;
    static_assert(!scaled || Form::group % N == 0,
                  "tegula: neighbours in 16 bytes must have one scale; use groups of a "
                  "multiple of them");
    struct raw
    {
        internal::word_vector<packet, packets> values;
        array<typename Form::scale, scaled ? 1 : 0> scale;
        array<typename Form::zero, Form::has_zero_points ? 1 : 0> zero;
    };

    static TEGULA_INLINE index_t row(const source&, index_t i) { return i; }
    static TEGULA_INLINE raw read(const source& s, index_t row, index_t k)
    {
        raw x{};
        const index_t first = k / Form::packing;
        const packet* const from = s.data + row * s.row_stride + first * s.k_stride;
        if (Whole && first + packets <= s.k) {
            x.values = internal::read_words<Target, address_space::global, packets>(from, row < s.rows);
        } else {
            index_t there = s.k - first;
            Target::make_opaque(there); // sums with j would take a register each, in all of the loop
            array<packet, packets> values;
            const packet* at = from; // multiples of the stride would take registers, too
            static_for<packets>([&](auto j) {
                values[j] = internal::read_scalar<Target>(at, row < s.rows && j < there);
                at += s.k_stride;
            });
            x.values = __builtin_bit_cast(decltype(x.values), values);
        }
        if constexpr (scaled) {
            const index_t group = k / Form::group;
            const bool there = row < s.rows && group < s.groups;
            x.scale[0] = internal::read_scalar<Target>(
                s.scales + row * s.scale_row_stride + group * s.scale_group_stride, there);
            if constexpr (Form::has_zero_points)
                x.zero[0] = internal::read_scalar<Target>(
                    s.zeros + row * s.zero_row_stride + group * s.zero_group_stride, there);
        }
        return x;
    }
    static TEGULA_INLINE array<Element, N> finish(const raw& x)
    {
        using run = dequantized_run<Target, Element, Form, N, Whole>;
        if constexpr (Form::has_zero_points)
            return run::make(x.values.values(), x.scale[0], x.zero[0]);
        else if constexpr (scaled)
            return run::make(x.values.values(), x.scale[0], {});
        else
            return run::make(x.values.values(), {}, {});
    }
};

} // namespace detail

/// Tiles of an operand that the four waves of a warpgroup load to shared memory through their registers. read() starts
/// a tile while the one before waits for its place; write() puts it there.
///
///   Operand  a tcgen05_operand or wgmma_operand. If its rows are contiguous, Source is a located_source whose vectors
///            lie along the rows, and Whole is true
///   Source   a located_source, made_source or quantized_source
///   Whole    see detail::maker_access
///
/// Lanes stand along a line of the tile if vectors do, so that a line is read in one go, and along the rows otherwise; in
/// both cases they write 16 bytes each to different banks.
template <class Target, class Operand, class Source, bool Whole>
class operand_maker
{
    using element = typename Operand::element_type;
    using group = warpgroup<Target>;
    static constexpr bool along_k = Operand::order == operand_order::k_contiguous;
    static_assert(along_k || Whole, "tegula: elements are made one by one along k alone");
    static constexpr int run = 16 / static_cast<int>(sizeof(element));
    using access = detail::maker_access<Target, element, run, Whole, Source>;

    // Lines of the tile lie along k, or along the rows.
    static constexpr index_t lines = along_k ? Operand::mn : Operand::k;
    static constexpr index_t vectors = (along_k ? Operand::k : Operand::mn) / run; ///< of a line
    static constexpr index_t lines_at_once = Whole ? group::threads / vectors : min(lines, group::threads);
    static constexpr index_t lanes_of_line = group::threads / lines_at_once;
    static constexpr int line_rounds = static_cast<int>(lines / lines_at_once);
    static constexpr int vector_rounds = static_cast<int>(vectors / lanes_of_line);
    static_assert(lines_at_once % 8 == 0 && lines % lines_at_once == 0 && vectors % lanes_of_line == 0,
                  "tegula: the tile does not divide among the lanes of a warpgroup; use powers of two, and at most 128 "
                  "rows if these are contiguous");
    static constexpr int known_rows = along_k ? line_rounds : vector_rounds; ///< of a lane

    Source source_;
    index_t row_; ///< the tile's first row in the operand
    index_t line_;
    index_t vector_;
    array<decltype(access::row(std::declval<const Source&>(), 0)), known_rows> rows_;
    array<typename access::raw, line_rounds * vector_rounds> staged_;

    static TEGULA_INLINE index_t thread() { return group::wave_id() * 32 + Target::lane_id(); }
    /// Line `i` of this lane, and the first element of its vector `j`.
    TEGULA_INLINE index_t line(int i) const { return line_ + i * lines_at_once; }
    TEGULA_INLINE index_t element_of(int j) const { return (vector_ + j * lanes_of_line) * run; }

public:
    /// For the tile whose first row is row `row` of the operand.
    TEGULA_INLINE operand_maker(const Source& source, index_t row)
        : source_(source), row_(row), line_(Whole ? thread() / lanes_of_line : thread() % lines_at_once),
          vector_(Whole ? thread() % lanes_of_line : thread() / lines_at_once)
    {
        static_for<known_rows>(
            [&](auto i) { rows_[i] = access::row(source_, row + (along_k ? line(i) : element_of(i))); });
    }

    /// Starts the tile at step `step` of k.
    TEGULA_INLINE void read(index_t step)
    {
        static_for<line_rounds>([&](auto i) {
            static_for<vector_rounds>([&](auto j) {
                const index_t k = step * Operand::k + (along_k ? element_of(j) : line(i));
                label(row_ + (along_k ? line(i) : element_of(j)), k);
                staged_[i * vector_rounds + j] = access::read(source_, rows_[along_k ? i : j], k);
            });
            if constexpr (!access::in_memory)
                Target::wave_barrier(); // ptxas would begin with all elements at once, and spill
        });
    }
    /// Writes what read() has started to the tile at `tile`.
    TEGULA_INLINE void write(std::byte* tile) const
    {
        constexpr index_t next_line = along_k ? Operand::offset(lines_at_once, 0) : Operand::offset(0, lines_at_once);
        static_for<line_rounds>([&](auto i) {
            static_for<vector_rounds>([&](auto j) {
                element* const to =
                    reinterpret_cast<element*>(tile) +
                    (along_k ? Operand::offset(line_, element_of(j)) : Operand::offset(element_of(j), line_)) +
                    i * next_line;
                internal::write_vector<Target, address_space::shared>(
                    to, access::finish(staged_[i * vector_rounds + j]), true);
            });
            if constexpr (i % 4 == 3 && i + 1 < line_rounds)
                Target::wave_barrier(); // ptxas would convert all vectors at once, and spill
        });
    }

private:
    /// Reports name the first element of a vector.
    TEGULA_INLINE void label([[maybe_unused]] index_t row, [[maybe_unused]] index_t k) const
    {
        if (Target::labels_enabled()) {
            const index_t x[2] = {row, k};
            if constexpr (access::in_memory)
                Target::set_element(source_.name, x, 2, source_.data);
        }
    }
};

/// Stands for a maker if tensor copies load the operand.
struct no_operand_maker
{
    TEGULA_INLINE void read(index_t) {}
    TEGULA_INLINE void write(std::byte*) const {}
};

/// The makers of both operands of a product. Loads of the next step are in flight while a stage is written.
template <class Left, class Right>
struct operand_makers
{
    Left left;
    Right right;

    TEGULA_INLINE void read(index_t step)
    {
        left.read(step);
        right.read(step);
    }
    /// Writes the step that was read, publishes its stage, and reads step `next` if it is below `last`.
    template <class Target, class Barriers, class Position>
    TEGULA_INLINE void write(std::byte* left_at, std::byte* right_at, Barriers& stages, const Position& at,
                             index_t next, index_t last)
    {
        left.write(left_at);
        right.write(right_at);
        stages.template publish_made<Target>(at);
        if (next < last)
            read(next);
    }
};

} // namespace tegula
