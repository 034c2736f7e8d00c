// gemm: multiplies matrices from .npy files on a GPU, on the CPU, or on the emulator as any of the GPUs it knows.
//
//     gemm --a A.npy --b B.npy --out C.npy --arch gfx942 --type bf16 --verify
//     gemm --m 1000 --n 300 --k 77 --type f16 --activation relu --verify --json
//     gemm --list-tiles
//     gemm --m 1000 --n 300 --k 77 --arch gfx942 --launch-plan
//
// Bad input ends with status 2 and a line that says what would be right, a product past its error bound with status 1;
// nothing is written in both cases.

#include "examples/common/progress.hpp"
#include "launch_plan.hpp"
#include "operands.hpp"
#include "results.hpp"
#include "selection.hpp"

#include <cstdio>

namespace gemm_example {

/// C as the kernel left it.
struct computed
{
    device_matrix c;
    run_result run;
    kernel_entry kernel;
};

computed multiply(const options& o, const operands& x, const selection& s)
{
    const element e = s.kernels.front().element;
    const device_matrix a = lay_out(e, x.given_a.value_or(x.a), o.layout_a, o.pad),
                        b = lay_out(e, x.given_b.value_or(x.b), o.layout_b, o.pad);
    const device_matrix source = lay_out(element::f32, x.c, matrix_layout::row, o.pad);
    device_matrix c = make_output(x, o.pad);

    const problem p = make_problem(o, x, a, b, source, c);
    const chosen_kernel chosen = choose_kernel(s, p, o.sharing);
    run_options how = s.run;
    how.sharing = chosen.sharing;
    const examples::progress shown("multiplying");
    run_result run = chosen.entry->run(p, how);
    run.sharing = how.sharing;
    return {std::move(c), std::move(run), *chosen.entry};
}

/// Prints how a GPU's kernel for the product is started. Matrices lie as they would in multiply; there are none.
int plan(const options& o)
{
    const selection s = select_kernels(o);
    const operands x = random_sizes(o);
    const int bytes = s.kernels.front().tile.input_bytes;
    const device_matrix a = place(x, x.m, x.k, bytes, o.layout_a, o.pad);
    const device_matrix b = place(x, x.k, x.n, bytes, o.layout_b, o.pad);
    const device_matrix source = place(x, x.m, x.n, 4, matrix_layout::row, o.pad);
    device_matrix c = source;

    // Checks and the choice of a kernel look at addresses: these are as good as an allocator's.
    alignas(256) static std::byte aligned[256];
    problem p = make_problem(o, x, a, b, source, c);
    p.a.data = p.b.data = p.c.data = aligned;
    p.source.data = reinterpret_cast<const float*>(aligned);
    p.bias = o.bias.empty() ? nullptr : p.source.data;

    const kernel_entry& kernel = *choose_kernel(s, p, o.sharing).entry;
    const launch_plan plan = kernel.plan(p);
    if (!plan.status)
        throw bad_input(plan.status.message());
    print_plan(kernel, plan, p);
    return 0;
}

int run(const options& o)
{
    if (o.launch_plan)
        return plan(o);
    const selection s = select_kernels(o);
    check_outputs(o);
    operands x = read_operands(o);
    std::string input = find_not_finite(o, x, "");
    round_operands(s.kernels.front(), x);
    if (input.empty())
        input = find_not_finite(o, x, " as " + s.kernels.front().type);

    const computed result = multiply(o, x, s);
    if (!result.run.status) {
        std::fprintf(stderr, "tegula: %s\n%s", result.run.status.message(), result.run.report.c_str());
        return result.run.status.code() == tegula::status_code::device_error ? 1 : 2;
    }
    std::optional<tegula::error_report> errors;
    if (o.verify)
        errors = verify(o, x, result.kernel, result.c);
    if (errors && !errors->passed) {
        complain_about(*errors, x, input);
        return 1;
    }
    if (!o.out.empty())
        write_product(o, x, result.kernel, result.c);
    write_quantized(o, x);
    if (!o.counters.empty())
        write_counters(o, result.run.counters);
    print_result(o, x, result.kernel, result.run, errors, input);
    return 0;
}

} // namespace gemm_example

int main(int argc, char** argv)
{
    using namespace gemm_example;
    return examples::run_program("matrices", [&] {
        const std::optional<options> o = read_options(argc, argv);
        if (!o)
            return 0;
        if (o->list_tiles)
            list_kernels(*o);
        else if (o->list_kernels)
            list_shipped(o->arch);
        else
            return run(*o);
        return 0;
    });
}
