#pragma once

// A step of decoding, which appends a row to the cache of every sequence and reads it.

#include "decoding.hpp"

inline bool appended(tensors& x)
{
    // A decoding step: each sequence of a cache gets a key and a value, and its query sees all that is there then.
    std::vector<bfloat16> new_k(batch * heads * columns), new_v(new_k.size());
    fill_normal<bfloat16>(new_k, 6);
    fill_normal<bfloat16>(new_v, 7);
    std::vector<float> cosines(keys * columns / 2), sines(cosines.size());
    for (index_t p = 0; p < keys; ++p)
        for (index_t i = 0; i < columns / 2; ++i) {
            const double angle = p * std::pow(10000.0, -2.0 * i / columns);
            cosines[static_cast<std::size_t>(p * columns / 2 + i)] = static_cast<float>(std::cos(angle));
            sines[static_cast<std::size_t>(p * columns / 2 + i)] = static_cast<float>(std::sin(angle));
        }
    const index_t cached[batch] = {100, 40};
    index_t lengths[batch] = {};
    auto a = x.arguments();
    a.seq_q = 1;
    a.lengths.key_lengths = lengths; // which append leaves there
    using append = append_kernel<target, bfloat16, columns>;
    append::arguments rows{.batch = batch,
                           .heads = heads,
                           .kv_heads = heads,
                           .rows = 1, // of a sequence
                           .head_dim = columns,
                           .value_dim = columns,
                           .new_k = {new_k.data(), heads * columns, columns, heads * columns},
                           .new_v = {new_v.data(), heads * columns, columns, heads * columns},
                           .k = {x.k.data(), a.k.batch_stride, a.k.head_stride, a.k.row_stride},
                           .v = {x.v.data(), a.v.batch_stride, a.v.head_stride, a.v.row_stride},
                           .capacity = keys,
                           .cached = cached, // rows that each sequence has
                           .key_lengths = lengths};
    rows.rotary = {cosines.data(), sines.data(), columns / 2, keys, columns};
    rows.q = a.q;
    rows.rotated_q = {x.q.data(), a.q.batch_stride, a.q.head_stride, a.q.row_stride}; // in place

    split_kernel::arguments split{a, 2, {}};
    emulated_memory workspace;
    if (!workspace.allocate(static_cast<std::size_t>(split.workspace_size()) * sizeof(float)))
        return false;
    split.workspace = {static_cast<float*>(workspace.data()), split.workspace_size()};
    emulated_device device;
    const status s = launch(device, append_and_attend<append, split_kernel>{}, {rows, split});
    return compare("appended rows", s, device, a) && lengths[0] == 101 && lengths[1] == 41;
}
