/// Rows, reductions, permutations and shared k on several threads of the CPU, under sanitizers.

#include <tegula/gemm_cpu_forms.hpp>
#include <tegula/normalization.hpp>
#include <tegula/reduction.hpp>

#include "test/host/sanitized/cpu_threads.hpp"

using namespace tegula;
using namespace tegula::test;

TEST_CASE("CPU threads: rows, reductions, permutations", "[cpu][threads]")
{
    if (!has_target())
        return;
    constexpr long_index_t rows = 37, columns = 1031;
    const std::vector<float> x = numbers<float>(rows * columns, 5);
    const auto input = make_tensor_argument(x.data(), {rows, columns});
    compare<float>(rows * columns, [&](cpu_device& device, float* y) {
        return launch(device, softmax_kernels<row_tiles_for<target, row_vector<float, float>>>{},
                      softmax_arguments<float, float>{input, make_tensor_argument(y, {rows, columns}), -1});
    });
    for (const int axis : {0, 1}) // of neighbours, and of elements far apart; by several blocks a result
        compare<float>(axis == 0 ? columns : rows, [&](cpu_device& device, float* y) {
            reduction_arguments<fold_reducer<float, plus>, float> args{{}, input, {}, 1u << axis};
            args.output = make_tensor_argument(y, {axis == 0 ? columns : rows});
            std::vector<float> workspace(reduction_workspace_bytes(args) / sizeof(float) + 8);
            args.workspace = workspace.empty() ? nullptr : workspace.data();
            return launch(device, reduction_kernels<target, kernel_choice::few>{}, args);
        });
    compare<float>(rows * columns, [&](cpu_device& device, float* y) {
        return launch(device, permute_kernels<target>{},
                      permute_arguments<float>{input, make_tensor_argument(y, {columns, rows}), {1, 0}});
    });
}

TEST_CASE("CPU threads: k shared by blocks", "[cpu][threads]")
{
    if (!has_target())
        return;
    constexpr long_index_t m = 19, n = 67, k = 2113;
    const std::vector<bfloat16> a = numbers<bfloat16>(m * k, 6), b = numbers<bfloat16>(k * n, 7);
    compare<float>(m * n, [&](cpu_device& device, float* c) {
        using product = gemm_arguments<bfloat16, bfloat16, float, epilogue::none>;
        const product args{m, n, k, 1, {a.data(), k, 1, 0}, {b.data(), n, 1, 0}, {c, n, 1, 0}, {}};
        return launch(device, cpu_split_k_gemm<target, product>{}, {args, 5});
    });
}
