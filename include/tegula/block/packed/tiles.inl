// Products of panels by the tile registers of AMX, included after panels.inl in the namespace of their region
// (block/packed/panels.hpp). 16 rows of 16 words of A follow each other in the panel, as pack_rows writes them for tiles.
// 16 words of k of 16 columns of B are a tile as they lie in the panel of vector instructions.

/// The bytes that ldtilecfg reads: palette 1, tiles of 16 rows of 64 bytes (Intel SDM, volume 1, 18.3).
struct alignas(64) tile_configuration
{
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
inline constexpr tile_configuration whole_tiles{};

/// c[16 * TileRows, 32] += a b over `words` words, a multiple of 16; `first`: c was zero and is not read. Meanwhile `next`,
/// the accumulators of the next tile, comes into cache. Never inlined: compilers do not know what memory the
/// instructions touch.
template <class I, int TileRows, index_t Depth>
[[gnu::noinline]] void multiply_tiles(typename I::c_type* c, long_index_t pitch, const std::byte* a, const std::byte* b,
                                      index_t words, bool first, const typename I::c_type* next)
{
    constexpr bool two = TileRows == 2;
    constexpr long row = 64, a_rows = 16 * Depth * 4, b_row = I::tile_columns * 4;
    const long c_row = static_cast<long>(pitch) * 4;
    auto* const lower = c + 16 * pitch;
    asm volatile("" ::: "memory");
    if (first) {
        _tile_zero(0);
        _tile_zero(1);
        if constexpr (two) {
            _tile_zero(2);
            _tile_zero(3);
        }
    } else {
        _tile_loadd(0, c, c_row);
        _tile_loadd(1, c + 16, c_row);
        if constexpr (two) {
            _tile_loadd(2, lower, c_row);
            _tile_loadd(3, lower + 16, c_row);
        }
    }
    for (index_t w = 0; w < words; w += 16) {
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i, next += pitch) {
            __builtin_prefetch(next);
            __builtin_prefetch(next + 16);
        }
        _tile_loadd(4, a + w * row, row);
        _tile_loadd(6, b + w * b_row, b_row);
        _tile_loadd(7, b + w * b_row + 64, b_row);
        I::multiply_rows();
        if constexpr (two) {
            _tile_loadd(5, a + a_rows + w * row, row);
            I::multiply_more_rows();
        }
    }
    _tile_stored(0, c, c_row);
    _tile_stored(1, c + 16, c_row);
    if constexpr (two) {
        _tile_stored(2, lower, c_row);
        _tile_stored(3, lower + 16, c_row);
    }
    asm volatile("" ::: "memory");
}

/// As with vector instructions.
template <class I, index_t Depth, class Accumulators>
    requires(I::is_tile)
inline void multiply_panels(I, constant<Depth>, const Accumulators& acc, index_t columns, const std::byte* a,
                            const std::byte* b, index_t words)
{
    static_assert(Depth % 16 == 0 && start_words<I> == 0);
    _tile_loadconfig(&whole_tiles);
    for (index_t j = 0; j < columns; j += I::tile_columns) {
        const std::byte* const panel = b + static_cast<long_index_t>(j) * Depth * 4;
        for (index_t i = 0; i < acc.rows; i += I::rows) {
            auto* const tile = acc.data + i * acc.pitch + j;
            const std::byte* const from = a + static_cast<long_index_t>(i) * Depth * 4;
            if (acc.rows - i > 16)
                multiply_tiles<I, 2, Depth>(tile, acc.pitch, from, panel, words, acc.is_zero,
                                            tile + I::rows * acc.pitch);
            else
                multiply_tiles<I, 1, Depth>(tile, acc.pitch, from, panel, words, acc.is_zero,
                                            tile + I::rows * acc.pitch);
        }
    }
    _tile_release(); // tiles in use must be saved when threads change
}

// Up to 32 rows of A do not pay for packing B. If its k are neighbours, B is the left operand where it lies, and the rows of A,
// packed as columns, are the right one: the tiles hold C transposed.

template <class I, class Source>
    requires(I::is_tile)
inline bool suits_few_rows(I, const Source& b, index_t rows, index_t, index_t k, index_t words)
{
    using element = std::remove_const_t<std::remove_pointer_t<decltype(b.data)>>;
    return std::is_same_v<element, typename I::b_type> && rows <= I::tile_columns && b.k_stride == 1 &&
           words % 16 == 0 && words * I::per_word <= b.k - k;
}

/// sums[columns, 32] = b a over `words` words: at most 32 columns of B, `pitch` bytes apart, and the panel of A's rows.
/// Never inlined, as multiply_tiles.
template <class I>
[[gnu::noinline]] void multiply_columns(typename I::c_type* sums, const std::byte* b, long_index_t pitch,
                                        index_t columns, const std::byte* a, index_t words)
{
    constexpr long a_row = I::tile_columns * 4;
    constexpr index_t ahead = 64; // words
    const bool two = columns > 16;
    tile_configuration tiles;
    tiles.rows[4] = tiles.rows[0] = tiles.rows[1] = static_cast<std::uint8_t>(two ? 16 : columns);
    tiles.rows[5] = tiles.rows[2] = tiles.rows[3] = static_cast<std::uint8_t>(two ? columns - 16 : 16);
    asm volatile("" ::: "memory");
    _tile_loadconfig(&tiles); // clears all tiles
    for (index_t w = 0; w < words; w += 16, b += 64) {
        // These columns further on; at their end the next columns.
        const std::byte* const soon = b + (w + ahead < words ? ahead * 4 : 32 * pitch + (ahead - words) * 4L);
        for (index_t i = 0; i < 32; ++i)
            __builtin_prefetch(soon + i * pitch);
        _tile_loadd(4, b, pitch);
        _tile_loadd(6, a + w * a_row, a_row);
        _tile_loadd(7, a + w * a_row + 64, a_row);
        I::multiply_rows();
        if (two) {
            _tile_loadd(5, b + 16 * pitch, pitch);
            I::multiply_more_rows();
        }
    }
    _tile_stored(0, sums, a_row);
    _tile_stored(1, sums + 16, a_row);
    if (two) {
        _tile_stored(2, sums + 16 * I::tile_columns, a_row);
        _tile_stored(3, sums + 16 * I::tile_columns + 16, a_row);
    }
    _tile_release();
    asm volatile("" ::: "memory");
}

/// As with vector instructions, for up to 32 rows; a's panel has 32 columns.
template <class I, index_t Depth, class Accumulators, class Source>
    requires(I::is_tile)
inline void multiply_few_rows(I, constant<Depth>, const Accumulators& acc, const std::byte* a, const Source& b,
                              index_t column, index_t k, index_t words)
{
    using element = typename I::b_type;
    constexpr index_t side = I::columns;
    const element* const from = b.data + column * b.row_stride + k;
    for (index_t j = 0; j < acc.columns; j += I::tile_columns) {
        alignas(64) typename I::c_type sums[I::tile_columns * I::tile_columns]{};
        multiply_columns<I>(sums, reinterpret_cast<const std::byte*>(from + j * b.row_stride),
                            b.row_stride * static_cast<long_index_t>(sizeof(element)),
                            min(acc.columns - j, index_t{I::tile_columns}), a, words);
        for (index_t row = 0; row < acc.rows; row += side)
            for (index_t n = 0; n < I::tile_columns; n += side) {
                typename I::words v[side];
#pragma GCC unroll 16
                for (int i = 0; i < side; ++i)
                    v[i] = read_words<I>(sums + (n + i) * I::tile_columns + row);
                transpose<I>(v);
                for (int i = 0; i < side && row + i < acc.rows; ++i) {
                    typename I::c_type* const c = acc.data + (row + i) * acc.pitch + j + n;
                    const auto sum = (typename I::vector)v[i];
                    write_vector<I>(c, acc.is_zero ? sum : read_vector<I>(c) + sum);
                }
            }
    }
}

/// Copies the accumulators of row i to C.
template <class I, class Accumulators>
    requires(I::is_tile)
inline void copy_row(I, typename I::c_type* to, const Accumulators& acc, index_t i)
{
    __builtin_memcpy(to, acc.data + i * acc.pitch, static_cast<std::size_t>(acc.columns) * sizeof(*to));
}
