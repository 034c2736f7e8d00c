#pragma once

#include <tegula/core/float8.hpp>
#include <tegula/kernel/attention/memory.hpp>
#include <tegula/kernel/attention/tile_table.hpp>

namespace tegula {

/// Keys of the latent form in 8 bits. The first 512 of a key's 576 columns, which are the values, are e4m3 numbers. Each
/// 128 of them have a scale, which multiplies them in float; the product is rounded to T. The last 64 columns, which
/// carry the position, are of T.
///
/// Each part is a tensor with strides of its own. A row of values, and one of `rope`, starts at a multiple of 16 bytes.
///
///   T  element type of Q
template <class T>
struct scaled_latent_cache
{
    static constexpr index_t scaled_columns = 128;                              ///< of values, that have one scale
    static constexpr index_t scales_of_key = latent_value_dim / scaled_columns; ///< their number
    static constexpr index_t rope_columns = latent_head_dim - latent_value_dim;
    static constexpr index_t record_bytes =
        latent_value_dim + scales_of_key * static_cast<index_t>(sizeof(float)) +
        rope_columns * static_cast<index_t>(sizeof(T)); ///< values, scales and position of a key: 656

    attention_tensor<const float8_e4m3> values = {}; ///< [batch, kv_heads, seq_k, 512]
    attention_tensor<const float> scales = {};       ///< [batch, kv_heads, seq_k, 4]
    attention_tensor<const T> rope = {};             ///< [batch, kv_heads, seq_k, 64]

    /// The cache whose keys are records of `record_bytes` bytes: values, then scales, then the columns of the position.
    /// Strides are in bytes, multiples of 16.
    static scaled_latent_cache of_records(const void* data, long_index_t batch_stride, long_index_t head_stride,
                                          long_index_t row_stride = record_bytes)
    {
        const auto part = [&](auto* as, index_t first_byte) {
            using E = std::remove_pointer_t<decltype(as)>;
            constexpr auto size = static_cast<long_index_t>(sizeof(E));
            return attention_tensor<E>{reinterpret_cast<E*>(static_cast<const std::byte*>(data) + first_byte),
                                       batch_stride / size, head_stride / size, row_stride / size};
        };
        constexpr index_t first_scale = latent_value_dim;
        constexpr index_t first_rope = first_scale + scales_of_key * static_cast<index_t>(sizeof(float));
        return {part(static_cast<const float8_e4m3*>(nullptr), 0),
                part(static_cast<const float*>(nullptr), first_scale),
                part(static_cast<const T*>(nullptr), first_rope)};
    }

    /// Calls visit(name, tensor, columns) of each part.
    template <class Visit>
    void each_part(const Visit& visit) const
    {
        visit("the cache's values", values, latent_value_dim);
        visit("the cache's scales", scales, scales_of_key);
        visit("the cache's rope", rope, rope_columns);
    }
};

/// Whether tiles of `tile_keys` keys of arguments that can_implement accepts can be made of the cache.
///
/// Errors: keys of other than 576 columns; a part that is null or misaligned, or reaches too far.
template <class Variant, class Arguments, class T>
status check_latent_cache(const Arguments& a, const scaled_latent_cache<T>& cache, index_t tile_keys)
{
    namespace checks = attention_checks;
    if (a.head_dim != latent_head_dim)
        return status(status_code::unsupported, "head_dim is ")
               << a.head_dim << "; keys of a scaled_latent_cache have " << latent_head_dim << " columns";
    const index_t* const offsets = a.lengths.key_offsets;
    const long_index_t batch = Variant::in_pages ? a.pages.pages : offsets != nullptr ? (a.batch > 0) : a.batch;
    const long_index_t rows = Variant::in_pages ? a.pages.page_length : a.seq_k;
    status result;
    cache.each_part([&](const char* name, const auto& part, index_t columns) {
        using E = std::remove_cvref_t<decltype(*part.data)>;
        if (result)
            result = checks::check_read(name, part, {batch, a.kv_heads, rows, columns});
        if (result && !std::is_same_v<E, float> && !checks::has_vector_rows(part, offsets, batch, a.kv_heads, rows))
            result = status(status_code::unsupported, "a row of ")
                     << name << " does not start at a multiple of 16 bytes; all of them must";
        constexpr long_index_t reach = 0x7fffffff / static_cast<long_index_t>(sizeof(E));
        if (result && checks::absolute(part.row_stride) > reach / tile_keys)
            result = status(status_code::unsupported, "rows of ")
                     << name << " are " << part.row_stride << " elements apart; " << tile_keys
                     << " of them must lie within 2^31 bytes";
    });
    return result;
}

/// Makes the cache readable.
template <class Variant, class Memory, class Arguments, class T>
void add_latent_cache(Memory& memory, const Arguments& a, const scaled_latent_cache<T>& cache)
{
    const auto e = internal::attention_extents::of<Variant>(a);
    cache.each_part([&](const char* name, const auto& part, index_t columns) {
        internal::add_tensor(memory, part, e.batch_k, a.kv_heads, e.rows_k, columns, name);
    });
}

} // namespace tegula
