#pragma once

#include <tegula/core/host_missing.hpp>
#include <tegula/kernel/attention/append/can_implement.hpp>
#include <tegula/kernel/attention/can_implement.hpp>

#include <cstddef>
#include <type_traits>
#include <vector>

/// Offsets, lengths, page tables and block lists of an attention, looked at before a launch: where they lie if the
/// device's memory is the host's, in copies if the device is asked for that.

namespace tegula {

struct cpu_device;

namespace detail {

/// Whether the device's memory is the host's.
template <class Device>
inline constexpr bool has_host_memory = std::is_same_v<Device, cpu_device> || std::is_same_v<Device, emulated_device>;

/// Where the elements of an array lie, from its address on.
struct element_span
{
    long_index_t first, count;
};

/// The span of an array [lengths...] from its lowest element to its highest.
template <int Rank>
element_span span_of(const long_index_t (&lengths)[Rank], const long_index_t (&strides)[Rank])
{
    element_span span{0, 1};
    for (int i = 0; i < Rank; ++i) {
        if (lengths[i] == 0)
            return {0, 0};
        const long_index_t reach = (lengths[i] - 1) * strides[i];
        span.first += reach < 0 ? reach : 0;
        span.count += reach < 0 ? -reach : reach;
    }
    return span;
}

struct index_array_shape
{
    long_index_t lengths[3], strides[3];

    static index_array_shape row(long_index_t count) { return {{1, 1, count}, {0, 0, 1}}; }
};

/// visit(pointer, shape, name) for both arrays of block lists. `length`: queries, or, for the lists by keys, keys;
/// `block` of them have one list.
template <class Lists, class Arguments, class Visit>
void each_array_of_lists(Lists& x, const Arguments& a, index_t length, index_t block, const char* name,
                         const Visit& visit)
{
    const long_index_t lists = ceil_div(length, block);
    visit(x.counts, {{a.batch, a.heads, lists}, {x.batch_stride, x.head_stride, 1}}, name);
    visit(x.blocks,
          {{a.batch, a.heads, lists * x.capacity}, {x.batch_stride * x.capacity, x.head_stride * x.capacity, 1}}, name);
}

/// Visits all index arrays that kernels of the variant read to find their way.
template <class Variant, class Arguments, class Visit>
void each_index_array(Arguments& a, const Visit& visit)
{
    if constexpr (requires { a.forward; }) {
        each_index_array<Variant>(a.forward, visit);
        if constexpr (Variant::mask == attention_mask::lists)
            each_array_of_lists(a.lists_by_keys, a.forward, a.forward.seq_k, a.forward.lists.key_length,
                                "block lists by keys", visit);
    } else if constexpr (requires { a.new_offsets; }) {
        visit(a.cached, index_array_shape::row(a.batch), "cached rows");
        visit(a.new_offsets, index_array_shape::row(a.batch + 1), "offsets of the new rows");
        if (a.pages.table != nullptr)
            visit(a.pages.table,
                  {{1, a.batch, ceil_div(a.capacity, a.pages.page_length)}, {0, a.pages.batch_stride, 1}},
                  "page table");
    } else {
        visit(a.lengths.query_offsets, index_array_shape::row(a.batch + 1), "query offsets");
        visit(a.lengths.key_offsets, index_array_shape::row(a.batch + 1), "key offsets");
        visit(a.lengths.key_lengths, index_array_shape::row(a.batch), "key lengths");
        if constexpr (Variant::in_pages)
            visit(a.pages.table, {{1, a.batch, ceil_div(a.seq_k, a.pages.page_length)}, {0, a.pages.batch_stride, 1}},
                  "page table");
        if constexpr (Variant::mask == attention_mask::lists)
            each_array_of_lists(a.lists, a, a.seq_q, a.lists.query_length, "block lists", visit);
    }
}

/// check(arguments), whose index arrays the host can read: `args` itself if the device's memory is the host's, `args` with
/// copies of them if the device `checks_arrays`. Otherwise nothing is checked.
///
/// Errors: those of the check and of copying.
template <class Variant, class Device, class Arguments, class Check>
status check_readable(const Device& device, const Arguments& args, const Check& check)
{
    if constexpr (has_host_memory<Device>)
        return check(args);
    else {
        if (!device.checks_arrays)
            return {};
        Arguments readable = args;
        std::vector<std::vector<index_t>> copies;
        status s;
        each_index_array<Variant>(readable, [&](const index_t*& array, const index_array_shape& shape, const char*) {
            const element_span span = span_of(shape.lengths, shape.strides);
            if (!s || array == nullptr || span.count == 0)
                return;
            copies.emplace_back(static_cast<std::size_t>(span.count));
            s = device.copy_to_host(copies.back().data(), array + span.first, copies.back().size() * sizeof(index_t));
            array = copies.back().data() - span.first;
        });
        return s ? check(readable) : s;
    }
}

/// check_numbers_in_memory or, of a backward pass, check_gradient_numbers_in_memory by check_readable.
template <class Variant, class Device, class Arguments>
status check_numbers_on(const Device& device, const Arguments& args)
{
    return check_readable<Variant>(device, args, [](const Arguments& readable) {
        if constexpr (requires { readable.forward; })
            return check_gradient_numbers_in_memory<Variant>(readable);
        else
            return check_numbers_in_memory<Variant>(readable);
    });
}

/// check_append_numbers_in_memory by check_readable.
template <class Device, class T>
status check_append_numbers_on(const Device& device, const attention_append_arguments<T>& args)
{
    return check_readable<void>(device, args,
                                [](const auto& readable) { return check_append_numbers_in_memory(readable); });
}

/// Checks the arrays of the attention behind an append, with the key lengths that the append will leave.
template <class Variant, class Device, class T, class Attention>
status check_numbers_behind(const Device& device, const attention_append_arguments<T>& rows, const Attention& args)
{
    const bool follows = rows.key_lengths != nullptr && args.lengths.key_lengths == rows.key_lengths;
    Attention behind = args;
    if (follows)
        behind.lengths.key_lengths = nullptr; // what is there before the append is not read
    return check_readable<void>(device, rows, [&](const auto& readable_rows) {
        std::vector<index_t> lengths;
        for (long_index_t b = 0; follows && b < rows.batch; ++b)
            lengths.push_back(appended_rows(readable_rows, b).last);
        return check_readable<Variant>(device, behind, [&](Attention readable) {
            if (follows)
                readable.lengths.key_lengths = lengths.data();
            return check_numbers_in_memory<Variant>(readable);
        });
    });
}

} // namespace detail
} // namespace tegula
