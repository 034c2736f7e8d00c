// Kernels that are compiled when they are asked for, and kept on disk: one in a text, and a GEMM of the library. Here they
// run on the emulator. A request with .device = jit::runs_on::gpu is compiled for the GPU, and launched in a stream of it.

#include <tegula/gemm.hpp>
#include <tegula/jit.hpp>

#include <cstdio>
#include <vector>

using namespace tegula;

const char* const text = R"(#include <tegula/tensor.hpp>
struct scale
{
    using target = tegula::jit::target; // the one of the request
    static constexpr int block_threads = 128;
    TEGULA_HOST_DEVICE void operator()(const float* from, float* to, float factor, int n) const
    {
        const int i = 128 * target::block_id()[0] + target::thread_id();
        if (i < n)
            to[i] = factor * from[i];
    }
};
)";

status halve(const float* from, float* to, int n)
{
    const jit::kernel scale = jit::get_kernel({.source = text, .kernel = "scale", .target = "gfx942"});
    jit::emulation run;
    run.reads(from, n * sizeof(float), "from").writes(to, n * sizeof(float), "to");
    return scale.launch(run, {.grid = {(n + 127) / 128}, .name = "scale"}, from, to, 0.5f, n);
}

const char* const gemm = R"(#include <tegula/gemm.hpp>
using namespace tegula;
using kernels = gemm_kernels<gemm_tiles<jit::target, bfloat16>::t64x64, float, epilogue::linear<>>;
using kernel = kernels::aligned<operand_order::k_contiguous, operand_order::k_contiguous>;
)";

// Its parameter is the library's own type, which does not depend on the tile.
using arguments = gemm_arguments<bfloat16, bfloat16, float, epilogue::linear<>>;

status multiply(const arguments& product)
{
    const jit::kernel kernel = jit::get_kernel({.source = gemm, .kernel = "::kernel", .target = "sm_80"});
    jit::emulation run;
    return kernel.launch(run, product);
}

int main()
{
    const int n = 64;
    std::vector<float> from(n * n, 3.0f), to(n * n), c(n * n);
    const std::vector<bfloat16> ones(n * n, static_cast<bfloat16>(1.0f));
    const status scaled = halve(from.data(), to.data(), n * n);
    arguments product{n, n, n};
    product.a = {ones.data(), n, 1};
    product.b = {ones.data(), 1, n};
    product.c = {c.data(), n, 1};
    product.epilogue = epilogue::make_linear<float, float>(1.0f, 0.0f, {}, nullptr);
    const status multiplied = multiply(product);
    for (const status& s : {scaled, multiplied})
        if (!s)
            std::fprintf(stderr, "%s\n", s.message());
    std::printf("half of 3 is %g, a sum of %d ones is %g\n", to.back(), n, c.back());
    return to.back() == 1.5f && c.back() == n ? 0 : 1;
}
