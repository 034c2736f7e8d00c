// attention: softmax(scale Q K^T + bias) V of .npy files on a GPU, on the CPU, or on the emulator as any GPU.
//
//     attention --q Q.npy --k K.npy --v V.npy --out O.npy --causal --arch gfx942 --type bf16 --verify
//     attention --heads 8 --kv-heads 2 --seq-q 300 --head-dim 128 --window 64,0 --verify --json
//     attention --list-tiles
//
// Bad input ends with status 2 and a line that says what would be right, a result past its error bound with status 1;
// nothing is written in both cases.

#include "examples/common/bad_input.hpp"
#include "examples/common/progress.hpp"
#include "operands.hpp"
#include "results.hpp"
#include "selection.hpp"

#include <cstdio>

namespace attention_example {

run_result attend(run_result (*run)(const problem&, const run_options&), const problem& p, const run_options& how)
{
    const examples::progress shown("attending");
    return run(p, how);
}

int run(const options& o)
{
    selection s = select_kernels(o);
    check_outputs(o);
    operands x = read_operands(o);
    std::string input = find_not_finite(x, "");
    round_to(s.element, o, x);
    if (input.empty())
        input = find_not_finite(x, " as " + o.type);

    memory_of_problem memory(o, x, s.element);
    problem p = memory.get();
    p.splits = o.splits;
    const kernel_entry& kernel = choose_kernel(s, p);
    const backward_entry* const backward = x.has_gradient ? &choose_backward(s, kernel, p) : nullptr;
    run_result result = attend(kernel.run, p, s.run);
    if (result.status && backward != nullptr) {
        const index_t splits = p.splits;
        p = memory.get_backward();
        p.splits = splits;
        const run_result gradients = attend(backward->run, p, s.run);
        result.status = gradients.status;
        result.report = gradients.report;
        result.seconds += gradients.seconds;
        result.backward_seconds = gradients.seconds;
        result.counters += gradients.counters;
    }
    if (!result.status) {
        std::fprintf(stderr, "tegula: %s\n%s", result.status.message(), result.report.c_str());
        return result.status.code() == tegula::status_code::device_error ? 1 : 2;
    }
    std::vector<tegula::error_report> errors;
    if (o.verify)
        errors = verify(kernel, x, p);
    if (!passed(errors)) {
        complain_about(errors, x, p, input);
        return 1;
    }
    write_result(o, x, p);
    if (!o.counters.empty())
        write_counters(o, result.counters);
    print_result(o, x, p, kernel, backward, result, errors, input);
    return 0;
}

} // namespace attention_example

int main(int argc, char** argv)
{
    using namespace attention_example;
    return examples::run_program("tensors", [&] {
        const std::optional<options> o = read_options(argc, argv);
        if (!o)
            return 0;
        if (!o->list_tiles)
            return run(*o);
        list_kernels(*o);
        return 0;
    });
}
