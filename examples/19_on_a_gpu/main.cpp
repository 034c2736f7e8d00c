// Softmax of rows on the emulator, and on a GPU if there is one.

#include "row_softmax.hpp"

#include <tegula/host.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tegula;

constexpr index_t rows = 21, columns = 333;

double largest_error(const std::vector<float>& from, const std::vector<float>& to)
{
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
    return worst;
}

bool report(const char* device, const status& s, double error)
{
    if (!s)
        std::printf("%s: %s\n", device, s.message());
    else
        std::printf("%s: largest relative error %.1e\n", device, error);
    return s.ok() && error < 1e-5;
}

int main()
{
    std::vector<float> from(rows * columns), to(rows * columns);
    fill_normal<float>(from, 1);

    using kernel = row_softmax<arch::sm_80, 512>;
    emulated_device emulator;
    emulator.config.memory.read(from.data(), from.size() * sizeof(float), "source")
        .write(to.data(), to.size() * sizeof(float), "result");
    const launch_config grid{.grid = {ceil_div(rows, kernel::rows_of_block)}, .name = "softmax"};
    const status emulated = launch(emulator, grid, kernel{from.data(), to.data(), rows, columns});
    if (!report("emulator", emulated, largest_error(from, to)))
        return 1;
#ifdef WITH_GPU
    to.assign(to.size(), 0);
    const status on_gpu = softmax_on_gpu(from.data(), to.data(), rows, columns);
    if (!report("GPU", on_gpu, largest_error(from, to)))
        return on_gpu.ok() ? 1 : 77; // the GPU was wrong, or there is none
#endif
    return 0;
}
