#pragma once

/// The latent form of attention from a scaled_latent_cache.

#include "test/kernel/attention/latent.hpp"

#include <cstring>

namespace tegula::test {

template <class T, class Variant, class O = float>
using latent_from_fp8 =
    warp_specialized_latent_attention<warp_specialized_latent_tile<arch::sm_90a, T, float8_e4m3>, O, Variant>;

using latent_rows = attention_variant<attention_mask::none, attention_bias::none, attention_weights::all,
                                      attention_cache::contiguous, attention_heads::packed>;

/// Keys of 576 columns as a cache of 8 bits, in records with a gap of NaN between them.
template <class Kernel>
class scaled_keys
{
    using T = typename Kernel::element;
    using cache = scaled_latent_cache<T>;
    static constexpr long_index_t gap = 16;
    std::vector<std::byte> memory_;

public:
    cache of_records;

    /// Makes it of the keys of data. They become what the cache holds, and V becomes K. If a key begins with NaN, all its
    /// numbers are NaN, in the values by both codes.
    explicit scaled_keys(attention_data<Kernel>& data)
    {
        auto& k = data.args.k;
        data.args.v = k;
        const long_index_t record = cache::record_bytes + gap, row = data.args.kv_heads * record;
        const auto rows = static_cast<long_index_t>(data.k.size()) / k.row_stride;
        memory_.assign(static_cast<std::size_t>(rows * row) + 16, std::byte{0xff});
        std::byte* const first = memory_.data() + (16 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 16) % 16;
        of_records = cache::of_records(first, k.batch_stride / k.row_stride * row, record, row);
        random_source random(4);
        for (long_index_t r = 0; r < rows; ++r)
            for (index_t head = 0; head < data.args.kv_heads; ++head)
                quantize(data.k.data() + r * k.row_stride + head * k.head_stride, first + r * row + head * record,
                         random);
    }
    scaled_keys(const scaled_keys&) = delete;

    /// Gives the cache to the kernel's arguments, in place of K and V.
    void replace(typename Kernel::arguments& args) const
    {
        args.attention.k = args.attention.v = {}; // the keys are in the cache alone
        args.cache = of_records;
    }
    auto replaces() const
    {
        return [this](auto& args) { replace(args); };
    }

private:
    static void quantize(T* key, std::byte* record, random_source& random)
    {
        const bool is_number = key[0] == key[0];
        for (index_t block = 0; block < cache::scales_of_key; ++block) {
            float scale = std::ldexp(1.0f + 0.01f * static_cast<float>(random.integer(0, 99)),
                                     static_cast<int>(random.integer(-9, -5)));
            if (!is_number)
                scale = std::numeric_limits<float>::quiet_NaN();
            std::memcpy(record + latent_value_dim + block * 4, &scale, 4);
            for (index_t i = 0; i < cache::scaled_columns; ++i) {
                const index_t column = block * cache::scaled_columns + i;
                const auto x = is_number ? float8_e4m3(static_cast<float>(key[column]) / scale)
                                         : float8_e4m3::from_bits(i % 2 == 0 ? 0x7f : 0xff);
                record[column] = static_cast<std::byte>(x.bits);
                key[column] = convert<T>(static_cast<float>(x) * scale);
            }
        }
        for (index_t i = 1; i < latent_head_dim && !is_number; ++i)
            key[i] = key[0];
        std::memcpy(record + latent_value_dim + cache::scales_of_key * 4, key + latent_value_dim,
                    cache::rope_columns * sizeof(T));
    }
};

/// Heads that share keys in pages, which are split: lengths with ends inside a tile, behind which lies NaN, and a sequence
/// shorter than the other.
template <class Kernel>
void check_scaled_pages(index_t page)
{
    struct shape
    {
        index_t queries, heads, kv_heads, value_dim, splits;
        std::vector<index_t> lengths;
    };
    const index_t pages = 320 / page; // of a sequence
    std::vector<index_t> table;
    for (index_t i = 0; i < 2 * pages; ++i)
        table.push_back((3 * i + 4) % (2 * pages));
    for (const shape& s :
         {shape{3, 22, 1, 512, 1, {300, 3}}, shape{1, 16, 1, 512, 2, {129, 64}}, shape{2, 4, 2, 456, 3, {1, 127}}}) {
        attention_data<Kernel> data(s.queries, pages * page, s.heads, s.kv_heads, 2, 576, s.value_dim);
        auto& args = data.args;
        args.lengths.key_lengths = s.lengths.data();
        args.pages = {table.data(), pages, page, 2 * pages};
        args.k.batch_stride = page * args.k.row_stride;
        args.band.right = 0;
        for (index_t b = 0; b < 2; ++b)
            for (index_t key = s.lengths[static_cast<std::size_t>(b)]; key < pages * page; ++key)
                spoil_keys(data, table[static_cast<std::size_t>(b * pages + key / page)], key % page, key % page + 1);
        const scaled_keys<Kernel> keys(data);
        check_split_attention(data, s.splits, keys.replaces());
    }
}

} // namespace tegula::test
