#pragma once

#include <tegula/kernel/attention/key_tiles.hpp>
#include <tegula/kernel/attention/warp_specialized/latent_tile.hpp>

namespace tegula {

/// Makes the tiles of keys of warp_specialized_latent_attention out of a scaled_latent_cache, by one warpgroup. Vectors
/// of 16 bytes go through the registers of its lanes to the stages, `ahead` of them in flight: a lane has 4 of the rope
/// part of a tile and 8 of each consumer's columns.
///
///   Part  as latent_consumer has it
///
/// Rows behind the sequence's last key are copies of it. Their weights are 0, which would not hide infinite values.
template <class Tile, class Variant, class Part, class Arguments>
class latent_key_maker
{
public:
    using target = typename Tile::target;
    using element = typename Tile::element;
    using control = typename Tile::control;

    TEGULA_INLINE latent_key_maker(const Arguments& args, control& shared, const Part& all)
        : args_(args), shared_(shared), all_(all)
    {}

    /// The whole work of the warpgroup.
    TEGULA_INLINE void run() const
    {
        index_t left = all_.steps();
        if (left == 0)
            return;
        tile_rows rows = first_rows(all_.tile.key());
        place from = find(rows, all_.sequence.keys - all_.tile.key() - 1);
        array<vector, ahead> flying;
        static_for<ahead>([&](auto v) TEGULA_INLINE_LAMBDA { read<v>(flying[v], from); });
        stage_position<Tile::stages> stage;
        TEGULA_ROLLED
        for (; left > 0; --left) {
            const bool more = left > 1;
            const tile_rows next = more ? rows_after(rows) : rows; // long before they are read
            std::byte* const keys =
                target::shared_memory() + Tile::first_key_byte + stage.stage * Tile::key_operand::bytes;
            static_for<vectors>([&](auto v) TEGULA_INLINE_LAMBDA {
                constexpr int part = part_of(v), slot = v % ahead;
                if constexpr (v == 0 || part_of(v - 1) != part)
                    shared_.parts[part].claim_made(stage);
                write<v>(keys, flying[slot]);
                if constexpr (v + 1 == vectors || part_of(v + 1) != part)
                    shared_.parts[part].template publish_made<group>(stage);
                if constexpr (v + ahead == vectors) {
                    move(from, rows, next);
                    rows = next;
                }
                if (v + ahead < vectors || more)
                    read<(v + ahead) % vectors>(flying[slot], from);
                if constexpr (v % 2 == 1)
                    target::wave_barrier(); // ptxas would begin with several vectors, and spill
            });
            stage.advance();
        }
    }

private:
    using cache = scaled_latent_cache<element>;
    using group = warpgroup<target>;
    using keys_operand = typename Tile::key_operand;
    using raw = raw_vector<16>;
    static constexpr int rope_part = Tile::consumers;

    // Values: a wave reads 256 columns of 2 rows. Lanes that store together have 4 vectors of a panel in both rows, whose
    // swizzles differ. Rope: a wave reads 4 rows.
    static constexpr index_t rows_at_once = 8, rope_rows_at_once = 16;
    static constexpr int rope_vectors = static_cast<int>(Tile::keys / rope_rows_at_once);
    static constexpr int part_vectors = static_cast<int>(Tile::keys / rows_at_once);
    static constexpr int vectors = rope_vectors + Tile::consumers * part_vectors; ///< of a lane, a tile
    static constexpr int ahead = vectors / 2;                                     ///< divides it
    static_assert(Tile::value_operand::mn == 256 && cache::rope_columns * sizeof(element) == 128);

    /// The part of a tile to which a lane's vector belongs, in the order in which scores read parts.
    static consteval int part_of(int v) { return v < rope_vectors ? rope_part : (v - rope_vectors) / part_vectors; }
    /// Its number in its part.
    static consteval int round_of(int v) { return v < rope_vectors ? v : (v - rope_vectors) % part_vectors; }

    struct vector
    {
        raw bits;
        float scale;
    };
    /// Where a lane reads a tile.
    struct place
    {
        const float8_e4m3* values;
        const float* scales;
        const element* rope;
        /// From the lane's first row to the tile's last one that is the sequence's.
        index_t further_values, further_rope;
    };
    /// The rows of the cache that are a tile's keys.
    struct tile_rows
    {
        index_t batch;       ///< entry of the cache, or page in memory
        index_t row;         ///< first row in that
        const index_t* page; ///< where the table has the page
    };

    static TEGULA_INLINE index_t lane() { return target::lane_id(); }
    static TEGULA_INLINE index_t row_of_values() { return group::wave_id() * 2 + lane() / 4 % 2; }
    static TEGULA_INLINE index_t row_of_rope() { return group::wave_id() * 4 + lane() / 8; }
    static TEGULA_INLINE index_t column_of_values() { return lane() / 8 * 64 + lane() % 4 * 16; } ///< of a part

    TEGULA_INLINE tile_rows first_rows(index_t key) const
    {
        if constexpr (Variant::in_pages) {
            const auto& pages = args_.attention.pages;
            const auto page =
                static_cast<index_t>(static_cast<std::uint32_t>(key) / static_cast<std::uint32_t>(pages.page_length));
            const index_t* const at = pages.table + all_.block.at.batch * pages.batch_stride + page;
            return {*at, key - page * pages.page_length, at};
        } else {
            return {static_cast<index_t>(all_.sequence.key_batch), all_.sequence.first_key + key, nullptr};
        }
    }
    TEGULA_INLINE tile_rows rows_after(const tile_rows& rows) const
    {
        const index_t row = rows.row + Tile::keys;
        if constexpr (Variant::in_pages)
            if (row == args_.attention.pages.page_length)
                return {rows.page[1], 0, rows.page + 1};
        return {rows.batch, row, rows.page};
    }

    /// last: the tile's last row that is the sequence's.
    TEGULA_INLINE place find(const tile_rows& rows, index_t last) const
    {
        const auto& a = args_.attention;
        const index_t head = all_.block.at.head(0) / (a.heads / a.kv_heads);
        const auto first = [&](const auto& x, index_t row, index_t column) {
            return x.data + rows.batch * x.batch_stride + head * x.head_stride + (rows.row + row) * x.row_stride +
                   column;
        };
        const cache& c = args_.cache;
        const index_t r = row_of_values(), column = column_of_values(), of_rope = row_of_rope();
        return {first(c.values, r, column), first(c.scales, r, column / cache::scaled_columns),
                first(c.rope, of_rope, lane() % 8 * 8), last - r, last - of_rope};
    }
    TEGULA_INLINE void move(place& from, const tile_rows& now, const tile_rows& next) const
    {
        const auto distance = [&](const auto& x) {
            const long_index_t within = (next.row - now.row) * x.row_stride;
            return Variant::in_pages ? within + (next.batch - now.batch) * x.batch_stride : within;
        };
        const cache& c = args_.cache;
        from.values += distance(c.values);
        from.scales += distance(c.scales);
        from.rope += distance(c.rope);
        from.further_values -= Tile::keys;
        from.further_rope -= Tile::keys;
    }

    template <int V>
    TEGULA_INLINE void read(vector& to, const place& from) const
    {
        constexpr int part = part_of(V);
        const cache& c = args_.cache;
        // Rows of a tile lie within 2^31 bytes (check_latent_cache).
        const auto at = [](const auto* data, index_t further, long_index_t stride) {
            return data + further * static_cast<index_t>(stride);
        };
        if constexpr (part == rope_part) {
            const index_t row = min(round_of(V) * rope_rows_at_once, from.further_rope);
            to.bits = target::load_global(reinterpret_cast<const raw*>(at(from.rope, row, c.rope.row_stride)));
        } else {
            constexpr index_t column = part * Tile::value_operand::mn;
            const index_t row = min(round_of(V) * rows_at_once, from.further_values);
            to.bits =
                target::load_global(reinterpret_cast<const raw*>(at(from.values, row, c.values.row_stride) + column));
            to.scale = target::load_global(at(from.scales, row, c.scales.row_stride) + column / cache::scaled_columns);
        }
    }

    template <int V>
    static TEGULA_INLINE void write(std::byte* keys, const vector& from)
    {
        constexpr int part = part_of(V), round = round_of(V);
        const auto to = [&](index_t row, index_t column, index_t rows_further, index_t columns_further) {
            return reinterpret_cast<raw*>(reinterpret_cast<element*>(keys) + keys_operand::offset(row, column) +
                                          keys_operand::offset(rows_further, 0) +
                                          keys_operand::offset(0, columns_further));
        };
        if constexpr (part == rope_part) {
            index_t row = row_of_rope();
            target::make_opaque(row); // else the place would take a register in all of the loop
            target::store_shared(to(row, lane() % 8 * 8, round * rope_rows_at_once, Tile::value_dim), from.bits);
        } else {
            static_for<2>([&](auto half) {
                array<element, 8> made;
                static_for<2>([&](auto w) {
                    const auto x = decode_word<float8_e4m3>(from.bits.words[2 * half + w]);
                    static_for<4>([&](auto i) { made[4 * w + i] = convert<element>(x[i] * from.scale); });
                });
                target::store_shared(to(row_of_values(), column_of_values() + 8 * half, round * rows_at_once,
                                        part * Tile::value_operand::mn),
                                     __builtin_bit_cast(raw, made));
            });
        }
    }

    const Arguments& args_;
    control& shared_;
    const Part& all_;
};

} // namespace tegula
