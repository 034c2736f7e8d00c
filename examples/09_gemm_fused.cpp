// C = gelu(relu(A - shift) B^T + bias): step 2 of 08_gemm_by_hand with a prologue on the tile of A, between memory and
// shared memory, and an epilogue on the accumulators before they are stored. Both are plain tile operations.

#include "08_gemm_by_hand/step_2_shared.hpp"

#include <tegula/host.hpp>
#include <tegula/reference.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

struct fused_gemm : shared_gemm<swizzled>
{
    const float* bias; // [n]
    float shift;

    TEGULA_HOST_DEVICE void operator()(const arguments& args) const
    {
        const auto at = corner();
        auto a = make_tile_window<in>(a_view(args), {at[0], 0});
        auto b = make_tile_window<in>(b_view(args), {at[1], 0});
        mma::accumulators acc;
        acc.clear();
        const float minus = shift;
        for (index_t k = 0; k < args.k; k += block_k) {
            auto x = load(a); // [128, 64]; 0 past the edges, where B is 0 too
            transform(x, [=](bfloat16 v) { return convert<bfloat16>(max(convert<float>(v) - minus, 0.0f)); });
            store(make_tile_window<in>(a_tile(), {0, 0}), x);
            store(make_tile_window<in>(b_tile(), {0, 0}), load(b));
            target::block_barrier();
            multiply_tiles(acc);
            target::block_barrier();
            a.move(sequence<0, block_k>{});
            b.move(sequence<0, block_k>{});
        }
        const auto c = view(args.c, args.m, args.n, "C");
        const auto biases = make_tensor_view<target, address_space::global>(
            bias, make_strided_descriptor(make_tuple(args.m, args.n), make_tuple(constant<0>{}, constant<1>{})),
            "bias");
        static_for<mma::iterations_m>([&](auto i) {
            using strip = mma::strip_distribution; // [strip_rows, 128] of C
            const multi_index<2> from{at[0] + i * mma::strip_rows, at[1]};
            const auto sum = elementwise([](float x, float y) { return gelu<target>(x + y); }, acc.template strip<i>(),
                                         load(make_tile_window<strip>(biases, from)));
            store(make_tile_window<strip>(c, from), sum);
        });
    }
};

int main()
{
    const index_t m = 130, n = 72, k = 88;
    std::vector<bfloat16> a(m * k), b(n * k);
    std::vector<float> c(m * n), bias(n);
    fill_normal<bfloat16>(a, 1);
    fill_normal<bfloat16>(b, 2);
    fill_normal<float>(bias, 3);
    emulated_device device;
    device.config.memory.read(a.data(), a.size() * 2, "A").read(b.data(), b.size() * 2, "B");
    device.config.memory.read(bias.data(), bias.size() * 4, "bias").write(c.data(), c.size() * 4, "C");
    const launch_config grid{.grid = {ceil_div(n, 128), ceil_div(m, 128)}, .name = "fused gemm"};
    if (const status s = launch(device, grid, fused_gemm{{}, bias.data(), 0.25f},
                                fused_gemm::arguments{a.data(), b.data(), c.data(), m, n, k});
        !s) {
        std::fprintf(stderr, "%s\n%s", s.message(), device.result.report.c_str());
        return 1;
    }
    double worst = 0;
    for (index_t i = 0; i < m; ++i)
        for (index_t j = 0; j < n; ++j) {
            double sum = bias[j];
            for (index_t l = 0; l < k; ++l)
                sum += convert<float>(convert<bfloat16>(std::fmax(convert<float>(a[i * k + l]) - 0.25f, 0.0f))) *
                       static_cast<double>(convert<float>(b[j * k + l]));
            worst = std::fmax(worst, std::fabs(c[i * n + j] - sum / 2 * (1 + std::erf(sum / std::sqrt(2.0)))));
        }
    std::printf("gelu(relu(A - shift) B^T + bias), %d x %d x %d: largest error %.1e\n", m, n, k, worst);
    return worst < 1e-3 ? 0 : 1;
}
