#pragma once

#include <tegula/chip/tensor_map.hpp>
#include <tegula/kernel/attention/arguments.hpp>

namespace tegula::detail {

/// The batch entries and rows of the tensor maps of Q and O, and of K and V. Sequences with offsets lie in one entry.
/// Pages of a cache are entries.
struct attention_map_rows
{
    long_index_t batch_q, q, batch_k, k;

    template <class Variant = attention_variant<>, class Arguments>
    static attention_map_rows of(const Arguments& a)
    {
        const attention_lengths& l = a.lengths;
        const bool packed_q = l.query_offsets != nullptr, packed_k = l.key_offsets != nullptr;
        attention_map_rows rows{packed_q ? 1 : a.batch, packed_q ? l.query_rows : a.seq_q, packed_k ? 1 : a.batch,
                                packed_k ? l.key_rows : a.seq_k};
        if constexpr (Variant::in_pages)
            rows.batch_k = a.pages.pages, rows.k = a.pages.page_length;
        return rows;
    }
    /// Errors: unsupported if lengths vary and the kernel is for one length, or offsets come without the rows of all
    /// sequences.
    status check(const attention_lengths& l, bool any_length) const
    {
        const bool packed_q = l.query_offsets != nullptr, packed_k = l.key_offsets != nullptr;
        if (!any_length && (packed_q || packed_k || l.key_lengths != nullptr))
            return {status_code::unsupported, "lengths of sequences vary; take a kernel of "
                                              "attention_sequences::of_any_length"};
        const bool no_queries = packed_q && q < 1;
        if (no_queries || (packed_k && k < 1))
            return status(status_code::unsupported, no_queries ? "query_rows" : "key_rows")
                   << " is " << (no_queries ? q : k)
                   << "; if offsets are given, tensor copies need the rows of all sequences together";
        return {};
    }
};

/// The map of a tensor [batch, heads, rows, columns] for boxes of `box_rows` rows and the columns of a swizzle's line.
/// Strides of dimensions of length 1 are not used; the hardware is given a valid one.
template <class Loads, class T>
status describe_attention_map(const char* name, const attention_tensor<const T>& x, long_index_t batch,
                              long_index_t heads, long_index_t rows, long_index_t columns, index_t box_rows,
                              tensor_map_parameters& map)
{
    map = Loads::parameters({x.data, columns, rows, x.row_stride, 1, 0});
    map.box[1] = static_cast<std::uint32_t>(box_rows);
    map.rank = 4;
    const long_index_t lengths[] = {heads, batch}, strides[] = {x.head_stride, x.batch_stride};
    const bool overlaps = rows > 1 && x.row_stride < 1;
    for (int i = 0; i < 2; ++i) {
        if (overlaps || (lengths[i] > 1 && strides[i] < 1))
            return status(status_code::unsupported, name)
                   << " has a stride of " << (overlaps ? x.row_stride : strides[i])
                   << "; tensor copies need strides above 0, take an attention_kernel";
        map.lengths[2 + i] = static_cast<std::uint64_t>(lengths[i]);
        map.strides_bytes[2 + i] =
            lengths[i] > 1 ? static_cast<std::uint64_t>(strides[i]) * sizeof(T) : map.strides_bytes[1 + i];
        map.box[2 + i] = 1;
    }
    if (status s = check_tensor_address(map); !s)
        return status(status_code::unsupported, name) << ": " << s.message();
    return {};
}

/// Calls make(map, parameters) for that map; by default boxes have the rows of an operand. Errors: those of both.
template <class Loads, class T, class Make>
status make_attention_map(const char* name, const attention_tensor<const T>& x, long_index_t batch, long_index_t heads,
                          long_index_t rows, long_index_t columns, tensor_map& map, const Make& make,
                          index_t box_rows = Loads::lines)
{
    tensor_map_parameters parameters;
    const status s = describe_attention_map<Loads>(name, x, batch, heads, rows, columns, box_rows, parameters);
    return s ? make(map, parameters) : s;
}

} // namespace tegula::detail

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::attention_map_rows;
using tegula::detail::make_attention_map;
} // namespace tegula::internal
