// The forms of GEMM, each run once on the emulator and verified. docs/gemm.md explains them.

#include <tegula/gemm.hpp>
#include <tegula/host/emulated_forms.hpp>
#include <tegula/host/error_bound.hpp>
#include <tegula/host/random.hpp>

#include <cstdio>
#include <vector>

using namespace tegula;
using enum operand_order;
using target = arch::gfx942;
using fp8 = float8_e4m3_fnuz; // this target's own

using tile = gemm_tiles<target, bfloat16>::t64x64; // 64 x 64 of C a block
using kernels = gemm_kernels<tile, float, epilogue::none>;
using kernel = kernels::aligned<k_contiguous, row_contiguous>; // A by rows, B by rows

namespace {

/// Random elements.
template <class T>
std::vector<T> filled(long_index_t count, std::uint64_t seed, double low = -1, double high = 1)
{
    std::vector<T> values(static_cast<std::size_t>(count));
    fill_uniform<T>(values, seed, low, high);
    return values;
}

/// Whether c, with these strides, is within the rounding bound of the product.
template <class A, class B>
bool is_product(const reference_gemm_problem<A, B>& problem, const strided_matrix<float>& c)
{
    return verify_gemm(problem, c, reference_gemm(problem)).passed;
}

const long_index_t m = 120, n = 96, k = 320;
const std::vector<bfloat16> a = filled<bfloat16>(3 * m * k, 1), b = filled<bfloat16>(3 * k * n, 2);
std::vector<float> c(3 * m * n);

const reference_gemm_problem<bfloat16, bfloat16> one_product{
    m, n, k, 1, row_major(a.data(), m, k), row_major(b.data(), k, n)};

bool all_right = true;

void report(const char* form, const emulator::launch_result& run, bool right)
{
    const long long conflicts = run.counters.shared_load_conflicts + run.counters.shared_store_conflicts;
    std::printf("%-22s %s %s\n", form, right && conflicts == 0 ? "right" : "wrong", run.status.message());
    c.assign(c.size(), __builtin_nanf("")); // nothing for the next one to find
    all_right = all_right && run.status.ok() && right && conflicts == 0;
}

void strided_batched()
{
    kernels::arguments args{m, n, k, 3};
    args.a = {a.data(), k, 1, m * k}; // row, column and batch stride
    args.b = {b.data(), n, 1, 0};     // one B for the whole batch
    args.c = {c.data(), 1, m, m * n}; // C by columns
    const auto run = emulate_gemm(kernels::element_wise{}, args);

    auto problem = one_product;
    problem.batch = 3;
    problem.b.batch_stride = 0;
    report("strided batch", run, is_product(problem, column_major(c.data(), m, n)));
}

void split_k()
{
    using split = split_k_gemm<kernel>;
    split::arguments args{{m, n, k, 1, {a.data(), k, 1}, {b.data(), n, 1}, {c.data(), n, 1}, {}}};
    args.splits = 4;
    std::vector<std::byte> memory(static_cast<std::size_t>(split::workspace_bytes(args)));
    args.workspace = {memory.data(), split::workspace_bytes(args)};
    const auto run = emulate_split_k(split{}, args);
    report("split-K", run, is_product(one_product, row_major(c.data(), m, n)));
}

void stream_k()
{
    using stream = stream_k_gemm<kernel>;
    stream::arguments args{{m, n, k, 1, {a.data(), k, 1}, {b.data(), n, 1}, {c.data(), n, 1}, {}}};
    args.workers = 7; // on a GPU: its multiprocessors times the blocks that one of them runs
    std::vector<std::byte> memory(static_cast<std::size_t>(stream::workspace_bytes(args)));
    args.workspace = {memory.data(), stream::workspace_bytes(args)};
    const auto run = emulate_split_k(stream{}, args);
    report("stream-K", run, is_product(one_product, row_major(c.data(), m, n)));
}

void grouped()
{
    const long_index_t rows[] = {24, 0, 96}; // of the experts of a layer, one with nothing to do
    std::vector<kernels::arguments> products;
    long_index_t first = 0;
    for (const long_index_t count : rows) {
        products.push_back(
            {count, n, k, 1, {&a[first * k], k, 1}, {&b[products.size() * k * n], n, 1}, {&c[first * n], n, 1}, {}});
        first += count;
    }
    std::vector<index_t> first_block(products.size() + 1);
    emulator::launch_result run;
    run.status = grouped_kernels<kernels>::dispatch(products.data(), 3, first_block.data(), [&](auto grouped) {
        run = emulate_grouped(grouped, {products.data(), first_block.data(), 3, first_block.back()});
        return run.status;
    });

    bool right = true;
    for (const auto& p : products)
        right =
            right && is_product(reference_gemm_problem<bfloat16, bfloat16>{p.m, n, k, 1, row_major(p.a.data, p.m, k),
                                                                           row_major(p.b.data, k, n)},
                                row_major<float>(p.c.data, p.m, n));
    report("grouped", run, right);
}

void quantising_epilogue()
{
    const auto rows = filled<float>(m, 3), columns = filled<float>(n, 4), scale = std::vector{0.25f};
    std::vector<float> d(m * n);
    std::vector<fp8> quantised(m * n);
    const matrix_argument<float> copy{d.data(), n, 1};

    using namespace epilogue;
    const auto parts = make_chain(scale_rows<>{rows.data()}, scale_columns<>{columns.data()}, // of A and of B
                                  activate{activation::relu}, make_store_copy(copy, m, 1),    // D = f32
                                  scale_tensor<scaling::divide>{scale.data()});               // C = fp8 of D / scale
    using quantising = gemm_kernels<tile, fp8, std::remove_const_t<decltype(parts)>>;
    const quantising::arguments args{m, n, k, 1, {a.data(), k, 1}, {b.data(), n, 1}, {quantised.data(), n, 1}, parts};
    const auto run = emulate_gemm(quantising::aligned<k_contiguous, row_contiguous>{}, args);

    bool right = true;
    for (std::size_t i = 0; i < d.size(); ++i)
        right = right && quantised[i].bits == convert<fp8>(d[i] / scale[0]).bits;
    report("quantising epilogue", run, right);
}

void int4_weights()
{
    using form = quantized<int4x2, 64>; // a scale for each 64 neighbours along k
    const auto bytes = filled<std::uint8_t>(k / 2 * n, 5, 0, 255);
    const auto scales = filled<float>(k / 64 * n, 6);
    const auto* weights = reinterpret_cast<const int4x2*>(bytes.data()); // [k / 2, n]: two neighbours along k a byte

    using mixed = quantized_weights_kernels<tile, form, float, epilogue::none>;
    mixed::arguments args{{m, n, k, 1, {a.data(), k, 1}, {weights, n, 1}, {c.data(), n, 1}, {}}, {scales.data(), n, 1}};
    const auto run = emulate_gemm(mixed::aligned<k_contiguous, row_contiguous>{}, args);

    std::vector<bfloat16> wide(k * n); // as the kernel makes them
    for (long_index_t i = 0; i < k; ++i)
        for (long_index_t j = 0; j < n; ++j)
            wide[i * n + j] =
                convert<bfloat16>(weights[i / 2 * n + j][static_cast<int>(i % 2)] * scales[i / 64 * n + j]);
    auto problem = one_product;
    problem.b = row_major(wide.data(), k, n);
    report("int4 weights", run, is_product(problem, row_major(c.data(), m, n)));
}

void block_scaled()
{
    const auto x = filled<fp8>(m * k, 7), y = filled<fp8>(k * n, 8);
    const long_index_t groups = (k + 127) / 128;
    const auto x_scales = filled<float>(m * groups, 9), y_scales = filled<float>(groups, 10); // n is below 128

    using scaled = block_scaled_kernels<block_scaled_tiles<target, fp8>::t64x64, float, epilogue::none>;
    scaled::arguments args{{m, n, k, 1, {x.data(), k, 1}, {y.data(), n, 1}, {c.data(), n, 1}, {}}};
    args.a_scales = {x_scales.data(), groups, 1};
    args.b_scales = {y_scales.data(), 1, 1};
    const auto run = emulate_gemm(scaled::aligned<k_contiguous, row_contiguous>{}, args);

    std::vector<double> wide_x(m * k), wide_y(k * n);
    for (long_index_t i = 0; i < m * k; ++i)
        wide_x[i] = static_cast<double>(x[i]) * x_scales[i / k * groups + i % k / 128];
    for (long_index_t i = 0; i < k * n; ++i)
        wide_y[i] = static_cast<double>(y[i]) * y_scales[i / n / 128];
    const reference_gemm_problem<double, double> problem{
        m, n, k, 1, row_major(wide_x.data(), m, k), row_major(wide_y.data(), k, n)};
    report("block-scaled fp8", run, is_product(problem, row_major(c.data(), m, n)));
}

} // namespace

int main()
{
    strided_batched();
    split_k();
    stream_k();
    grouped();
    quantising_epilogue();
    int4_weights();
    block_scaled();
    return all_right ? 0 : 1;
}
