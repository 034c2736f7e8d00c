#pragma once

#include <tegula/core/host_missing.hpp>
#include <tegula/emulator/memory_ranges.hpp>
#include <tegula/host/attention_numbers.hpp>
#include <tegula/kernel/attention/can_implement.hpp>

/// Tells the emulator, whose addresses are the host's, which memory an attention reads and writes.

namespace tegula {

namespace detail {

/// Makes an array [lengths...] readable and, if its elements are not const, writable.
template <class T, int Rank>
void add_elements(emulator::memory_ranges& memory, T* data, const long_index_t (&lengths)[Rank],
                  const long_index_t (&strides)[Rank], const char* name)
{
    const element_span span = span_of(lengths, strides);
    if (data != nullptr && span.count > 0)
        memory.add(data + span.first, static_cast<std::size_t>(span.count) * sizeof(T), name, !std::is_const_v<T>);
}

/// The visitor for each_index_array or each_array_of_lists, so that kernels may read the arrays.
inline auto adds_index_arrays(emulator::memory_ranges& memory)
{
    return [&memory](const index_t* data, const index_array_shape& shape, const char* name) {
        add_elements(memory, data, shape.lengths, shape.strides, name);
    };
}

/// The tensors of an attention by the batch entries and rows they have.
struct attention_extents
{
    long_index_t batch_q, batch_k, rows_q, rows_k;

    template <class Variant, class Arguments>
    static attention_extents of(const Arguments& a)
    {
        const attention_lengths& l = a.lengths;
        attention_extents e{a.batch, a.batch, a.seq_q, a.seq_k};
        if (l.query_offsets != nullptr)
            e.batch_q = 1, e.rows_q = l.query_offsets[a.batch];
        if (l.key_offsets != nullptr)
            e.batch_k = 1, e.rows_k = l.key_offsets[a.batch];
        if (Variant::in_pages)
            e.batch_k = a.pages.pages, e.rows_k = a.pages.page_length;
        return e;
    }
};

template <class T>
void add_tensor(emulator::memory_ranges& memory, const attention_tensor<T>& x, long_index_t batch, long_index_t heads,
                long_index_t rows, long_index_t columns, const char* name)
{
    add_elements<T, 4>(memory, x.data, {batch, heads, rows, columns}, {x.batch_stride, x.head_stride, x.row_stride, 1},
                       name);
}

template <class Matrix, class Arguments>
void add_scores(emulator::memory_ranges& memory, const Matrix& x, const Arguments& a, const char* name)
{
    add_elements(memory, x.data, {a.batch, long_index_t{a.heads}, long_index_t{a.seq_q}, long_index_t{a.seq_k}},
                 {x.batch_stride, x.head_stride, x.query_stride, x.key_stride}, name);
}

inline void add_scale(emulator::memory_ranges& memory, const attention_scale& x, long_index_t batch, long_index_t heads,
                      long_index_t rows, const char* name)
{
    const long_index_t blocks = x.block_rows == 0 ? 1 : ceil_div(rows, long_index_t{x.block_rows});
    add_elements<const float, 3>(memory, x.data, {batch, heads, blocks},
                                 {x.batch_stride, x.head_stride, x.block_stride}, name);
}

} // namespace detail

/// Everything that all kernels of attention with these arguments read: what O and lse are besides is the pass's own.
template <class Variant, class T, class O, class Score>
void add_attention_inputs(emulator::memory_ranges& memory, const attention_arguments<T, O, Score>& a)
{
    const detail::attention_extents e = detail::attention_extents::of<Variant>(a);
    detail::add_tensor(memory, a.q, e.batch_q, a.heads, e.rows_q, a.head_dim, "Q");
    detail::add_tensor(memory, a.k, e.batch_k, a.kv_heads, e.rows_k, a.head_dim, "K");
    detail::add_tensor(memory, a.v, e.batch_k, a.kv_heads, e.rows_k, a.value_dim, "V");
    if constexpr (sizeof(T) == 1) {
        detail::add_scale(memory, a.q_scale, a.batch, a.heads, a.seq_q, "scales of Q");
        detail::add_scale(memory, a.k_scale, a.batch, a.kv_heads, a.seq_k, "scales of K");
        detail::add_scale(memory, a.v_scale, a.batch, a.kv_heads, a.seq_k, "scales of V");
    }
    if constexpr (Variant::mask == attention_mask::boolean)
        detail::add_scores(memory, a.boolean, a, "mask");
    if constexpr (Variant::bias == attention_bias::tensor)
        detail::add_scores(memory, a.bias, a, "bias");
    const auto batch = static_cast<std::size_t>(a.batch), heads = static_cast<std::size_t>(a.heads);
    if constexpr (Variant::bias == attention_bias::alibi)
        detail::add_elements<const float, 2>(memory, a.alibi.slopes, {a.batch, a.heads}, {a.alibi.batch_stride, 1},
                                             "slopes");
    memory.read(a.sinks, heads * sizeof(float), "sinks");
    memory.read(a.band.prefix_lengths, batch * sizeof(index_t), "prefix lengths");
    detail::each_index_array<Variant>(a, detail::adds_index_arrays(memory));
}

/// The forward pass: inputs, O and lse.
template <class Variant, class T, class O, class Score>
void add_attention(emulator::memory_ranges& memory, const attention_arguments<T, O, Score>& a)
{
    const detail::attention_extents e = detail::attention_extents::of<Variant>(a);
    add_attention_inputs<Variant>(memory, a);
    detail::add_tensor(memory, a.o, e.batch_q, a.heads, e.rows_q, a.value_dim, "O");
    detail::add_elements<float, 3>(memory, a.lse.data, {e.batch_q, a.heads, e.rows_q},
                                   {a.lse.batch_stride, a.lse.head_stride, 1}, "lse");
}

} // namespace tegula
