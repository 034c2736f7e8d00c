// Transposition of matrices of words, for the instructions of one region: included once in the namespace of each
// instruction set (block/packed/packed_rows.hpp), inside its region. I is an instruction that has read_some.

/// A square of registers: to[j][i] = from[i][j] for i < rows and j < columns.
template <class I, bool Whole>
TEGULA_X86_INLINE void transpose_square(typename I::a_type* to, long_index_t to_pitch, const typename I::a_type* from,
                                        long_index_t from_pitch, int rows, int columns)
{
    constexpr int n = I::columns;
    typename I::words v[n];
#pragma GCC unroll 16
    for (int i = 0; i < n; ++i)
        v[i] = Whole      ? read_words<I>(from + i * from_pitch)
               : i < rows ? I::read_some(from + i * from_pitch, columns)
                          : typename I::words{};
    transpose<I>(v);
#pragma GCC unroll 16
    for (int j = 0; j < n; ++j)
        if constexpr (Whole)
            write_words<I>(to + j * to_pitch, v[j]);
        else if (j < columns)
            I::write_some(to + j * to_pitch, (typename I::vector)v[j], rows);
}

/// to[j][i] = from[i][j] for i < rows and j < columns. Rows of both follow each other at their pitches, in words.
template <class I>
inline void transpose_words(I, typename I::a_type* to, long_index_t to_pitch, const typename I::a_type* from,
                            long_index_t from_pitch, index_t rows, index_t columns)
{
    constexpr index_t n = I::columns;
    for (index_t j = 0; j < columns; j += n)
        for (index_t i = 0; i < rows; i += n) {
            auto* const square = to + j * to_pitch + i;
            const auto* const source = from + i * from_pitch + j;
            // Without it each line of `to` that is not in cache holds up the stores behind it.
            for (int next = 0; next < n; ++next)
                __builtin_prefetch(square + next * to_pitch + n, 1);
            if (rows - i >= n && columns - j >= n)
                transpose_square<I, true>(square, to_pitch, source, from_pitch, n, n);
            else
                transpose_square<I, false>(square, to_pitch, source, from_pitch, min(n, rows - i), min(n, columns - j));
        }
}
