#pragma once

#include <tegula/kernel/attention/backward/workspace.hpp>
#include <tegula/kernel/attention/can_implement.hpp>

namespace tegula {

namespace detail {

/// Whether rows of all tensors are whole vectors of 16 bytes, and within reach of the tile's loaders.
template <class Tile, class Problem>
status has_gradient_rows_of_vectors(const Problem& b)
{
    const auto& a = b.forward;
    const auto unsupported = [](const char* text) { return status(status_code::unsupported, text); };
    constexpr index_t vector = 16 / static_cast<index_t>(sizeof(typename Tile::element));
    if (a.head_dim % vector != 0 || a.value_dim % vector != 0)
        return unsupported("head_dim is ")
               << a.head_dim << " and value_dim " << a.value_dim << "; both must be multiples of " << vector
               << ": add columns of zeros to Q and K, or to V and dO";
    const auto of_queries = [&](const auto& x) {
        return attention_checks::has_vector_rows(x, a.lengths.query_offsets, a.batch, a.heads, a.seq_q);
    };
    const auto of_keys = [&](const auto& x) {
        return attention_checks::has_vector_rows(x, a.lengths.key_offsets, a.batch, a.kv_heads, a.seq_k);
    };
    if (!(of_queries(a.q) && of_queries(a.o) && of_queries(b.d_o) && of_queries(b.dq) && of_keys(a.k) && of_keys(a.v) &&
          of_keys(b.dk) && of_keys(b.dv)))
        return unsupported("a row of Q, K, V, O or of a gradient does not start at a multiple of 16 bytes; all of them "
                           "must");
    struct named
    {
        const char* name;
        long_index_t stride;
    };
    using element = typename Tile::element;
    // An array: for a loop over a list in braces nvcc 13 makes host code that does not compile.
    const named strides[] = {
        {"Q", a.q.row_stride}, {"K", a.k.row_stride}, {"V", a.v.row_stride}, {"dO", b.d_o.row_stride}};
    for (const named& x : strides)
        if (status s = attention_checks::check_reach<element, typename Tile::kept_loader>(
                x.name, x.stride, max(Tile::rows, Tile::columns));
            !s)
            return s;
    return {};
}

} // namespace detail

/// Whether kernels of a tile take a backward pass that can_implement accepts.
///
/// Errors: unsupported if the tile has fewer columns than the problem, or rows of a tensor do not start at multiples of 16
/// bytes.
template <class Tile, class Variant, class Problem>
status suits_gradient_tile(const Problem& b)
{
    const auto& a = b.forward;
    const auto unsupported = [](const char* text) { return status(status_code::unsupported, text); };
    if (status s = attention_checks::check_columns<Tile>(a); !s)
        return s;
    // A CPU reads rows that start anywhere.
    if constexpr (Tile::target::vendor != vendor::x86)
        if (status s = detail::has_gradient_rows_of_vectors<Tile>(b); !s)
            return s;
    if constexpr (Variant::mask == attention_mask::lists) {
        constexpr index_t least =
            Tile::rows / gcd(Tile::rows, Tile::columns) * Tile::columns; // a tile lies in one block of each list
        if (a.lists.query_length % least != 0 || a.lists.key_length % least != 0)
            return unsupported("block lists are of ")
                   << a.lists.query_length << " queries and " << a.lists.key_length
                   << " keys; the backward pass takes multiples of its tile's " << least;
    }
    return {};
}

/// Whether the workspace is valid.
///
///   workspace  `size` floats of the device, at a multiple of 16 bytes
///
/// Errors: invalid_argument if it is null or not aligned to 16 bytes.
inline status check_gradient_workspace(const float* workspace, long_index_t size)
{
    if (size > 0 && workspace == nullptr)
        return gemm_checks::invalid("the workspace is a null pointer; ") << size << " floats are needed";
    if (!gemm_checks::is_aligned(workspace, 16))
        return gemm_checks::invalid("the workspace of ") << size << " floats is not aligned to 16 bytes";
    return {};
}

} // namespace tegula
