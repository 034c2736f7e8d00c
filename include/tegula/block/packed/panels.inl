// Panels of packed operands and their products, for the instructions of one region: included once in the namespace of
// each instruction set (block/packed/panels.hpp), inside its region. I is one of its instructions.
//
// Panel of A: rows of Depth words, one after the other; for tiles, squares of 16 rows and 16 words. Panel of B: tile_columns columns, k by k. If A has a bias,
// first comes what it adds to the accumulators, to be subtracted.

/// A square of words, transposed in registers: squares of half the side are swapped, from single words up.
template <class I, int Side, int... Js>
TEGULA_X86_INLINE void swap_squares(typename I::words& x, typename I::words& y, std::integer_sequence<int, Js...>)
{
    constexpr int n = sizeof...(Js);
    const typename I::words upper = __builtin_shufflevector(x, y, ((Js & Side) == 0 ? Js : n + Js - Side)...);
    const typename I::words lower = __builtin_shufflevector(x, y, ((Js & Side) == 0 ? Js + Side : n + Js)...);
    x = upper;
    y = lower;
}
template <class I, int Side, int... Is>
TEGULA_X86_INLINE void swap_all_squares(typename I::words* v, std::integer_sequence<int, Is...>)
{
    constexpr int n = I::columns;
    ((Is & Side ? void() : swap_squares<I, Side>(v[Is], v[Is | Side], std::make_integer_sequence<int, n>{})), ...);
}
template <class I>
TEGULA_X86_INLINE void transpose(typename I::words (&v)[I::columns])
{
    using all = std::make_integer_sequence<int, I::columns>;
    swap_all_squares<I, 1>(v, all{});
    swap_all_squares<I, 2>(v, all{});
    if constexpr (I::columns > 4)
        swap_all_squares<I, 4>(v, all{});
    if constexpr (I::columns > 8)
        swap_all_squares<I, 8>(v, all{});
}

// Not by memcpy, which takes a register's address: GCC then writes it back to memory in every round of a loop.

template <class I>
TEGULA_X86_INLINE typename I::words read_words(const void* p)
{
    return *static_cast<const typename I::words_in_memory*>(p);
}
template <class I>
TEGULA_X86_INLINE void write_words(void* p, typename I::words v)
{
    *static_cast<typename I::words_in_memory*>(p) = v;
}
template <class I>
TEGULA_X86_INLINE typename I::vector read_vector(const void* p)
{
    return *static_cast<const typename I::vector_in_memory*>(p);
}
template <class I>
TEGULA_X86_INLINE void write_vector(void* p, typename I::vector v)
{
    *static_cast<typename I::vector_in_memory*>(p) = v;
}

/// A register of words from neighbouring elements along k.
template <class I, class T>
TEGULA_X86_INLINE typename I::words read_run(const T* p)
{
    if constexpr (sizeof(T) != sizeof(typename I::b_type)) {
        return I::convert(p);
    } else {
        return read_words<I>(p);
    }
}

/// A register of words whose elements are neighbours along the rows, `k_stride` apart along k.
template <class I, class T>
TEGULA_X86_INLINE typename I::words read_across(const T* p, long_index_t k_stride)
{
    using words = typename I::words;
    if constexpr (I::per_word == 1) {
        return read_run<I>(p);
    } else {
        constexpr int width = 8 * sizeof(typename I::b_type);
        words v = I::widen(p);
#pragma GCC unroll 4
        for (int i = 1; i < I::per_word; ++i)
            v |= I::widen(p + i * k_stride) << (width * i);
        return v;
    }
}

/// The square of `columns` x `columns` words of an operand at (row, k). A register has words of a row, or of a k; the
/// result says which. Words that the operand does not have are zero.
template <class I, class Source>
TEGULA_X86_INLINE bool read_square(typename I::words (&v)[I::columns], const Source& s, index_t row, index_t k)
{
    using T = std::remove_const_t<std::remove_pointer_t<decltype(s.data)>>;
    constexpr int n = I::columns, deep = n * I::per_word;
    const index_t rows = s.rows - row, length = s.k - k;
    if constexpr (requires { s.start_of(row); }) {
        for (int i = 0; i < n; ++i) {
            if (i < rows && length >= deep) {
                v[i] = read_run<I>(s.start_of(row + i) + k);
                continue;
            }
            T some[deep]{};
            for (int j = 0; i < rows && j < length; ++j)
                some[j] = s.start_of(row + i)[k + j];
            v[i] = read_run<I>(some);
        }
        return true;
    }
    const T* const from = s.data + row * s.row_stride + k * s.k_stride;
    if (s.k_stride == 1 && length >= deep && rows >= n) {
#pragma GCC unroll 16
        for (int i = 0; i < n; ++i)
            v[i] = read_run<I>(from + i * s.row_stride);
        return true;
    }
    if (s.row_stride == 1 && rows >= n && length >= deep) {
#pragma GCC unroll 16
        for (int i = 0; i < n; ++i)
            v[i] = read_across<I>(from + i * I::per_word * s.k_stride, s.k_stride);
        return false;
    }
    if (s.k_stride == 1 && length >= deep) {
        for (int i = 0; i < n; ++i)
            v[i] = i < rows ? read_run<I>(from + i * s.row_stride) : typename I::words{};
        return true;
    }
    if (s.row_stride == 1 && rows >= n && length % I::per_word == 0) {
        for (int i = 0; i < n; ++i)
            v[i] = i * I::per_word < length ? read_across<I>(from + i * I::per_word * s.k_stride, s.k_stride)
                                            : typename I::words{};
        return false;
    }
    T some[n][deep]{};
    for (int i = 0; i < n && i < rows; ++i)
        for (int j = 0; j < deep && j < length; ++j)
            some[i][j] = from[i * s.row_stride + j * s.k_stride];
    for (int i = 0; i < n; ++i)
        v[i] = read_run<I>(some[i]);
    return true;
}

/// Prefetches the cache lines of the square at (row, k), which is packed soon. `along` is where the square begins in
/// what is packed along the lines; lines that a square before has prefetched are skipped.
template <class I, class Source>
TEGULA_X86_INLINE void prefetch_square(const Source& s, index_t row, index_t k, index_t along)
{
    constexpr long_index_t bytes = sizeof(*s.data), line = 64;
    if (along * bytes % line != 0)
        return;
    const auto* const from = s.data + row * s.row_stride + k * s.k_stride;
    if (s.k_stride == 1)
        for (int i = 0; i < I::columns; ++i)
            __builtin_prefetch(from + i * s.row_stride);
    else if (s.row_stride == 1)
        for (int i = 0; i < I::columns * I::per_word; ++i)
            __builtin_prefetch(from + i * s.k_stride);
}

/// Rows [row, row + rows) of A from k on, to the panel `to`: `words` of each, up to a multiple of `columns`.
/// While some are packed, the next are prefetched.
template <class I, index_t Depth, class Source>
inline void pack_rows(I, constant<Depth>, std::byte* to, const Source& s, index_t row, index_t rows, index_t k,
                      index_t words)
{
    constexpr int n = I::columns;
    constexpr long_index_t bytes = sizeof(typename I::word);
    for (index_t r = 0; r < rows; r += n)
        for (index_t w = 0; w < words; w += n) {
            if (r + n < rows)
                prefetch_square<I>(s, row + r + n, k + w * I::per_word, w * I::per_word);
            typename I::words v[n];
            if (!read_square<I>(v, s, row + r, k + w * I::per_word))
                transpose<I>(v);
            // A tile's rows follow each other: the machine's prefetchers see one stream.
            constexpr index_t pitch = I::is_tile ? n : Depth;
            std::byte* const square = to + (r * Depth + w * (I::is_tile ? n : 1)) * bytes;
#pragma GCC unroll 16
            for (int i = 0; i < n; ++i)
                if (i < rows - r)
                    write_words<I>(square + i * pitch * bytes, v[i] ^ I::a_bias);
        }
}

/// Words that a panel of B has before its first k.
template <class I>
inline constexpr long_index_t start_words = I::a_bias != 0 ? I::tile_columns : 0;

/// A square of B to its panel, at most `words` words deep; adds what A's bias makes of it to `sum`.
template <class I, class Source>
TEGULA_X86_INLINE void pack_square(std::byte* to, const Source& s, index_t column, index_t k, index_t words,
                                   typename I::vector& sum)
{
    constexpr int n = I::columns;
    typename I::words v[n];
    if (read_square<I>(v, s, column, k))
        transpose<I>(v);
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i) {
        if (i >= words)
            break;
        write_words<I>(to + i * I::tile_columns * static_cast<long_index_t>(sizeof(typename I::word)), v[i]);
        if constexpr (I::a_bias != 0)
            I::multiply(sum, typename I::words{} + I::a_bias, v[i]);
    }
}

/// Columns [column, column + columns) of B from k on, which are rows of the source, to panels.
template <class I, index_t Depth, class Source>
inline void pack_columns(I, constant<Depth>, std::byte* to, const Source& s, index_t column, index_t columns, index_t k,
                         index_t words)
{
    constexpr int n = I::columns;
    constexpr long_index_t bytes = sizeof(typename I::word), row_bytes = I::tile_columns * bytes;
    constexpr long_index_t panel_bytes = (Depth * I::tile_columns + start_words<I>)*bytes;
    typename I::vector sum{};
    if (I::a_bias == 0 && s.row_stride == 1) { // along the rows of B, which may be pages apart
        for (index_t w = 0; w < words; w += n)
            for (index_t c = 0; c < columns; c += n) {
                if (w + n < words)
                    prefetch_square<I>(s, column + c, k + (w + n) * I::per_word, c);
                pack_square<I>(to + c / I::tile_columns * panel_bytes + c % I::tile_columns * bytes + w * row_bytes, s,
                               column + c, k + w * I::per_word, words - w, sum);
            }
        return;
    }
    for (index_t c = 0; c < columns; c += n) {
        std::byte* const panel = to + c / I::tile_columns * panel_bytes + c % I::tile_columns * bytes;
        sum = typename I::vector{};
        for (index_t w = 0; w < words; w += n)
            pack_square<I>(panel + start_words<I> * bytes + w * row_bytes, s, column + c, k + w * I::per_word,
                           words - w, sum);
        if constexpr (I::a_bias != 0)
            write_vector<I>(panel, -sum);
    }
}

/// Row by row of a register tile: c[row] += a[row] b.
template <class I, int... Vs>
TEGULA_X86_INLINE void multiply_row(typename I::vector* c, typename I::words a, const typename I::words* b,
                                    std::integer_sequence<int, Vs...>)
{
    (I::multiply(c[Vs], a, b[Vs]), ...);
}
template <class I>
TEGULA_X86_INLINE typename I::words broadcast(const std::byte* p)
{
    typename I::word w;
    __builtin_memcpy(&w, p, sizeof(w));
    return typename I::words{} + w;
}
template <class I, long_index_t Pitch, int... Rows>
TEGULA_X86_INLINE void multiply_word(typename I::vector* c, const std::byte* a, const std::byte* b,
                                     std::integer_sequence<int, Rows...>)
{
    typename I::words columns[I::vectors];
    for (int v = 0; v < I::vectors; ++v)
        columns[v] = read_words<I>(b + v * sizeof(typename I::words));
    (multiply_row<I>(c + Rows * I::vectors, broadcast<I>(a + Rows * Pitch), columns,
                     std::make_integer_sequence<int, I::vectors>{}),
     ...);
}

/// c[Rows, tile_columns] += a b over `words` words of k; `first`: c was zero and is not read. Meanwhile `next`, the
/// accumulators of the next tile, comes into cache.
template <class I, int Rows, index_t Depth>
[[gnu::noinline]] void multiply_tile(typename I::c_type* c, long_index_t pitch, const std::byte* a, const std::byte* b,
                                     index_t words, bool first, const typename I::c_type* next)
{
    using vector = typename I::vector;
    constexpr long_index_t bytes = sizeof(typename I::word);
    vector acc[Rows * I::vectors];
#pragma GCC unroll 32
    for (int i = 0; i < Rows * I::vectors; ++i) {
        acc[i] = first ? vector{} : read_vector<I>(c + i / I::vectors * pitch + i % I::vectors * I::columns);
        if constexpr (I::a_bias != 0)
            acc[i] += read_vector<I>(b + i % I::vectors * sizeof(vector));
    }
    b += start_words<I> * bytes;
    using all_rows = std::make_integer_sequence<int, Rows>;
    index_t w = 0;
    for (; w + 16 <= words; next += pitch) {
#pragma GCC unroll 4
        for (int v = 0; v <= I::vectors; ++v) // rows begin between lines
            __builtin_prefetch(next + v * I::columns);
#pragma GCC unroll 4
        for (const index_t end = w + 16; w < end; ++w) {
            multiply_word<I, Depth * bytes>(acc, a, b, all_rows{});
            a += bytes;
            b += I::tile_columns * bytes;
        }
    }
    for (; w < words; ++w) {
        multiply_word<I, Depth * bytes>(acc, a, b, all_rows{});
        a += bytes;
        b += I::tile_columns * bytes;
    }
#pragma GCC unroll 32
    for (int i = 0; i < Rows * I::vectors; ++i)
        write_vector<I>(c + i / I::vectors * pitch + i % I::vectors * I::columns, acc[i]);
}

/// acc += a b for all its rows and `columns` columns. Memory has room for whole register tiles.
template <class I, index_t Depth, class Accumulators>
inline void multiply_panels(I, constant<Depth>, const Accumulators& acc, index_t columns, const std::byte* a,
                            const std::byte* b, index_t words)
{
    constexpr long_index_t bytes = sizeof(typename I::word);
    constexpr int half = I::rows / 2;
    for (index_t j = 0; j < columns; j += I::tile_columns) {
        const std::byte* const panel = b + j / I::tile_columns * (Depth * I::tile_columns + start_words<I>)*bytes;
        for (index_t i = 0; i < acc.rows; i += I::rows) {
            typename I::c_type* const tile = acc.data + i * acc.pitch + j;
            const std::byte* const from = a + i * Depth * bytes;
            const index_t left = acc.rows - i;
            if (left > half)
                multiply_tile<I, I::rows, Depth>(tile, acc.pitch, from, panel, words, acc.is_zero,
                                                 tile + I::rows * acc.pitch);
            else if (left > 2)
                multiply_tile<I, half, Depth>(tile, acc.pitch, from, panel, words, acc.is_zero,
                                              tile + I::rows * acc.pitch);
            else
                multiply_tile<I, 2, Depth>(tile, acc.pitch, from, panel, words, acc.is_zero,
                                           tile + I::rows * acc.pitch);
        }
    }
}

struct sum_of_two
{
    template <class V>
    static TEGULA_X86_INLINE V of(V a, V b)
    {
        return a + b;
    }
};
/// The greater of two; `a` if either is a NaN.
struct greater_of_two
{
    template <class V>
    static TEGULA_X86_INLINE V of(V a, V b)
    {
        return a < b ? b : a;
    }
};

/// Combines the elements of a register by Op; every element of the result has the same value.
template <class I, class Op, int Step, int... Js>
TEGULA_X86_INLINE typename I::vector combine_elements(typename I::vector x, std::integer_sequence<int, Js...> all)
{
    if constexpr (Step == sizeof...(Js))
        return x;
    else
        return combine_elements<I, Op, 2 * Step>(Op::of(x, __builtin_shufflevector(x, x, (Js ^ Step)...)), all);
}
template <class I, class Op>
TEGULA_X86_INLINE typename I::c_type combine_elements(typename I::vector x)
{
    return combine_elements<I, Op, 1>(x, std::make_integer_sequence<int, I::columns>{})[0];
}

// Few rows of A do not pay for packing B, which is then read where it lies. Its rows, or its columns, are long enough
// for the machine's prefetchers: prefetches of our own made it slower.

/// c[Rows, columns] += a b over `Words` words of k, with b's columns as neighbours and its k `k_stride` apart: rows of
/// B are read from end to end, as prefetchers expect it, and the accumulators pass by. `columns` are whole registers.
template <class I, int Rows, int Words, index_t Depth, class T>
[[gnu::noinline]] void multiply_along_columns(typename I::c_type* c, long_index_t pitch, const std::byte* a, const T* b,
                                              long_index_t k_stride, index_t columns, bool first)
{
    using vector = typename I::vector;
    constexpr long_index_t bytes = sizeof(typename I::word);
    typename I::words left[Rows * Words];
#pragma GCC unroll 16
    for (int i = 0; i < Rows * Words; ++i)
        left[i] = broadcast<I>(a + (i / Words * Depth + i % Words) * bytes);
    for (index_t j = 0; j < columns; j += I::columns) {
        vector acc[Rows], taken_off{};
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r)
            acc[r] = first ? vector{} : read_vector<I>(c + r * pitch + j);
#pragma GCC unroll 8
        for (int w = 0; w < Words; ++w) {
            const typename I::words right = read_across<I>(b + w * I::per_word * k_stride + j, k_stride);
#pragma GCC unroll 4
            for (int r = 0; r < Rows; ++r)
                I::multiply(acc[r], left[r * Words + w], right);
            if constexpr (I::a_bias != 0)
                I::multiply(taken_off, typename I::words{} + I::a_bias, right);
        }
#pragma GCC unroll 4
        for (int r = 0; r < Rows; ++r)
            write_vector<I>(c + r * pitch + j, acc[r] - taken_off);
    }
}

/// c[Rows, Columns] += a b with b's k as neighbours: every lane of a register sums up k of its own. `words` are whole
/// registers.
template <class I, int Rows, int Columns, index_t Depth, class T>
[[gnu::noinline]] void multiply_along_k(typename I::c_type* c, long_index_t pitch, const std::byte* a, const T* b,
                                        long_index_t column_stride, index_t words, bool first)
{
    using vector = typename I::vector;
    constexpr long_index_t bytes = sizeof(typename I::word);
    vector acc[Rows * Columns]{}, taken_off[Columns]{};
    for (index_t w = 0; w < words; w += I::columns) {
#pragma GCC unroll 8
        for (int j = 0; j < Columns; ++j) {
            const typename I::words column = read_run<I>(b + j * column_stride + w * I::per_word);
#pragma GCC unroll 2
            for (int r = 0; r < Rows; ++r)
                I::multiply(acc[r * Columns + j], read_words<I>(a + (r * Depth + w) * bytes), column);
            if constexpr (I::a_bias != 0)
                I::multiply(taken_off[j], typename I::words{} + I::a_bias, column);
        }
    }
    for (int r = 0; r < Rows; ++r)
        for (int j = 0; j < Columns; ++j) {
            typename I::c_type& sum = c[r * pitch + j];
            sum = (first ? 0 : sum) + combine_elements<I, sum_of_two>(acc[r * Columns + j] - taken_off[j]);
        }
}

/// Whether multiply_few_rows takes `columns` columns and `words` words of k from k on.
template <class I, class Source>
inline bool suits_few_rows(I, const Source& b, index_t rows, index_t columns, index_t k, index_t words)
{
    return rows <= 2 && words * I::per_word <= b.k - k &&
           ((b.k_stride == 1 && words % I::columns == 0) || (b.row_stride == 1 && columns % I::columns == 0));
}

/// acc += a b for `Rows` rows and all columns, with columns [column, ...) of B from k on, which are rows of the source.
/// As many streams of B are read at once as prefetchers follow and registers hold.
template <class I, int Rows, index_t Depth, class Accumulators, class Source>
inline void multiply_rows_unpacked(const Accumulators& acc, const std::byte* a, const Source& b, index_t column,
                                   index_t k, index_t words)
{
    constexpr long_index_t bytes = sizeof(typename I::word);
    constexpr int streams = (I::a_bias != 0 ? 4 : 8) / Rows;
    const auto* const from = b.data + column * b.row_stride + k * b.k_stride;
    if (b.k_stride == 1 && words % I::columns == 0) {
        const long_index_t next = b.row_stride;
        index_t j = 0;
        for (; j + streams <= acc.columns; j += streams)
            multiply_along_k<I, Rows, streams, Depth>(acc.data + j, acc.pitch, a, from + j * next, next, words,
                                                      acc.is_zero);
        for (; j < acc.columns; ++j)
            multiply_along_k<I, Rows, 1, Depth>(acc.data + j, acc.pitch, a, from + j * next, next, words, acc.is_zero);
        return;
    }
    index_t w = 0;
    for (; w + streams <= words; w += streams)
        multiply_along_columns<I, Rows, streams, Depth>(acc.data, acc.pitch, a + w * bytes,
                                                        from + w * I::per_word * b.k_stride, b.k_stride, acc.columns,
                                                        acc.is_zero && w == 0);
    for (; w < words; ++w)
        multiply_along_columns<I, Rows, 1, Depth>(acc.data, acc.pitch, a + w * bytes,
                                                  from + w * I::per_word * b.k_stride, b.k_stride, acc.columns,
                                                  acc.is_zero && w == 0);
}

/// multiply for the one or two rows of acc; a's panel has two.
template <class I, index_t Depth, class Accumulators, class Source>
inline void multiply_few_rows(I, constant<Depth>, const Accumulators& acc, const std::byte* a, const Source& b,
                              index_t column, index_t k, index_t words)
{
    if (acc.rows == 1)
        multiply_rows_unpacked<I, 1, Depth>(acc, a, b, column, k, words);
    else
        multiply_rows_unpacked<I, 2, Depth>(acc, a, b, column, k, words);
}

/// Calls f() with everything it calls inlined and compiled for this instruction set.
template <class I, class F>
[[gnu::flatten, gnu::noinline]] void call_flat(I, const F& f)
{
    f();
}
