#pragma once

#include <tegula/kernel/attention/work.hpp>

namespace tegula {

/// A block's share of the tiles of keys that its rows see: all.
struct all_keys
{
    static constexpr bool ends_rows = true; ///< no other block adds to the rows
    TEGULA_INLINE key_range cut(const key_range& range, index_t) const { return range; }
};

/// One of `count` shares of the same number of tiles, give or take one; may be empty.
struct share_of_keys
{
    index_t index = 0;
    index_t count = 1;

    static constexpr bool ends_rows = false;
    TEGULA_INLINE key_range cut(const key_range& range, index_t tile_keys) const
    {
        const index_t tiles = ceil_div(max(range.last - range.first, 0), tile_keys);
        const index_t each = tiles / count, longer = tiles - each * count;
        const index_t first = index * each + min(index, longer);
        const index_t past = first + each + (index < longer ? 1 : 0);
        return {range.first + first * tile_keys, min(range.last, range.first + past * tile_keys)};
    }
};

/// The tiles of keys that a block visits, one after the other. Each has a key that the band shows to one of the block's
/// queries, and lies in the block's share and, if the mask is `lists`, in the blocks of its list.
template <class Tile, class Variant>
class key_tiles
{
public:
    template <class Arguments, class Share>
    TEGULA_INLINE key_tiles(const Arguments& args, const attention_sequence& sequence,
                            const attention_work<Variant::heads>& at, const Share& share)
    {
        key_range range{0, sequence.keys};
        if constexpr (Variant::mask != attention_mask::none) {
            const index_t past = min(at.query(Tile::queries - 1) + 1, sequence.queries);
            range = sequence.keys_of(at.query(0), past);
            range.first = range.first / Tile::keys * Tile::keys;
        }
        range = share.cut(range, Tile::keys);
        key_ = range.first;
        last_ = range.last;
        if constexpr (by_lists) {
            const attention_block_lists& lists = args.lists;
            const long_index_t list =
                at.batch * lists.batch_stride + at.head(0) * lists.head_stride + at.query(0) / lists.query_length;
            next_block_ = lists.blocks + list * lists.capacity;
            end_ = next_block_ + lists.counts[list];
            length_ = lists.key_length;
            first_ = key_;
            block_last_ = 0;
            key_ = 0;
            advance_block();
        }
    }

    /// First key of the tile.
    TEGULA_INLINE index_t key() const { return key_; }
    /// Keys from the first of the tile to the end of what the block sees; 0 or less past the last tile.
    TEGULA_INLINE index_t extent() const { return last_ - key_; }
    TEGULA_INLINE bool inside() const { return key_ < last_; }
    /// The key past the last that the block sees.
    TEGULA_INLINE index_t past() const { return last_; }

    /// Tells the compiler that a wave's lanes agree, by an exchange between them; all lanes call it.
    template <class Target>
    TEGULA_INLINE void make_uniform()
    {
        key_ = Target::uniform(key_);
        last_ = Target::uniform(last_);
    }

    TEGULA_INLINE void advance()
    {
        key_ += Tile::keys;
        if constexpr (by_lists)
            if (key_ >= block_last_)
                advance_block();
    }

private:
    static constexpr bool by_lists = Variant::mask == attention_mask::lists;

    /// Goes to the first tile of the next block with a tile inside the band; past the last block there is no tile.
    TEGULA_INLINE void advance_block()
    {
        key_ = last_;
        while (next_block_ < end_ && key_ >= last_) {
            const index_t block = *next_block_++;
            block_last_ = min((block + 1) * length_, last_);
            const index_t key = max(block * length_, first_);
            key_ = key < block_last_ ? key : last_;
        }
    }

    index_t key_ = 0;
    index_t last_ = 0;
    // If the mask is `lists`:
    const index_t* next_block_ = nullptr;
    const index_t* end_ = nullptr;
    index_t length_ = 0;
    index_t first_ = 0;
    index_t block_last_ = 0;
};

} // namespace tegula
