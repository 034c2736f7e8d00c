#pragma once

// The list of products that are measured.

#include "problem.hpp"

#include <algorithm>
#include <vector>

namespace gemm_benchmark {

/// A shape and the part of the list it belongs to.
struct listed_shape
{
    std::string group; ///< "cube", "few_rows", "long_k", "llm", or "given" by the user
    gemm_benchmark::shape shape;
};

/// Cubes; few rows of A times the matrices of a language model; a long k; the projections of a language model of 8
/// billion parameters (hidden 4096, 32 query and 8 key heads of 128, feed-forward 14336) at 2048 and 8192 tokens. No
/// shape is there twice.
inline std::vector<listed_shape> all_shapes()
{
    std::vector<listed_shape> list;
    const auto add = [&](const char* group, shape s) {
        if (std::none_of(list.begin(), list.end(), [&](const listed_shape& x) { return x.shape == s; }))
            list.push_back({group, s});
    };
    for (long_index_t size : {1024, 2048, 4096, 8192, 16384})
        add("cube", {size, size, size});
    for (long_index_t m : {1, 16, 64, 128})
        for (long_index_t n : {4096, 8192, 14336})
            for (long_index_t k : {4096, 8192, 14336})
                add("few_rows", {m, n, k});
    add("long_k", {4096, 4096, 16384});
    for (long_index_t tokens : {2048, 8192}) {
        add("llm", {tokens, 6144, 4096});  // queries, keys and values
        add("llm", {tokens, 4096, 4096});  // output of the attention
        add("llm", {tokens, 28672, 4096}); // gate and up
        add("llm", {tokens, 4096, 14336}); // down
    }
    return list;
}

/// One thing to measure.
struct product
{
    std::string group;
    gemm_benchmark::shape shape;
    element type = element::bf16;
    gemm_benchmark::layout layout = layout::tn;

    /// "bf16/TN/4096x4096x4096"
    std::string name() const { return std::string(name_of(type)) + "/" + name_of(layout) + "/" + shape.name(); }
};

/// Every shape in bf16 (TN, NN, NT), f16 (TN) and, where the GPU has it, its fp8 (TN).
inline std::vector<product> all_products(const std::vector<listed_shape>& shapes, bool has_fp8, element fp8)
{
    std::vector<product> list;
    for (const listed_shape& s : shapes)
        for (layout l : all_layouts)
            list.push_back({s.group, s.shape, element::bf16, l});
    for (const listed_shape& s : shapes)
        list.push_back({s.group, s.shape, element::f16, layout::tn});
    for (const listed_shape& s : shapes)
        if (has_fp8)
            list.push_back({s.group, s.shape, fp8, layout::tn});
    return list;
}

} // namespace gemm_benchmark
