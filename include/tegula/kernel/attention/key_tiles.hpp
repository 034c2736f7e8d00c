#pragma once

#include <tegula/kernel/attention/sequence.hpp>

namespace tegula {

/// The queries that a block takes: from `query` of its sequence on.
struct attention_work
{
    index_t batch = 0;
    index_t head = 0;
    index_t query = 0;
};

/// The tiles of keys that a block visits, one after the other: those that hold a key which the band shows to one of its
/// queries and, if the mask is `lists`, lie in the blocks of its list.
template <class Tile, class Variant>
class key_tiles
{
public:
    template <class Arguments>
    TEGULA_INLINE key_tiles(const Arguments& args, const attention_sequence& sequence, const attention_work& at)
    {
        if constexpr (Variant::mask == attention_mask::none) {
            last_ = sequence.keys;
        } else {
            const index_t past = min(at.query + Tile::queries, sequence.queries);
            const key_range range = sequence.keys_of(at.query, past);
            key_ = range.first / Tile::keys * Tile::keys;
            last_ = range.last;
        }
        if constexpr (by_lists) {
            const attention_block_lists& lists = args.lists;
            const long_index_t list =
                at.batch * lists.batch_stride + at.head * lists.head_stride + at.query / lists.query_length;
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

    TEGULA_INLINE void advance()
    {
        key_ += Tile::keys;
        if constexpr (by_lists)
            if (key_ >= block_last_)
                advance_block();
    }

private:
    static constexpr bool by_lists = Variant::mask == attention_mask::lists;

    /// The first tile of the next block with one inside the band; past the last block no tile.
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
