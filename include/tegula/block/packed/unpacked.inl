// Products that do not pay for packing: operands are multiplied where they lie. For the instructions of one region
// whose words are single elements; included after panels.inl (block/packed/panels.hpp).

/// c[Rows, Vectors registers] += a b over `k`; `first`: c was zero and is not read. A has any strides; columns of B are
/// neighbours, `last` of them in the last register. c has room for whole registers.
template <class I, int Rows, int Vectors>
[[gnu::noinline]] void multiply_tile_in_place(typename I::c_type* c, long_index_t pitch, const typename I::a_type* a,
                                              long_index_t a_row, long_index_t a_k, const typename I::b_type* b,
                                              long_index_t b_k, index_t k, int last, bool first)
{
    typename I::vector acc[Rows * Vectors];
#pragma GCC unroll 16
    for (int i = 0; i < Rows * Vectors; ++i)
        acc[i] = first ? typename I::vector{} : read_vector<I>(c + i / Vectors * pitch + i % Vectors * I::columns);
    for (index_t i = 0; i < k; ++i) {
        typename I::words columns[Vectors];
#pragma GCC unroll 2
        for (int v = 0; v < Vectors - 1; ++v)
            columns[v] = read_words<I>(b + v * I::columns);
        columns[Vectors - 1] = I::read_some(b + (Vectors - 1) * I::columns, last);
#pragma GCC unroll 8
        for (int r = 0; r < Rows; ++r)
            multiply_row<I>(acc + r * Vectors, broadcast<I>(reinterpret_cast<const std::byte*>(a + r * a_row)), columns,
                            std::make_integer_sequence<int, Vectors>{});
        a += a_k;
        b += b_k;
    }
#pragma GCC unroll 16
    for (int i = 0; i < Rows * Vectors; ++i)
        write_vector<I>(c + i / Vectors * pitch + i % Vectors * I::columns, acc[i]);
}

/// An operand from one of its rows and one k on.
template <class Source>
TEGULA_X86_INLINE auto* from_place(const Source& s, index_t row, index_t k)
{
    return s.data + row * s.row_stride + k * s.k_stride;
}

/// acc += a b over `depth` k from k on, for the rows and columns of acc, from row m0 of A and column n0 of B on.
/// Precondition: columns of B are neighbours.
template <class I, class Accumulators, class ASource, class BSource>
inline void multiply_block_in_place(I, const Accumulators& acc, const ASource& a, const BSource& b, index_t m0,
                                    index_t n0, index_t k, index_t depth)
{
    constexpr int most = I::rows > 8 ? 8 : 6; // so many rows fit next to the registers of B
    for (index_t j = 0; j < acc.columns; j += 2 * I::columns) {
        const auto* const right = from_place(b, n0 + j, k);
        const int left = static_cast<int>(acc.columns - j < 2 * I::columns ? acc.columns - j : 2 * I::columns);
        index_t row = 0;
        const auto pass = [&](auto rows, auto vectors) {
            constexpr int n = decltype(rows)::value, v = decltype(vectors)::value;
            for (; row + n <= acc.rows; row += n)
                multiply_tile_in_place<I, n, v>(acc.data + row * acc.pitch + j, acc.pitch, from_place(a, m0 + row, k),
                                                a.row_stride, a.k_stride, right, b.k_stride, depth,
                                                left - (v - 1) * I::columns, acc.is_zero);
        };
        const auto pass_all = [&](auto vectors) {
            pass(constant<most>{}, vectors);
            pass(constant<3>{}, vectors);
            pass(constant<1>{}, vectors);
        };
        if (left > I::columns)
            pass_all(constant<2>{});
        else
            pass_all(constant<1>{});
    }
}

/// The accumulators of row i, as they are, to C, whose columns are neighbours.
template <class I, class Accumulators>
inline void copy_row(I, typename I::c_type* to, const Accumulators& acc, index_t i)
{
    const typename I::c_type* const from = acc.data + i * acc.pitch;
    index_t j = 0;
    for (; j + I::columns <= acc.columns; j += I::columns)
        write_vector<I>(to + j, read_vector<I>(from + j));
    if (j < acc.columns)
        I::write_some(to + j, read_vector<I>(from + j), static_cast<int>(acc.columns - j));
}
