// A GEMM by hand, in four steps, each measured by the emulator's counters: what a step changes is seen in them.

#include "step_1_plain.hpp"
#include "step_2_shared.hpp"
#include "step_3_pipelined.hpp"

#include <tegula/host.hpp>
#include <tegula/reference.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

template <class Kernel>
int run(const char* step)
{
    const index_t m = 300, n = 200, k = 256;
    std::vector<bfloat16> a(m * k), b(n * k);
    std::vector<float> c(m * n);
    fill_normal<bfloat16>(a, 1);
    fill_normal<bfloat16>(b, 2);
    emulated_device device;
    device.config.memory.read(a.data(), a.size() * 2, "A").read(b.data(), b.size() * 2, "B");
    device.config.memory.write(c.data(), c.size() * 4, "C");
    const launch_config grid{.grid = {ceil_div(n, Kernel::mma::block_n), ceil_div(m, Kernel::mma::block_m)},
                             .name = step};
    if (const status s =
            launch(device, grid, Kernel{}, typename Kernel::arguments{a.data(), b.data(), c.data(), m, n, k});
        !s) {
        std::fprintf(stderr, "%s\n%s", s.message(), device.result.report.c_str());
        return 1;
    }
    double worst = 0;
    for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) {
            double sum = 0;
            for (index_t l = 0; l < k; ++l)
                sum += static_cast<double>(convert<float>(a[i * k + l])) * convert<float>(b[j * k + l]);
            worst = std::fmax(worst, std::fabs(c[i * n + j] - sum));
        }
    const auto& counted = device.result.counters;
    std::printf("%-10s %8lld sectors read, %7lld bank conflicts, %6lld barriers; largest error %.1e\n", step,
                static_cast<long long>(counted.global_load_sectors),
                static_cast<long long>(counted.shared_load_conflicts + counted.shared_store_conflicts),
                static_cast<long long>(counted.barriers), worst);
    return worst < 1e-4 ? 0 : 1;
}

int main()
{
    return run<plain_gemm>("plain") + run<shared_gemm<rows_as_they_come>>("shared") +
           run<pipelined_gemm<rows_as_they_come>>("pipelined") + run<pipelined_gemm<swizzled>>("swizzled");
}
