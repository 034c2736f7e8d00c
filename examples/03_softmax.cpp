// The softmax of each row: the row's maximum, exponentials, their sum, a division. A row belongs to one wave, so that
// both reductions stay in registers and between lanes; the tile is read once and written once.

#include <tegula/host.hpp>
#include <tegula/reference.hpp>
#include <tegula/tensor.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tegula;

template <index_t Columns>
struct row_softmax
{
    using target = arch::gfx942;
    static constexpr index_t rows_of_block = 8;
    static constexpr int waves = 4;
    static constexpr int block_threads = waves * target::wave_size;
    using tile = coalesced<target, float, rows_of_block, Columns, waves>;

    const float* from; // [rows, columns], columns <= Columns
    float* to;
    index_t rows, columns;

    TEGULA_HOST_DEVICE void operator()() const
    {
        const auto layout = make_strided_descriptor(make_tuple(rows, columns), make_tuple(columns, constant<1>{}));
        const auto source = make_tensor_view<target, address_space::global>(from, layout, "source");
        const auto result = make_tensor_view<target, address_space::global>(to, layout, "result");
        const multi_index<2> corner{target::block_id()[0] * rows_of_block, 0};

        // Past the edge are elements that change neither the maximum nor the sum.
        auto x = load(make_tile_window<tile>(source, corner), -INFINITY);                          // [8, Columns]
        const auto highest = reduce<target, 1>(x, [](float a, float b) { return a > b ? a : b; }); // [8]
        transform_with_reduced<1>(x, highest, [](float value, float most) {
            return target::exp2((value - most) * 1.44269504f); // log2(e)
        });
        const auto sum = reduce<target, 1>(x, [](float a, float b) { return a + b; });
        transform_with_reduced<1>(x, sum, [](float value, float all) { return value / all; });
        store(make_tile_window<tile>(result, corner), x);
    }
};

int main()
{
    const index_t rows = 21, columns = 333;
    std::vector<float> from(rows * columns), to(rows * columns);
    fill_normal<float>(from, 1);

    emulated_device device;
    device.config.memory.read(from.data(), from.size() * sizeof(float), "source")
        .write(to.data(), to.size() * sizeof(float), "result");
    using kernel = row_softmax<512>;
    const launch_config grid{.grid = {ceil_div(rows, kernel::rows_of_block)}, .name = "softmax"};
    if (const status s = launch(device, grid, kernel{from.data(), to.data(), rows, columns}); !s) {
        std::fprintf(stderr, "%s\n%s", s.message(), device.result.report.c_str());
        return 1;
    }

    double worst = 0;
    for (index_t i = 0; i < rows; ++i) {
        double sum = 0;
        for (index_t j = 0; j < columns; ++j)
            sum += std::exp(static_cast<double>(from[i * columns + j]));
        for (index_t j = 0; j < columns; ++j) {
            const double exact = std::exp(static_cast<double>(from[i * columns + j])) / sum;
            worst = std::fmax(worst, std::fabs(to[i * columns + j] - exact) / exact);
        }
    }
    std::printf("softmax of %d rows of %d, largest relative error %.1e\n", rows, columns, worst);
    return worst < 1e-5 ? 0 : 1;
}
