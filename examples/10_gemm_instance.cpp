// A GEMM of one's own: choose target, types and tile, and the library makes the kernels for it. Here they run on the
// emulator; the same arguments with device memory run on the GPU.

#include <tegula/gemm.hpp>
#include <tegula/host/emulated_device.hpp>
#include <tegula/reference/error_bound.hpp>
#include <tegula/reference/random.hpp>

#include <cstdio>
#include <vector>

using namespace tegula;
using target = arch::gfx942;
// 128 x 64 of C a block, 32 of k a step, 2 x 2 waves; the target's own matrix instruction for bf16.
using tile = gemm_tile<target, default_atom<target, bfloat16>, 128, 64, 32, 2, 2>;
using kernels = gemm_kernels<tile, float, epilogue::linear<>>; // alpha A B + beta C0 + bias, then an activation

// The kernel that suits how the operands lie in memory.
emulator::launch_result multiply(const kernels::arguments& arguments)
{
    return emulate(kernels{}, arguments); // checks them, picks the kernel that suits them and runs it
}

int main()
{
    const long_index_t m = 200, n = 136, k = 320;
    std::vector<bfloat16> a(m * k), b(k * n);
    std::vector<float> c(m * n), bias(n);
    fill_normal<bfloat16>(a, 1);
    fill_normal<bfloat16>(b, 2);
    fill_normal<float>(bias, 3);

    // Row-major A, B and C; any strides work.
    const kernels::arguments arguments = {
        m,
        n,
        k,
        1,
        {a.data(), k, 1},
        {b.data(), n, 1},
        {c.data(), n, 1},
        epilogue::make_linear<float, float>(0.5f, 0.0f, {}, bias.data(), activation::relu)};

    const emulator::launch_result run = multiply(arguments);
    if (!run.status) {
        std::fprintf(stderr, "%s\n%s", run.status.message(), run.report.c_str());
        return 1;
    }

    reference_gemm_problem<bfloat16, bfloat16> exact{m, n, k, 1, row_major(a.data(), m, k), row_major(b.data(), k, n)};
    exact.alpha = 0.5;
    exact.bias = bias.data();
    exact.activation = activation::relu;
    const error_report report = verify_gemm(exact, row_major(c.data(), m, n), reference_gemm(exact));
    std::printf("largest error %.2e, %.1f %% of the bound; %lld matrix instructions, %lld bank conflicts\n",
                report.max_abs_error, 100 * report.worst_ratio, static_cast<long long>(run.counters.mma_instructions),
                static_cast<long long>(run.counters.shared_load_conflicts + run.counters.shared_store_conflicts));
    return report.passed ? 0 : 1;
}
