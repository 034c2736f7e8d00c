#pragma once

// Inputs of 8 bits.

#include "tensors.hpp"

#include <tegula/core/float8.hpp>

inline bool eight_bits(tensors& x)
{
    using element = float8_e4m3_fnuz; // gfx942's
    using kernel = attention_kernel<attention_tile_for<target, element, columns>, float>;
    std::vector<element> q(x.q.size()), k(x.k.size()), v(x.v.size());
    fill_normal<element>(q, 1);
    fill_normal<element>(k, 2);
    fill_normal<element>(v, 3);
    const auto of = x.arguments();
    kernel::arguments a = {.batch = batch,
                           .heads = heads,
                           .kv_heads = heads,
                           .seq_q = queries,
                           .seq_k = keys,
                           .head_dim = columns,
                           .value_dim = columns,
                           .q = {q.data(), of.q.batch_stride, of.q.head_stride, of.q.row_stride},
                           .k = {k.data(), of.k.batch_stride, of.k.head_stride, of.k.row_stride},
                           .v = {v.data(), of.v.batch_stride, of.v.head_stride, of.v.row_stride},
                           .o = of.o,
                           .lse = of.lse,
                           .scale = of.scale};
    const float of_q = 0.5f, of_k[batch * heads] = {1.0f, 2.0f, 0.25f, 1.5f}, of_v[] = {3.0f, 0.125f};
    a.q_scale = {.data = &of_q};                                         // one number for all
    a.k_scale = {.data = of_k, .batch_stride = heads, .head_stride = 1}; // one a head
    a.v_scale = {.data = of_v, .block_stride = 1, .block_rows = 64};     // one for 64 rows
    return compute<attention_variant<>>("8 bits, scaled", a);
}
