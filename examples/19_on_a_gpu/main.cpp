// Softmax of rows on the emulator, and on a GPU if there is one.

#include "row_softmax.hpp"

#include <tegula/host.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace tegula;

constexpr index_t rows = 21, columns = 333;

// Row i holds log(j + 1) + i, so that its softmax is (j + 1) / (1 + 2 + ... + columns).
std::vector<float> make_rows()
{
    std::vector<float> from(rows * columns);
    for (index_t i = 0; i < rows * columns; ++i)
        from[i] = std::log(static_cast<float>(i % columns + 1)) + static_cast<float>(i / columns);
    return from;
}

double largest_error(const std::vector<float>& to)
{
    double worst = 0;
    for (index_t i = 0; i < rows * columns; ++i) {
        const double exact = 2.0 * (i % columns + 1) / (columns * (columns + 1.0));
        worst = std::fmax(worst, std::fabs(to[i] - exact) / exact);
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
    const std::vector<float> from = make_rows();
    std::vector<float> to(rows * columns);

    using kernel = row_softmax<arch::sm_80, 512>;
    emulated_device emulator;
    emulator.config.memory.read(from.data(), from.size() * sizeof(float), "source")
        .write(to.data(), to.size() * sizeof(float), "result");
    const launch_config grid{.grid = {ceil_div(rows, kernel::rows_of_block)}, .name = "softmax"};
    const status emulated = launch(emulator, grid, kernel{from.data(), to.data(), rows, columns});
    if (!report("emulator", emulated, largest_error(to)))
        return 1;
#ifdef WITH_GPU
    to.assign(to.size(), 0);
    const status on_gpu = softmax_on_gpu(from.data(), to.data(), rows, columns);
    if (!report("GPU", on_gpu, largest_error(to)))
        return on_gpu.ok() ? 1 : 77; // the GPU was wrong, or there is none
#endif
    return 0;
}
