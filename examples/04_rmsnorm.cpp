// RMSNorm of bfloat16 rows: y = x / sqrt(mean(x^2) + epsilon) * weight, computed in float. New are the casts on the way
// in and out, and the weight, a row that every row of the tile reads again by a stride of 0.

#include <tegula/host.hpp>
#include <tegula/reference.hpp>
#include <tegula/tensor.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tegula;

template <index_t Columns>
struct rmsnorm_kernel
{
    using target = arch::gfx1100;
    static constexpr index_t rows_of_block = 4;
    static constexpr int waves = 4;
    static constexpr int block_threads = waves * target::wave_size;
    using tile = coalesced<target, bfloat16, rows_of_block, Columns, waves>;

    const bfloat16* from; // [rows, columns], columns <= Columns
    const bfloat16* weight;
    bfloat16* to;
    index_t rows, columns;
    float epsilon;

    TEGULA_HOST_DEVICE void operator()() const
    {
        // Columns are a multiple of 8, so that 16-byte vectors reach every row.
        const auto view = [&](auto* data, auto row_stride, const char* name) {
            const auto layout = make_strided_descriptor(make_tuple(rows, columns),
                                                        make_tuple(row_stride, constant<1>{}), constant<8>{});
            return make_tensor_view<target, address_space::global>(data, layout, name);
        };
        const multi_index<2> corner{target::block_id()[0] * rows_of_block, 0};

        const auto x = cast<float>(load(make_tile_window<tile>(view(from, columns, "x"), corner)));
        const auto w = cast<float>(load(make_tile_window<tile>(view(weight, constant<0>{}, "weight"), corner)));
        const auto squares = elementwise([](float v) { return v * v; }, x);
        const auto sum = reduce<target, 1>(squares, [](float a, float b) { return a + b; }); // [4]
        auto y = elementwise([](float v, float scale) { return v * scale; }, x, w);
        const float count = static_cast<float>(columns), small = epsilon;
        transform_with_reduced<1>(y, sum, [=](float v, float s) { return v / sqrtf(s / count + small); });
        store(make_tile_window<tile>(view(to, columns, "y"), corner), cast<bfloat16>(y));
    }
};

int main()
{
    using kernel = rmsnorm_kernel<1024>;
    const index_t rows = 10, columns = 1000;
    std::vector<bfloat16> x(rows * columns), weight(columns), y(rows * columns);
    fill_normal<bfloat16>(x, 1);
    fill_normal<bfloat16>(weight, 2);
    emulated_device device;
    device.config.memory.read(x.data(), x.size() * 2, "x").read(weight.data(), weight.size() * 2, "weight");
    device.config.memory.write(y.data(), y.size() * 2, "y");
    const launch_config grid{.grid = {ceil_div(rows, kernel::rows_of_block)}, .name = "rmsnorm"};
    if (const status s = launch(device, grid, kernel{x.data(), weight.data(), y.data(), rows, columns, 1e-5f}); !s) {
        std::fprintf(stderr, "%s\n%s", s.message(), device.result.report.c_str());
        return 1;
    }

    double worst = 0;
    for (index_t i = 0; i < rows; ++i) {
        double sum = 0;
        for (index_t j = 0; j < columns; ++j)
            sum += std::pow(static_cast<double>(convert<float>(x[i * columns + j])), 2);
        for (index_t j = 0; j < columns; ++j) {
            const double exact =
                convert<float>(x[i * columns + j]) * convert<float>(weight[j]) / std::sqrt(sum / columns + 1e-5);
            worst = std::fmax(worst, std::fabs(convert<float>(y[i * columns + j]) - exact) /
                                         std::fmax(1e-3, std::fabs(exact)));
        }
    }
    std::printf("RMSNorm of %d rows of %d, largest relative error %.1e (bfloat16 has 2^-8)\n", rows, columns, worst);
    return worst < 0.004 ? 0 : 1;
}
