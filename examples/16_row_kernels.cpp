// Kernels on the rows of tensors: a norm with what is fused with it and its gradients, softmax along any dimension,
// experts for tokens, a loss with its gradient.

#include <tegula/host.hpp>
#include <tegula/host/launch_rows.hpp>
#include <tegula/host/row_reference.hpp>
#include <tegula/normalization.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tegula;
using target = arch::gfx942;
using tiles = few_row_tiles_for<target, 4>; // 16 bytes of float; row_tiles_for has more

/// Random numbers.
std::vector<float> numbers(long_index_t count, std::uint64_t seed)
{
    std::vector<float> x(static_cast<std::size_t>(count));
    fill_normal<float>(x, seed);
    return x;
}

status normalize_rows(emulated_device& device, double& worst)
{
    const long_index_t rows = 5, length = 96;
    const std::vector<float> x = numbers(rows * length, 1), weight = numbers(length, 2);
    std::vector<float> residual = numbers(rows * length, 3), scale(rows);
    std::vector<std::int8_t> y(rows * length);

    // The residual becomes x + residual; y is its RMS norm times the weights, in int8 with a scale for each row.
    norm_arguments<float, std::int8_t> a;
    a.x = make_tensor_argument(x.data(), {rows, length});
    a.y = make_tensor_argument(y.data(), {rows, length});
    a.residual = make_tensor_argument<const float>(residual.data(), {rows, length});
    a.sum = make_tensor_argument(residual.data(), {rows, length});
    a.weight = make_tensor_argument(weight.data(), {length});
    a.scale = scale.data();
    const status s = launch_norm<tiles, norm_kind::rms>(device, a);

    const row_of_doubles row(residual.begin(), residual.begin() + length), w(weight.begin(), weight.end());
    const row_of_doubles exact = reference_norm(norm_kind::rms, row, w, {}, 1e-5);
    for (std::size_t i = 0; i < exact.size(); ++i)
        worst = std::fmax(worst, std::fabs(y[i] * scale[0] - exact[i]) / (127 * scale[0]));
    return s;
}

status differentiate(emulated_device& device, double& worst)
{
    const long_index_t rows = 40, length = 64;
    const std::vector<float> x = numbers(rows * length, 1), weight = numbers(length, 2), dy = numbers(rows * length, 3);
    std::vector<float> y(rows * length), dx(rows * length), mean(rows), inverse_deviation(rows), dweight(length);

    norm_arguments<float> forward;
    forward.x = make_tensor_argument(x.data(), {rows, length});
    forward.y = make_tensor_argument(y.data(), {rows, length});
    forward.weight = make_tensor_argument(weight.data(), {length});
    forward.mean = mean.data();
    forward.inverse_deviation = inverse_deviation.data();
    if (status s = launch_norm<tiles, norm_kind::layer>(device, forward); !s)
        return s;

    norm_backward_arguments<float> backward;
    backward.dy = make_tensor_argument(dy.data(), {rows, length});
    backward.x = forward.x;
    backward.dx = make_tensor_argument(dx.data(), {rows, length});
    backward.weight = forward.weight;
    backward.mean = mean.data();
    backward.inverse_deviation = inverse_deviation.data();
    backward.dweight = dweight.data();
    std::vector<float> workspace(norm_workspace_size(backward));
    backward.workspace = workspace.data();
    const status s = launch_norm_backward<tiles, strip_tile_for<target>, norm_kind::layer>(device, backward);

    const row_of_doubles row(x.begin(), x.begin() + length), w(weight.begin(), weight.end());
    const reference_norm_gradients exact(norm_kind::layer, row, w, row_of_doubles(dy.begin(), dy.begin() + length),
                                         1e-5);
    for (std::size_t i = 0; i < exact.dx.size(); ++i)
        worst = std::fmax(worst, std::fabs(dx[i] - exact.dx[i]) * 1e3);
    return s;
}

status take_softmax(emulated_device& device, double& worst)
{
    const long_index_t rows = 7, columns = 30;
    const std::vector<float> x = numbers(rows * columns, 1);
    std::vector<float> y(rows * columns);

    // Along the first dimension; softmax_form::log_softmax gives the logarithms.
    softmax_arguments<float> a;
    a.x = make_tensor_argument(x.data(), {rows, columns});
    a.y = make_tensor_argument(y.data(), {rows, columns});
    a.axis = 0;
    const status s = launch_softmax<tiles, softmax_form::softmax>(device, a);

    for (long_index_t j = 0; j < columns; ++j) {
        double sum = 0;
        for (long_index_t i = 0; i < rows; ++i)
            sum += y[i * columns + j];
        worst = std::fmax(worst, std::fabs(sum - 1) * 1e3);
    }
    return s;
}

status choose_experts(emulated_device& device, double& worst)
{
    const long_index_t tokens = 9, experts = 64;
    const index_t k = 4;
    const std::vector<float> scores = numbers(tokens * experts, 1);
    std::vector<float> weights(tokens * k);
    std::vector<long_index_t> chosen(tokens * k);

    topk_softmax_arguments<float> a;
    a.x = make_tensor_argument(scores.data(), {tokens, experts});
    a.k = k;
    a.weights = weights.data();
    a.indices = chosen.data();
    const status s = launch_topk_softmax<tiles>(device, a);

    const std::vector<long_index_t> order = reference_order(row_of_doubles(scores.begin(), scores.begin() + experts));
    for (index_t i = 0; i < k; ++i)
        worst = std::fmax(worst, chosen[i] == order[i] ? 0 : 1);
    return s;
}

status find_loss(emulated_device& device, double& worst)
{
    const long_index_t rows = 6, classes = 1000;
    std::vector<float> logits = numbers(rows * classes, 1), losses(rows), log_sum(rows);
    const std::vector<long_index_t> labels = {3, 999, 0, -100, 17, 500}; // -100: a row that is left out
    const row_of_doubles row(logits.begin(), logits.begin() + classes);

    cross_entropy_arguments<float> a;
    a.x = make_tensor_argument<const float>(logits.data(), {rows, classes});
    a.labels = labels.data();
    a.losses = losses.data();
    a.log_sum = log_sum.data();
    a.dx = make_tensor_argument(logits.data(), {rows, classes}); // in the logits' place
    if (status s = launch_cross_entropy<tiles>(device, a); !s)
        return s;
    const status s = launch_cross_entropy_backward<tiles>(device, a);

    worst = std::fmax(worst, std::fabs(losses[0] - (reference_log_sum(row) - row[3])) * 1e3);
    return s;
}

int main()
{
    int failed = 0;
    const auto run = [&](const char* name, auto f) {
        emulated_device device;
        double worst = 0;
        const status s = f(device, worst);
        const bool good = s.ok() && worst < 0.01;
        failed += good ? 0 : 1;
        std::printf("%-12s %s %s%s\n", name, good ? "right" : "WRONG", s.message(), device.result.report.c_str());
    };
    run("norm", normalize_rows);
    run("gradients", differentiate);
    run("softmax", take_softmax);
    run("experts", choose_experts);
    run("loss", find_loss);
    return failed;
}
