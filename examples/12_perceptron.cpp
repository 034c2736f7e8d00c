// A perceptron of two layers, relu(X W1 + b1) W2 + b2, out of two of the library's kernels: the first writes its result
// in bfloat16, which is the second one's operand.

#include <tegula/gemm.hpp>
#include <tegula/host.hpp>
#include <tegula/reference.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tegula;
using target = arch::sm_80;
using tile = gemm_tile<target, default_atom<target, bfloat16>, 64, 64, 64, 2, 2>;
// One order of the operands each: rows of X and of the hidden layer along k, the weights as they are stored, [k, n].
using orders = operand_orders<operand_order::k_contiguous, operand_order::row_contiguous>;
template <class Out>
using layer = gemm_kernels<tile, Out, epilogue::linear<>, orders>;

/// y [rows, out] = f(x [rows, in] w [in, out] + bias)
template <class Out>
bool run_layer(emulated_device& device, const std::vector<bfloat16>& x, const std::vector<bfloat16>& w,
               const std::vector<float>& bias, std::vector<Out>& y, long_index_t rows, activation f)
{
    const auto in = static_cast<long_index_t>(x.size()) / rows, out = static_cast<long_index_t>(bias.size());
    y.resize(rows * out);
    const typename layer<Out>::arguments arguments = {
        rows,
        out,
        in,
        1,
        {x.data(), in, 1},
        {w.data(), out, 1},
        {y.data(), out, 1},
        epilogue::make_linear<float, float>(1.0f, 0.0f, {}, bias.data(), f)};
    return launch(device, layer<Out>{}, arguments).ok();
}

int main()
{
    const long_index_t rows = 100, in = 160, hidden = 200, out = 24;
    std::vector<bfloat16> x(rows * in), w1(in * hidden), w2(hidden * out), h;
    std::vector<float> b1(hidden), b2(out), y;
    fill_normal<bfloat16>(x, 1);
    fill_normal<bfloat16>(w1, 2);
    fill_normal<bfloat16>(w2, 3);
    fill_normal<float>(b1, 4);
    fill_normal<float>(b2, 5);

    emulated_device device;
    if (!run_layer(device, x, w1, b1, h, rows, activation::relu) ||
        !run_layer(device, h, w2, b2, y, rows, activation::none)) {
        std::fprintf(stderr, "%s\n%s\n", device.result.status.message(), device.result.report.c_str());
        return 1;
    }

    double worst = 0, largest = 0;
    for (long_index_t i = 0; i < rows; ++i) {
        std::vector<double> middle(hidden);
        for (long_index_t j = 0; j < hidden; ++j) {
            double sum = b1[j];
            for (long_index_t l = 0; l < in; ++l)
                sum += static_cast<double>(convert<float>(x[i * in + l])) * convert<float>(w1[l * hidden + j]);
            middle[j] = std::fmax(sum, 0.0);
        }
        for (long_index_t j = 0; j < out; ++j) {
            double sum = b2[j];
            for (long_index_t l = 0; l < hidden; ++l)
                sum += middle[l] * convert<float>(w2[l * out + j]);
            worst = std::fmax(worst, std::fabs(y[i * out + j] - sum));
            largest = std::fmax(largest, std::fabs(sum));
        }
    }
    std::printf("perceptron %lld -> %lld -> %lld: largest error %.1e of %.0f (the hidden layer is in bfloat16)\n",
                static_cast<long long>(in), static_cast<long long>(hidden), static_cast<long long>(out), worst,
                largest);
    return worst < largest / 256 ? 0 : 1;
}
