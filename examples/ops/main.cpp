// ops: operations on the arrays of .npy files, on a GPU, on the CPU, or on the emulator as any GPU.
//
//     ops softmax --in X.npy --out Y.npy --axis 1 --arch gfx942 --type bf16 --verify
//     ops layernorm --in X.npy --weight W.npy --bias B.npy --out Y.npy --json
//     ops --help
//
// Bad input ends with status 2 and a line that says what would be right, a result past its error bound with status 1;
// nothing is written in both cases.

#include "examples/common/arrays.hpp"
#include "examples/common/bad_input.hpp"
#include "operations.hpp"
#include "results.hpp"

#include <cstdio>

namespace ops_example {

int run(const options& o)
{
    for (const auto& [option, path] : {std::pair{"--out", &o.out}, {"--counters", &o.counters}})
        examples::check_output(option, *path);
    const outcome result = o.operation->run(o);
    if (!result.run.status) {
        std::fprintf(stderr, "tegula: %s\n%s", result.run.status.message(), result.run.report.c_str());
        return result.run.status.code() == tegula::status_code::device_error ? 1 : 2;
    }
    if (complain_about(o, result))
        return 1;
    write_results(o, result);
    print_results(o, result);
    return 0;
}

} // namespace ops_example

int main(int argc, char** argv)
{
    using namespace ops_example;
    return examples::run_program("arrays", [&] {
        const std::optional<options> o = read_options(argc, argv);
        return o ? run(*o) : 0;
    });
}
