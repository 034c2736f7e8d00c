#include "options.hpp"

#include "examples/common/command_line.hpp"
#include "examples/common/counters.hpp"
#include "examples/common/lists.hpp"
#include "examples/common/named_files.hpp"
#include "operations.hpp"

#include <cmath>
#include <cstdio>
#include <functional>

namespace ops_example {

using namespace examples;

namespace {

/// An option that some operations take.
struct parameter
{
    const char* name;
    std::function<CLI::Option*(CLI::App&, options&)> add;
};

parameter file(const char* name, std::string options::* path, const char* text)
{
    return {name, [=](CLI::App& app, options& o) {
                add_file(app, name, o.*path, text);
                return app.get_option(name);
            }};
}

template <class T>
parameter value(const char* name, T options::* at, const char* text)
{
    return {name, [=](CLI::App& app, options& o) { return app.add_option(name, o.*at, text); }};
}

parameter flag(const char* name, bool options::* at, const char* text)
{
    return {name, [=](CLI::App& app, options& o) { return app.add_flag(name, o.*at, text); }};
}

/// Whole numbers separated by commas: `count` of them, any number where it is 0.
parameter list(const char* name, std::vector<long_index_t> options::* at, int count, const char* text)
{
    return {name, [=](CLI::App& app, options& o) {
                CLI::Option* const option = app.add_option(name, o.*at, text)->delimiter(',');
                return count > 0 ? option->expected(count) : option;
            }};
}

const std::vector<parameter>& parameters()
{
    static const std::vector<parameter> all = {
        value("--axis", &options::axis, "The dimension it runs along; negative: from the last [-1]"),
        list("--axes", &options::axes, 0, "Dimensions, separated by commas"),
        flag("--keepdims", &options::keepdims, "Reduced dimensions stay, with length 1"),
        flag("--exclusive", &options::exclusive, "An element's own value is not part of its sum"),
        value("--op", &options::op, "What elements are combined with"),
        value("--k", &options::k, "How many"),
        value("--eps", &options::eps, "Added to the variance or the mean square [1e-5]"),
        value("--base", &options::base, "Of the angles' frequencies [10000]"),
        list("--stride", &options::stride, 2, "Rows and columns between neighbouring windows [1,1]"),
        list("--padding", &options::padding, 0,
             "Rows and columns of zeros on each side, or four numbers: those above, below, left and right [0,0]"),
        list("--dilation", &options::dilation, 2, "Rows and columns between elements of a window [1,1]"),
        value("--groups", &options::groups, "Of channels [1]"),
        file("--weight", &options::weight, "The weights: a .npy file of floats"),
        file("--bias", &options::bias, "What is added to the result"),
        file("--residual", &options::residual, "What is added to the input, of its shape"),
        file("--indices", &options::indices, "The indices: a .npy file of integers"),
        file("--labels", &options::labels, "The row's class: a .npy file of integers"),
        file("--positions", &options::positions, "The row's position: a .npy file of integers"),
        file("--gate", &options::gate,
             "d x experts, a matrix that gives the scores of --in; or the scores, tokens x experts"),
        file("--w1", &options::w1, "experts x d x h"),
        file("--w2", &options::w2, "experts x h x d"),
    };
    return all;
}

CLI::Option* add_parameter(CLI::App& app, options& o, const std::string& name)
{
    for (const parameter& p : parameters())
        if (name == p.name)
            return p.add(app, o);
    throw std::logic_error("no parameter " + name);
}

void add_operation(CLI::App& app, options& o, std::string& checks, const operation& x)
{
    CLI::App& sub = *app.add_subcommand(x.name, x.text);
    sub.callback([&o, &x] { o.operation = &x; });
    add_file(sub, "--in", o.in, "The operand: a .npy file of floats or integers, of any rank and order");
    add_file(sub, "--out", o.out, "Where the result goes: a .npy file");
    sub.get_option("--in")->required();
    for (const char* name : x.needs)
        add_parameter(sub, o, name)->required();
    for (const char* name : x.takes)
        add_parameter(sub, o, name);
    sub.add_option("--type", o.type, "What floating-point inputs are rounded to: f32, f16 or bf16 [f32]");
    sub.add_option(
        "--arch", o.arch,
        "gfx90a, gfx942, gfx1100, gfx1201, sm_80, sm_89, x86_avx2, x86_avx512, host ... [that of the GPU here, else "
        "host, of the emulator gfx942]");
    sub.add_option(
        "--device", o.device,
        "auto, gpu, cpu or emulator [auto: the GPU where one of that architecture is, else the CPU for what it has "
        "kernels for]");
    sub.add_flag("!--no-jit", o.compiles, "Refuse what is not built in, where a kernel would be compiled");
    sub.add_option("--checks", checks, "off: the emulator looks for no misuse and counts no memory access [on]");
    sub.add_flag("--verify", o.verify, "Compare with a 64-bit reference; exit status 1 past the error bound");
    add_file(sub, "--counters", o.counters, "Where the emulator's counters go: a JSON file");
    sub.add_flag("--json", o.json, "Print the result as JSON");
}

/// The first word is an operation or an option.
void check_operation(int argc, char** argv)
{
    const std::string word = argc > 1 ? argv[1] : "";
    std::string names;
    for (const operation& x : all_operations()) {
        append_item(names, x.name);
        if (word == x.name)
            return;
    }
    if (word.empty() || word[0] != '-')
        throw bad_input((word.empty() ? "no operation is given" : "there is no operation \"" + word + "\"") +
                        "; it is one of " + names);
}

void check_numbers(const options& o)
{
    if (!std::isfinite(o.eps) || o.eps < 0)
        throw bad_input("--eps is " + std::to_string(o.eps) + "; it must be a finite number of at least 0");
    if (!std::isfinite(o.base) || o.base <= 0)
        throw bad_input("--base is " + std::to_string(o.base) + "; it must be a positive finite number");
    check_named_files({{"--out", o.out}, {"--counters", o.counters}}, // --indices: an input, or another output
                      {{"--in", o.in},
                       {"--indices", o.indices},
                       {"--weight", o.weight},
                       {"--bias", o.bias},
                       {"--residual", o.residual},
                       {"--labels", o.labels},
                       {"--positions", o.positions},
                       {"--gate", o.gate},
                       {"--w1", o.w1},
                       {"--w2", o.w2}});
    check_counters(o.counters, o.checks, o.device);
}

} // namespace

std::optional<options> read_options(int argc, char** argv)
{
    options o;
    std::string checks = "on";
    CLI::App app("Operations on the arrays of .npy files, on a GPU, on the CPU or on the emulator.", "ops");
    app.require_subcommand(1);
    for (const operation& x : all_operations())
        add_operation(app, o, checks, x);
    check_operation(argc, argv);
    if (!parse(app, argc, argv))
        return {};
    o.checks = choose<bool>("--checks", checks, {{"on", true}, {"off", false}});
    choose<int>("--type", o.type, {{"f32", 0}, {"f16", 0}, {"bf16", 0}});
    choose<int>("--device", o.device, {{"auto", 0}, {"gpu", 0}, {"cpu", 0}, {"emulator", 0}});
    check_numbers(o);
    return o;
}

} // namespace ops_example
