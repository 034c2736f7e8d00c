#pragma once

#include <tegula/kernel/attention/key_tiles.hpp>
#include <tegula/kernel/attention/round_arguments.hpp>
#include <tegula/kernel/attention/tile.hpp>

namespace tegula {

namespace detail {

/// The loaders of keys and values. Stored: those that a tile of direct loads has for what these do not reach.
template <class Tile, bool Stored>
struct loaders_of
{
    using key = typename Tile::key_loader;
    using value = typename Tile::value_loader;
};
template <class Tile>
struct loaders_of<Tile, true>
{
    using key = typename Tile::stored_key_loader;
    using value = typename Tile::stored_value_loader;
};

} // namespace detail

/// Loads the tiles of K and V of a block to shared memory, pair by pair, while others are used. The order for each
/// pair: keys_arrive(), a product with keys(), values_arrive(), a product with values(), end(). With two stages the values
/// arrive with the keys.
///
///   Tile       an attention_tile, whose key_value_place says where tiles lie
///   Variant    an attention_variant
///   Arguments  attention_arguments
template <class Tile, class Variant, class Arguments>
class key_value_tiles
{
public:
    using target = typename Tile::target;
    using element = typename Tile::element;
    /// Whether tiles come straight into shared memory. Those whose keys lie anywhere have no base address for that.
    static constexpr bool direct = Tile::direct && Variant::cache != attention_cache::paged_by_key;
    static constexpr key_value_place place = Tile::direct && !direct ? key_value_place::apart : Tile::key_values;
    /// Whether values can be read before values_arrive().
    static constexpr bool values_early = direct && place == key_value_place::two_stages;
    using loaders = detail::loaders_of<Tile, Tile::direct && !direct>;
    using key_loader = typename loaders::key;
    using value_loader = typename loaders::value;
    using work = attention_work<Variant::heads>;
    using round = round_arguments<Tile, Variant, Arguments>;

    /// Starts to load the first keys of `share`.
    ///
    ///   memory  Tile::key_value_bytes bytes of shared memory
    template <class Share>
    TEGULA_INLINE key_value_tiles(const Arguments& args, const attention_sequence& sequence, const work& at,
                                  const Share& share, std::byte* memory)
        : args_(args), sequence_(sequence), at_(at), kv_head_(at.head(0) / (args.heads / args.kv_heads)),
          tile_(args, sequence, at, share), keys_(args.k.row_stride, args.head_dim, memory, "K"),
          values_(args.v.row_stride, args.value_dim, memory + first_value_byte, "V")
    {
        other_ = reinterpret_cast<element*>(memory + key_loader::bytes);
        if constexpr (two_stages)
            other_values_ = reinterpret_cast<element*>(memory + first_value_byte + value_loader::bytes);
        if (!by_keys || tile_.inside()) { // rows are not looked for without a key
            find_pages(tile_);
            load_ahead(tile_);
            store_ahead();
            if constexpr (staged)
                find_pages_behind(tile_);
        }
    }

    /// Whether there is a pair of tiles.
    TEGULA_INLINE bool inside() const { return tile_.inside(); }
    /// Its first key.
    TEGULA_INLINE index_t key() const { return tile_.key(); }

    /// Waits until the keys are there for all waves and no wave reads the tiles before.
    TEGULA_INLINE void keys_arrive()
    {
        key_loader::arrive();
        if constexpr (staged) {
            exchange(keys_.ring, other_);
            if constexpr (two_stages)
                exchange(values_.ring, other_values_);
            tiles next = tile_;
            next.advance();
            load_ahead(next);
            find_pages_behind(next);
        } else {
            load_tile(values_, round::of(args_).v, tile_);
            find_pages_behind(tile_);
        }
    }
    // keys() and values() name the members themselves: with the place as an argument of one function, nvcc 13.0 spills
    // 100 bytes of the latent form's split kernel on sm_80.
    TEGULA_INLINE key_loader keys() const
    {
        key_loader loader = keys_;
        if constexpr (staged)
            loader.ring = other_;
        return loader;
    }

    /// Waits until the values are there and no wave reads the keys, unless these are the values. From here on inside()
    /// and key() describe the next pair.
    TEGULA_INLINE void values_arrive()
    {
        if constexpr (alternate)
            target::shared_barrier();
        if constexpr (!staged) {
            store_tile(values_);
            value_loader::arrive();
        }
        tile_.advance();
        if constexpr (!staged)
            load_ahead(tile_);
    }
    TEGULA_INLINE value_loader values() const
    {
        value_loader loader = values_;
        if constexpr (staged)
            loader.ring = two_stages ? other_values_ : other_;
        return loader;
    }

    /// This wave does not read the pair any more.
    TEGULA_INLINE void end()
    {
        if constexpr (alternate)
            target::shared_barrier();
        if constexpr (!same)
            store_ahead();
    }

private:
    using tiles = key_tiles<Tile, Variant>;
    static constexpr bool two_stages = place == key_value_place::two_stages;
    static constexpr bool alternate = place == key_value_place::alternate;
    static constexpr bool same = place == key_value_place::same;
    static constexpr bool by_pages = Variant::cache == attention_cache::paged; ///< each tile lies in one page
    static constexpr bool by_keys = Variant::cache == attention_cache::paged_by_key;

    /// Where a key of a sequence in pages lies.
    struct place_of_key
    {
        index_t page;    ///< its number in memory
        index_t in_page; ///< keys before it in the page
    };
    /// Whether a lane finds other rows of values than of keys (row_search). NVIDIA's loaders have the same ones.
    static consteval bool finds_rows_of_values()
    {
        if constexpr (by_keys && !same)
            return !value_loader::search::template finds_rows_of<typename key_loader::search>();
        else
            return false;
    }
    static constexpr bool finds_values = finds_rows_of_values();
    /// Places of the rows that a lane finds. Others have no member: LLVM made other code of kernels without pages of rows.
    template <class Loader, bool Finds>
    struct row_places
    {};
    template <class Loader>
    struct row_places<Loader, true>
    {
        array<place_of_key, Loader::search::found> places = {};
    };
    static constexpr bool staged = same || two_stages; ///< the next tiles are loaded while others are read
    static constexpr index_t first_value_byte = two_stages                        ? 2 * key_loader::bytes
                                                : place == key_value_place::apart ? key_loader::bytes
                                                                                  : 0;

    static TEGULA_INLINE void exchange(element*& x, element*& y)
    {
        element* const there = x;
        x = y;
        y = there;
    }

    /// Prefetches the next pair: its keys and, with two stages, its values too.
    TEGULA_INLINE void load_ahead(const tiles& tile)
    {
        load_tile(keys_, round::of(args_).k, tile);
        if constexpr (two_stages)
            load_tile(values_, round::of(args_).v, tile);
    }
    TEGULA_INLINE void store_ahead()
    {
        store_tile(keys_);
        if constexpr (two_stages)
            store_tile(values_);
    }
    /// Completes the loads of `tile_`.
    template <class Loader>
    TEGULA_INLINE void store_tile(Loader& loader) const
    {
        if constexpr (by_keys)
            loader.store_rows(tile_.extent());
        else
            loader.store();
    }

    TEGULA_INLINE index_t kv_head() const
    {
        return round::reloads ? kv_head_ : at_.head(0) / (args_.heads / args_.kv_heads);
    }
    /// Starts to load a tile of keys or values.
    template <class Loader>
    TEGULA_INLINE void load_tile(Loader& loader, const attention_tensor<const element>& x, const tiles& tile) const
    {
        const element* const of_head = x.data + kv_head() * x.head_stride;
        if constexpr (by_keys) {
            const auto& found = places_of(loader);
            array<long_index_t, Loader::search::found> offsets;
            static_for<Loader::search::found>([&](auto n) { offsets[n] = offset_of(x, found[n]); });
            loader.load_rows(of_head, tile.extent(), offsets);
        } else if constexpr (by_pages) {
            loader.load(of_head + offset_of(x, found_page()), tile.extent());
        } else {
            loader.load(of_head + sequence_.key_batch * x.batch_stride +
                            static_cast<long_index_t>(sequence_.first_key + tile.key()) * x.row_stride,
                        tile.extent());
        }
    }
    TEGULA_INLINE place_of_key find(index_t key) const
    {
        // Neither number is negative: a signed division would take more registers.
        const attention_pages& pages = round::of(args_).pages;
        const auto page =
            static_cast<index_t>(static_cast<std::uint32_t>(key) / static_cast<std::uint32_t>(pages.page_length));
        return {pages.table[at_.batch * pages.batch_stride + page], key - page * pages.page_length};
    }
    /// Elements from the first of a head to those of a key.
    static TEGULA_INLINE long_index_t offset_of(const attention_tensor<const element>& x, const place_of_key& at)
    {
        // Neither is negative: LLVM would extend the sign of a page's number where it is loaded, and wait for it there.
        return static_cast<std::uint32_t>(at.page) * x.batch_stride +
               static_cast<std::uint32_t>(at.in_page) * x.row_stride;
    }

    /// Starts to load the numbers of the pages that `tile` lies in. They are used when its loads start, a tile later. That of
    /// values starts last, and only then are the next numbers looked for: no two tiles' are held at a time.
    TEGULA_INLINE void find_pages(const tiles& tile)
    {
        if constexpr (by_pages)
            ahead_ = tile.inside() ? find(tile.key()) : place_of_key{0, 0};
        if constexpr (by_keys)
            find_rows(keys_, keys_ahead_.places, tile);
        if constexpr (finds_values)
            find_rows(values_, values_ahead_.places, tile);
    }
    TEGULA_INLINE void find_pages_behind(tiles tile)
    {
        if constexpr (by_pages || by_keys) {
            tile.advance();
            find_pages(tile);
        }
    }
    /// Finds the rows that this lane finds for a loader; the last key's instead of those past it. There is a key.
    template <class Loader>
    TEGULA_INLINE void find_rows(const Loader& loader, array<place_of_key, Loader::search::found>& places,
                                 const tiles& tile) const
    {
        static_for<Loader::search::found>(
            [&](auto n) { places[n] = find(min(tile.key() + loader.searched(n), tile.past() - 1)); });
    }
    template <class Loader>
    TEGULA_INLINE const auto& places_of(const Loader&) const
    {
        if constexpr (finds_values && std::is_same_v<Loader, value_loader>)
            return values_ahead_.places;
        else
            return keys_ahead_.places;
    }
    /// The place that find_pages() found; on AMD in scalar registers, like all parts of the addresses of tiles.
    TEGULA_INLINE place_of_key found_page() const
    {
        place_of_key at = ahead_;
        if constexpr (target::vendor == vendor::amd)
            at.page = target::uniform(at.page);
        return at;
    }

    const Arguments& args_;
    const attention_sequence& sequence_;
    const work& at_;
    index_t kv_head_;
    tiles tile_;
    // The tile that is loaded next:
    place_of_key ahead_ = {};                                  ///< its place
    row_places<key_loader, by_keys> keys_ahead_ = {};          ///< or those of its rows of keys
    row_places<value_loader, finds_values> values_ahead_ = {}; ///< and of values, if these are others
    key_loader keys_;
    value_loader values_;
    // If the next tiles are loaded while others are read: the places of the next ones.
    element* other_;
    element* other_values_;
};

} // namespace tegula
