#pragma once

/// oneDNN's primitives on packed float arrays.

#include "test/catch.hpp"

#include <cmath>
#include <dnnl.hpp>
#include <span>
#include <unordered_map>
#include <vector>

namespace tegula::test {

inline dnnl::engine& onednn_engine()
{
    static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

/// Arrays of floats in memory, dimensions in oneDNN's order and their strides.
struct onednn_array
{
    dnnl::memory::desc layout;
    std::vector<float> values;

    onednn_array(const dnnl::memory::dims& lengths, const dnnl::memory::dims& strides)
        : layout(lengths, dnnl::memory::data_type::f32, strides)
    {
        long n = 1;
        for (const long l : lengths)
            n *= l;
        values.assign(static_cast<std::size_t>(n), 0.0f);
    }
};

/// Runs a primitive on its arguments, pairs of DNNL_ARG_... and array.
inline void run_onednn(const dnnl::primitive& primitive, const std::vector<std::pair<int, onednn_array*>>& arguments)
{
    std::unordered_map<int, dnnl::memory> memory;
    for (const auto& [which, array] : arguments)
        memory.emplace(which, dnnl::memory(array->layout, onednn_engine(), array->values.data()));
    dnnl::stream stream(onednn_engine());
    primitive.execute(stream, memory);
    stream.wait();
}

/// Whether floats are the exact values up to a share of what they were summed from.
inline bool agrees(std::span<const float> floats, std::span<const double> exact, std::span<const double> magnitudes,
                   double relative)
{
    bool same = floats.size() == exact.size();
    for (std::size_t i = 0; same && i < exact.size(); ++i)
        same = std::abs(static_cast<double>(floats[i]) - exact[i]) <= relative * magnitudes[i];
    return same;
}

} // namespace tegula::test
