#pragma once

#include <tegula/block/packed/packed_loop.hpp>
#include <tegula/mma/atom.hpp>

namespace tegula {

/// native_panels by the primitives of a strict target: every element read and written is checked, and the products are
/// the instruction table's.
template <class Target, class Instruction, index_t Depth>
struct strict_panels
{
    using instruction = Instruction;
    static constexpr index_t depth = Depth;
    // Shortcuts of native_panels.
    static constexpr bool multiplies_unpacked = false;
    template <class>
    static constexpr bool multiplies_in_place = false;
    template <class>
    static constexpr bool copies = false;

    static index_t depth_of(index_t) { return Depth; }
    using I = Instruction;
    using a_type = typename I::a_type;
    using b_type = typename I::b_type;
    using c_type = typename I::c_type;

    template <class Source>
    static void pack_a(std::byte* to, const Source& s, index_t row, index_t rows, index_t k, index_t words)
    {
        auto* const panel = reinterpret_cast<a_type*>(to);
        for (index_t r = 0; r < rows; ++r)
            for (index_t e = 0; e < words * I::per_word; ++e) {
                auto x = static_cast<std::conditional_t<has_bias, std::int8_t, a_type>>(read(s, row + r, k + e));
                write_shared(panel + r * Depth * I::per_word + e, as_operand(x));
            }
    }
    template <class Source>
    static void pack_b(std::byte* to, const Source& s, index_t column, index_t columns, index_t k, index_t words)
    {
        for (index_t c = 0; c < columns; ++c) {
            std::byte* const panel = to + c / I::tile_columns * panel_bytes;
            auto* const elements = reinterpret_cast<b_type*>(panel + start_bytes);
            const index_t place = c % I::tile_columns;
            c_type sum{};
            for (index_t e = 0; e < words * I::per_word; ++e) {
                const auto x = static_cast<b_type>(read(s, column + c, k + e));
                write_shared(elements + (e / I::per_word * I::tile_columns + place) * I::per_word + e % I::per_word, x);
                if constexpr (has_bias)
                    sum -= 128 * x;
            }
            if constexpr (has_bias)
                write_shared(reinterpret_cast<c_type*>(panel) + place, sum);
        }
    }
    template <class Accumulators>
    static void multiply(const Accumulators& acc, index_t columns, const std::byte* a, const std::byte* b,
                         index_t words)
    {
        if constexpr (I::is_tile) {
            for (index_t j = 0; j < columns; j += 16)
                for (index_t i = 0; i < acc.rows; i += 16)
                    multiply_tile(acc, i, j, a + i * Depth * word_bytes, b + j / I::tile_columns * panel_bytes,
                                  j % I::tile_columns, words);
            return;
        }
        for (index_t j = 0; j < columns; j += I::columns)
            for (index_t i = 0; i < acc.rows; ++i)
                multiply_register(acc, i, j, a + i * Depth * word_bytes, b + j / I::tile_columns * panel_bytes,
                                  j % I::tile_columns, words);
    }
    template <class F>
    static void call(const F& f)
    {
        f();
    }
    template <class Accumulators, int N>
    static void read(array<c_type, N>& row, const Accumulators& acc, index_t i, index_t j)
    {
        for (int c = 0; c < N; ++c)
            row[c] = acc.is_zero ? c_type{} : read_shared(acc.data + i * acc.pitch + j + c);
    }

private:
    static constexpr bool has_bias = I::a_bias != 0;
    static constexpr index_t word_bytes = sizeof(typename I::word);
    static constexpr index_t start_bytes = has_bias ? I::tile_columns * word_bytes : 0;
    static constexpr index_t panel_bytes = Depth * I::tile_columns * word_bytes + start_bytes;

    /// One tile register of accumulators: rows from i on, columns from j on, by the instruction of the table on tiles.
    template <class Accumulators>
    static void multiply_tile(const Accumulators& acc, index_t i, index_t j, const std::byte* a, const std::byte* panel,
                              index_t place, index_t words)
    {
        constexpr int run = I::per_word * 16; // elements of a tile's row
        using atom = mma_atom<Target, a_type, b_type, c_type, 16, 16, run>;
        array<c_type, 256> sums;
        for (int e = 0; e < 256; ++e)
            sums[e] = acc.is_zero ? c_type{} : read_shared(acc.data + (i + e / 16) * acc.pitch + j + e % 16);
        const auto* const left = reinterpret_cast<const a_type*>(a);
        const auto* const right = reinterpret_cast<const b_type*>(panel);
        for (index_t w = 0; w < words; w += 16) {
            array<a_type, 16 * run> x;
            array<b_type, 16 * run> y;
            for (int r = 0; r < 16; ++r)
                for (int e = 0; e < run; ++e) {
                    x[r * run + e] = read_shared(left + (r * Depth + w) * I::per_word + e);
                    y[r * run + e] = read_shared(right + ((w + r) * I::tile_columns + place) * I::per_word + e);
                }
            atom::multiply(sums, x, y);
        }
        for (int e = 0; e < 256; ++e)
            write_shared(acc.data + (i + e / 16) * acc.pitch + j + e % 16, sums[e]);
    }

    /// One register of accumulators: row i, columns from j on, which are at `place` of B's panel.
    template <class Accumulators>
    static void multiply_register(const Accumulators& acc, index_t i, index_t j, const std::byte* a,
                                  const std::byte* panel, index_t place, index_t words)
    {
        c_type* const c = acc.data + i * acc.pitch + j;
        array<c_type, I::columns> sums;
        for (int n = 0; n < I::columns; ++n) {
            sums[n] = acc.is_zero ? c_type{} : read_shared(c + n);
            if constexpr (has_bias)
                sums[n] += read_shared(reinterpret_cast<const c_type*>(panel) + place + n);
        }
        const auto* const rows = reinterpret_cast<const a_type*>(a);
        const auto* const elements = reinterpret_cast<const b_type*>(panel + start_bytes);
        for (index_t w = 0; w < words; ++w) {
            array<a_type, I::per_word> left;
            for (int e = 0; e < I::per_word; ++e)
                left[e] = read_shared(rows + w * I::per_word + e);
            array<b_type, I::per_word * I::columns> right;
            for (int e = 0; e < right.size(); ++e)
                right[e] = read_shared(elements + (w * I::tile_columns + place) * I::per_word + e);
            multiply_word(sums, left, right);
        }
        for (int n = 0; n < I::columns; ++n)
            write_shared(c + n, sums[n]);
    }

    static void multiply_word(array<c_type, I::columns>& c, const array<a_type, I::per_word>& a,
                              const array<b_type, I::per_word * I::columns>& b)
    {
        if constexpr (has_mma_atom<Target, a_type, b_type, c_type, 1, I::columns, I::per_word>)
            mma_atom<Target, a_type, b_type, c_type, 1, I::columns, I::per_word>::multiply(c, a, b);
        else // two instructions in the place of one
            for (int n = 0; n < I::columns; ++n)
                for (int e = 0; e < I::per_word; ++e)
                    c[n] += static_cast<c_type>(a[e]) * static_cast<c_type>(b[n * I::per_word + e]);
    }

    template <class Source>
    static auto read(const Source& s, index_t row, index_t k)
    {
        using T = std::remove_const_t<std::remove_pointer_t<decltype(s.data)>>;
        const bool there = row < s.rows && k < s.k;
        const T* element = s.data + row * s.row_stride + k * s.k_stride;
        if constexpr (requires { s.start_of(row); })
            element = there ? s.start_of(row) + k : s.data;
        const auto* const from = reinterpret_cast<const raw_vector<sizeof(T)>*>(element);
        const index_t x[] = {row, k};
        Target::set_element(s.name, x, 2, s.data);
        if constexpr (Source::is_staged)
            return __builtin_bit_cast(T, Target::load_shared(from, there));
        else
            return __builtin_bit_cast(T, Target::load_global(from, there));
    }
    /// The instruction's operand for x.
    template <class T>
    static a_type as_operand(T x)
    {
        if constexpr (has_bias)
            return static_cast<a_type>(static_cast<a_type>(x) ^ 0x80);
        else
            return x;
    }
    template <class T>
    static T read_shared(const T* p)
    {
        return __builtin_bit_cast(T, Target::load_shared(reinterpret_cast<const raw_vector<sizeof(T)>*>(p)));
    }
    template <class T>
    static void write_shared(T* p, T x)
    {
        Target::store_shared(reinterpret_cast<raw_vector<sizeof(T)>*>(p), __builtin_bit_cast(raw_vector<sizeof(T)>, x));
    }
};

} // namespace tegula
