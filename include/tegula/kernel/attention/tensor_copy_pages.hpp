#pragma once

#include <tegula/arch/nvidia/tma.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/attention/sequence.hpp>

/// From where one lane copies a tile of a head's keys, and then one of its values.
///
///   load<Loads>(stage, map, head, full, column)  copies the tile to a stage, for which `full` waits; Loads is the
///                                                tensor_operand of keys or of values, or of their columns from `column` on
///   advance(keys)                                after load(): goes to the tile behind it, of so many keys

namespace tegula {

/// Rows that follow each other.
///
///   ClusterBlocks  blocks of a cluster that copy a share of the tile each, to all of them
template <int ClusterBlocks>
struct tile_of_rows
{
    index_t row = 0; ///< first
    int batch = 0;   ///< entry
    int share = 0;   ///< the block's

    template <class Loads, class Barrier>
    TEGULA_INLINE void load(std::byte* stage, const tensor_map& map, index_t head, Barrier full,
                            index_t column = 0) const
    {
        constexpr std::uint16_t sharing = (1u << ClusterBlocks) - 1;
        Loads::template load<arch::nvidia::l2_hint::normal>(stage, map, Loads::k_major ? row : column,
                                                            Loads::k_major ? column : row, array<int, 2>{head, batch},
                                                            full, share, sharing);
    }
    TEGULA_INLINE void advance(index_t keys) { row += keys; }
};

/// Keys of a piece of a tile: the greatest common divisor of a page's and a tile's. So each piece lies in one page, and a
/// tensor copy brings it.
constexpr TEGULA_HOST_DEVICE index_t keys_of_piece(index_t page_length, index_t tile_keys)
{
    return gcd(page_length, tile_keys);
}

/// Pieces of pages. The number of the first page is read at once, and each other one when the piece before has been asked
/// for. Numbers behind the page of the sequence's last key are not read: pieces there come from outside the cache, as zeros.
///
///   TileKeys  keys of a tile
template <index_t TileKeys>
class tile_of_pages
{
public:
    /// The tile of a sequence with `keys` keys that begins at `key`. piece_keys is keys_of_piece(pages.page_length,
    /// TileKeys); the maps' boxes have so many rows.
    TEGULA_INLINE tile_of_pages(const attention_pages& pages, index_t batch, index_t keys, index_t key,
                                index_t piece_keys)
        : pages_(pages), piece_(piece_keys), left_(keys - key)
    {
        const auto page =
            static_cast<index_t>(static_cast<std::uint32_t>(key) / static_cast<std::uint32_t>(pages.page_length));
        entry_ = pages.table + batch * pages.batch_stride + page;
        row_ = key - page * pages.page_length;
        read_page();
    }

    template <class Loads, class Barrier>
    TEGULA_INLINE void load(std::byte* stage, const tensor_map& map, index_t head, Barrier full, index_t column = 0)
    {
        TEGULA_ROLLED
        for (index_t line = 0; line < TileKeys; line += piece_) {
            Loads::template load_lines<arch::nvidia::l2_hint::normal>(stage, line, map, row_,
                                                                      array<int, 2>{head, page_}, full, column);
            left_ -= piece_;
            row_ += piece_;
            if (row_ == pages_.page_length) {
                row_ = 0;
                ++entry_;
                read_page();
            }
        }
    }

    TEGULA_INLINE void advance(index_t) {} ///< load() has reached it

private:
    TEGULA_INLINE void read_page() { page_ = left_ > 0 ? *entry_ : pages_.pages; }

    const attention_pages& pages_;
    const index_t* entry_; ///< of the table
    index_t piece_;
    index_t left_; ///< keys of the sequence, from the next piece on
    index_t row_;  ///< of the next piece, in its page
    index_t page_; ///< of the next piece, in the cache
};

} // namespace tegula
