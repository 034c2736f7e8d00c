#pragma once

#include <tegula/kernel/attention/can_implement.hpp>

#include <cstddef>

/// The memory that kernels of attention read and write, for memory() of a kernel (kernel/protocol.hpp).

namespace tegula {

namespace detail {

/// Where an array [lengths...] lies, from its lowest element to its highest.
template <int Rank>
gemm_checks::element_range span_of(const long_index_t (&lengths)[Rank], const long_index_t (&strides)[Rank])
{
    gemm_checks::element_range span{0, 1};
    for (int i = 0; i < Rank; ++i) {
        if (lengths[i] == 0)
            return {};
        const long_index_t reach = (lengths[i] - 1) * strides[i];
        span.first += reach < 0 ? reach : 0;
        span.count += reach < 0 ? -reach : reach;
    }
    return span;
}

/// Makes elements readable and, if they are not const, writable.
template <class Memory, class T>
void add_span(Memory& memory, T* data, const gemm_checks::element_range& span, const char* name)
{
    if (data != nullptr && span.count > 0)
        memory.add(data + span.first, static_cast<std::size_t>(span.count) * sizeof(T), name, !std::is_const_v<T>);
}

/// add_span of an array [lengths...].
template <class T, int Rank, class Memory>
void add_elements(Memory& memory, T* data, const long_index_t (&lengths)[Rank], const long_index_t (&strides)[Rank],
                  const char* name)
{
    add_span(memory, data, span_of(lengths, strides), name);
}

/// visit(pointer, span, name) for both arrays of block lists. `length`: queries, or, for the lists by keys, keys;
/// `block` of them have one list.
template <class Lists, class Arguments, class Visit>
void each_array_of_lists(Lists& x, const Arguments& a, index_t length, index_t block, const char* name,
                         const Visit& visit)
{
    const long_index_t lists = ceil_div(length, block);
    visit(x.counts, span_of<3>({a.batch, a.heads, lists}, {x.batch_stride, x.head_stride, 1}), name);
    visit(x.blocks,
          span_of<3>({a.batch, a.heads, lists * x.capacity},
                     {x.batch_stride * x.capacity, x.head_stride * x.capacity, 1}),
          name);
}

/// visit(pointer, span, name) for the page table of a cache with so many keys a sequence.
template <class Pages, class Visit>
void visit_page_table(Pages& pages, long_index_t batch, index_t keys, const Visit& visit)
{
    visit(pages.table, span_of<2>({batch, ceil_div(keys, pages.page_length)}, {pages.batch_stride, 1}), "page table");
}

/// visit(pointer, span, name) for all index arrays that kernels of the variant read to find their way.
template <class Variant, class Arguments, class Visit>
void each_index_array(Arguments& a, const Visit& visit)
{
    const auto row = [](long_index_t count) { return gemm_checks::element_range{0, count}; };
    visit(a.lengths.query_offsets, row(a.batch + 1), "query offsets");
    visit(a.lengths.key_offsets, row(a.batch + 1), "key offsets");
    visit(a.lengths.key_lengths, row(a.batch), "key lengths");
    if constexpr (Variant::in_pages)
        visit_page_table(a.pages, a.batch, a.seq_k, visit);
    if constexpr (Variant::mask == attention_mask::lists)
        each_array_of_lists(a.lists, a, a.seq_q, a.lists.query_length, "block lists", visit);
}

/// The visitor that makes such arrays readable.
template <class Memory>
auto adds_index_arrays(Memory& memory)
{
    return [&memory](const index_t* data, const gemm_checks::element_range& span, const char* name) {
        add_span(memory, data, span, name);
    };
}

/// The visitor that calls visit(pointer, first, count), as index_arrays() of a kernel does.
template <class Visit>
auto visits_spans(const Visit& visit)
{
    return [&visit](const index_t*& array, const gemm_checks::element_range& span, const char*) {
        visit(array, span.first, span.count);
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

template <class Memory, class T>
void add_tensor(Memory& memory, const attention_tensor<T>& x, long_index_t batch, long_index_t heads, long_index_t rows,
                long_index_t columns, const char* name)
{
    add_elements<T, 4>(memory, x.data, {batch, heads, rows, columns}, {x.batch_stride, x.head_stride, x.row_stride, 1},
                       name);
}

template <class Memory, class Matrix, class Arguments>
void add_scores(Memory& memory, const Matrix& x, const Arguments& a, const char* name)
{
    add_span(
        memory, x.data,
        span_of<4>({a.batch, a.heads, a.seq_q, a.seq_k}, {x.batch_stride, x.head_stride, x.query_stride, x.key_stride}),
        name);
}

template <class Memory>
void add_scale(Memory& memory, const attention_scale& x, long_index_t batch, long_index_t heads, long_index_t rows,
               const char* name)
{
    const long_index_t blocks = x.block_rows == 0 ? 1 : ceil_div(rows, long_index_t{x.block_rows});
    add_elements<const float, 3>(memory, x.data, {batch, heads, blocks},
                                 {x.batch_stride, x.head_stride, x.block_stride}, name);
}

} // namespace detail

/// The inputs that all kernels of attention with these arguments read. Each pass adds O and lse by itself.
template <class Variant, class Memory, class T, class O, class Score>
void add_attention_inputs(Memory& memory, const attention_arguments<T, O, Score>& a)
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
template <class Variant, class Memory, class T, class O, class Score>
void add_attention(Memory& memory, const attention_arguments<T, O, Score>& a)
{
    const detail::attention_extents e = detail::attention_extents::of<Variant>(a);
    add_attention_inputs<Variant>(memory, a);
    detail::add_tensor(memory, a.o, e.batch_q, a.heads, e.rows_q, a.value_dim, "O");
    detail::add_elements<float, 3>(memory, a.lse.data, {e.batch_q, a.heads, e.rows_q},
                                   {a.lse.batch_stride, a.lse.head_stride, 1}, "lse");
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::add_elements;
using tegula::detail::add_scores;
using tegula::detail::add_tensor;
using tegula::detail::adds_index_arrays;
using tegula::detail::attention_extents;
using tegula::detail::each_array_of_lists;
using tegula::detail::each_index_array;
using tegula::detail::visit_page_table;
using tegula::detail::visits_spans;
} // namespace tegula::internal
