#pragma once

// The kernel of 03_softmax.cpp for any target, so that the emulator and a GPU run the same text.

#include <tegula/tensor.hpp>

#include <cmath>

template <class Target, tegula::index_t Columns>
struct row_softmax
{
    using target = Target;
    static constexpr tegula::index_t rows_of_block = 8;
    static constexpr int waves = 4;
    static constexpr int block_threads = waves * target::wave_size;
    using tile = tegula::coalesced<target, float, rows_of_block, Columns, waves>;

    const float* from; // [rows, columns], columns <= Columns
    float* to;
    tegula::index_t rows, columns;

    TEGULA_HOST_DEVICE void operator()() const
    {
        using namespace tegula;
        const auto layout = make_strided_descriptor(make_tuple(rows, columns), make_tuple(columns, constant<1>{}));
        const auto source = make_tensor_view<target, address_space::global>(from, layout, "source");
        const auto result = make_tensor_view<target, address_space::global>(to, layout, "result");
        const multi_index<2> corner{target::block_id()[0] * rows_of_block, 0};

        auto x = load(make_tile_window<tile>(source, corner), -INFINITY); // [8, Columns]
        const auto highest = reduce<target, 1>(x, maximum{});             // [8]
        transform_with_reduced<1>(x, highest, [](float v, float most) { return tegula::exp<target>(v - most); });
        const auto sum = reduce<target, 1>(x, plus{});
        transform_with_reduced<1>(x, sum, [](float value, float all) { return value / all; });
        store(make_tile_window<tile>(result, corner), x);
    }
};

/// to = the softmax of each row of `from`, both in the host's memory, on the current GPU; on_gpu.cu.
tegula::status softmax_on_gpu(const float* from, float* to, tegula::index_t rows, tegula::index_t columns);
