// Kernels over tensors of any shape: a function of one's own with broadcasting, a reduction over two dimensions at once,
// a transposition of dimensions.

#include <tegula/host.hpp>
#include <tegula/reduction.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tegula;
using target = arch::sm_80;

/// Small whole numbers: their sums are exact in float.
std::vector<float> whole_numbers(long_index_t count)
{
    std::vector<float> x(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < x.size(); ++i)
        x[i] = static_cast<float>(i * 7 % 11) - 5;
    return x;
}

status add_bias(emulated_device& device, double& worst)
{
    const long_index_t batch = 3, channels = 20, columns = 32;
    const std::vector<float> x = whole_numbers(batch * channels * columns), bias = whole_numbers(channels);
    std::vector<float> y(x.size());

    const auto f = [](float v, float b) { return v + b > 0 ? v + b : 0.f; };
    const auto a = make_elementwise_arguments(
        f, make_tensor_argument(y.data(), {batch, channels, columns}),
        make_tensor_argument(x.data(), {batch, channels, columns}),
        make_tensor_argument(bias.data(), {channels, 1})); // repeated along the batch and the columns
    const status s = launch_elementwise<target>(device, a);

    for (std::size_t i = 0; i < y.size(); ++i)
        worst = std::fmax(worst, std::fabs(y[i] - f(x[i], bias[i / 32 % 20])));
    return s;
}

status sum_of_channels(emulated_device& device, double& worst)
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
    const status s = launch_reduction<target>(device, a);

    for (long_index_t c = 0; c < channels; ++c) {
        double sum = 0;
        for (long_index_t b = 0; b < batch; ++b)
            for (long_index_t i = 0; i < columns; ++i)
                sum += x[static_cast<std::size_t>((b * channels + c) * columns + i)];
        worst = std::fmax(worst, std::fabs(sums[static_cast<std::size_t>(c)] - sum));
    }
    return s;
}

status turn_dimensions(emulated_device& device, double& worst)
{
    const std::vector<float> x = whole_numbers(2 * 40 * 24);
    std::vector<float> y(x.size());

    permute_arguments<float> a;
    a.input = make_tensor_argument(x.data(), {2, 40, 24});
    a.output = make_tensor_argument(y.data(), {24, 2, 40});
    a.order[0] = 2, a.order[1] = 0, a.order[2] = 1; // as NumPy's transpose(2, 0, 1)
    const status s = launch_permute<target>(device, a);

    for (std::size_t i = 0; i < 2 * 40; ++i)
        for (std::size_t c = 0; c < 24; ++c)
            worst = std::fmax(worst, std::fabs(y[c * 80 + i] - x[i * 24 + c]));
    return s;
}

int main()
{
    int failed = 0;
    const auto run = [&](const char* name, auto f) {
        emulated_device device;
        double worst = 0;
        const status s = f(device, worst);
        const bool good = s.ok() && worst == 0;
        failed += good ? 0 : 1;
        std::printf("%-12s %s %s%s\n", name, good ? "right" : "WRONG", s.message(), device.result.report.c_str());
    };
    run("elementwise", add_bias);
    run("reduction", sum_of_channels);
    run("permutation", turn_dimensions);
    return failed;
}
