#pragma once

// A reduction over two dimensions at once.

#include "shapes.hpp"

inline status sum_of_channels(emulated_device& device, double& worst)
{
    const long_index_t batch = 4, channels = 6, columns = 50;
    const std::vector<float> x = whole_numbers(batch * channels * columns);
    std::vector<float> sums(channels);

    reduction_arguments<fold_reducer<float, plus>, float> a;
    a.input = make_tensor_argument(x.data(), {batch, channels, columns});
    a.output = make_tensor_argument(sums.data(), {channels});
    a.axes = 1u << 0 | 1u << 2; // over the batch and the columns
    std::vector<std::byte> workspace(static_cast<std::size_t>(reduction_workspace_bytes(a)));
    a.workspace = workspace.data();
    const status s = launch(device, reduction_kernels<target>{}, a);

    for (long_index_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (long_index_t b = 0; b < batch; ++b)
            for (long_index_t i = 0; i < columns; ++i)
                sum += x[static_cast<std::size_t>((b * channels + c) * columns + i)];
        worst = std::fmax(worst, std::fabs(sums[static_cast<std::size_t>(c)] - sum));
    }
    return s;
}
