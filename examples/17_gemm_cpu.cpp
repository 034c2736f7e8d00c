// A GEMM on the CPU that the program runs on, at the speed of its vector instructions. The same arguments with a GPU's
// memory run there; no compiler flags are needed.

#include <tegula/gemm_cpu.hpp>
#include <tegula/reference/error_bound.hpp>
#include <tegula/reference/random.hpp>

#include <chrono>
#include <cstdio>
#include <vector>

using namespace tegula;

int main()
{
    const long_index_t m = 500, n = 700, k = 300;
    std::vector<float> a(m * k), b(k * n), c(m * n), bias(n);
    fill_normal<float>(a, 1);
    fill_normal<float>(b, 2);
    fill_normal<float>(bias, 3);

    const gemm_arguments<float, float, float, epilogue::linear<>> arguments = {
        m,
        n,
        k,
        1,
        {a.data(), k, 1},
        {b.data(), n, 1},
        {c.data(), n, 1},
        epilogue::make_linear<float, float>(0.5f, 0.0f, {}, bias.data(), activation::relu)};

    cpu_device device; // all threads; cpu_device{4} takes four
    const auto start = std::chrono::steady_clock::now();
    if (const status s = launch(device, cpu_gemm<arch::host>{}, arguments); !s) {
        std::fprintf(stderr, "%s\n", s.message());
        return 1;
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

    reference_gemm_problem<float, float> exact{m, n, k, 1, row_major(a.data(), m, k), row_major(b.data(), k, n)};
    exact.alpha = 0.5;
    exact.bias = bias.data();
    exact.activation = activation::relu;
    const error_report report = verify_gemm(exact, row_major(c.data(), m, n), reference_gemm(exact));
    std::printf("%.4f s; largest error %.2e, %.1f %% of the bound\n", seconds, report.max_abs_error,
                100 * report.worst_ratio);
    return report.passed ? 0 : 1;
}
