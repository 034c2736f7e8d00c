#include "options.hpp"

#include "examples/common/command_line.hpp"
#include "examples/common/counters.hpp"
#include "examples/common/named_files.hpp"

#include <cmath>
#include <vector>

namespace gemm_example {

using namespace examples;

namespace {

const words_of_option archs = {"gfx90a", "gfx942",  "gfx950",  "gfx1100", "gfx1201",  "gfx1250",    "sm_80",   "sm_89",
                               "sm_90a", "sm_100a", "sm_103a", "sm_120a", "x86_avx2", "x86_avx512", "x86_amx", "host"};
const words_of_option devices = {"auto", "gpu", "cpu", "emulator"};

/// Words that are looked up once everything is read.
struct words
{
    std::optional<float> beta;
    std::string activation = "none", layout_a = "row", layout_b = "row", checks = "on", splits = "auto";
};

void add_options(CLI::App& app, options& o, words& w)
{
    const auto file = [&](const char* name, std::string& path, const char* text) { add_file(app, name, path, text); };
    file("--a", o.a, "A, M x K, a batch of such in further dimensions before, or K: a .npy file of floats or integers");
    file("--b", o.b, "B, K x N, a batch that broadcasts with A's as in numpy.matmul, or K");
    file("--c", o.c, "C0, M x N or a batch, added beta times");
    file("--bias", o.bias, "One number a column of C, added to each row");
    file("--out", o.out, "Where the product goes: a .npy file of float32 (int32 for int8)");
    file("--quantized-a", o.quantized_a,
         "Where A goes as it is multiplied, float32, with a --type that has block scales");
    file("--quantized-b", o.quantized_b, "The same of B");
    app.add_option("--m", o.m, "Rows of C, where there are no files: the data then is random");
    app.add_option("--n", o.n, "Columns of C");
    app.add_option("--k", o.k, "Columns of A");
    app.add_option("--batch", o.batch, "Products of random data; without it C is one matrix");
    app.add_option("--seed", o.seed, "Of the random data [1]");
    app.add_option("--alpha", o.alpha, "C = activation(alpha A B + beta C0 + bias) [1]");
    app.add_option("--beta", w.beta, "[1 with --c, else 0]");
    app.add_option("--activation", w.activation, "none, relu, gelu or silu [none]");
    app.add_option(
        "--type", o.type,
        "What A and B are rounded to: f16, bf16, tf32, fp8_e4m3, int8; on a CPU f32, f64; or with block scales "
        "mxfp8_e4m3, mxfp6_e2m3, mxfp4, nvfp4 [bf16]");
    app.add_option("--layout-a", w.layout_a, "How A lies in the kernel's memory: row or col [row]");
    app.add_option("--layout-b", w.layout_b, "The same for B [row]");
    app.add_option("--pad", o.pad,
                   "Elements between a row (column) of A, B, C and the next [up to a multiple of 16 bytes]");
    app.add_option("--arch", o.arch,
                   list_words(archs) +
                       ", the best of the CPU here [that of the GPU here, else host; on the emulator gfx942]");
    app.add_option("--device", o.device,
                   list_words(devices) + " [auto: the GPU where one of that architecture is, else the CPU for what "
                                         "its kernels take, else the emulator]");
    app.add_option("--tile", o.tile, "A tile of --list-tiles by name or shape [chosen for the problem]");
    app.add_option(
        "--splits", w.splits,
        "Blocks that share the k of a tile, each summing a part: a number, auto, or stream: all blocks share "
        "all k evenly [auto: by the library's estimate]");
    app.add_option("--checks", w.checks, "off: the emulator looks for no misuse and counts no memory access [on]");
    app.add_flag("!--no-jit", o.compiles, "Refuse what is not built in, where a kernel would be compiled");
    app.add_flag("--verify", o.verify, "Compare with a 64-bit reference; exit status 1 past the error bound");
    file("--counters", o.counters, "Where the emulator's counters go: a JSON file");
    app.add_flag("--json", o.json, "Print the result as JSON");
    app.add_flag("--list-tiles", o.list_tiles, "List the kernels that are built, of --arch and --type or of all");
    app.add_flag(
        "--launch-plan", o.launch_plan,
        "Print as JSON how an AMD GPU's kernel for --m, --n and --k is started; needs no GPU, and no file: --bias "
        "and --c only say that there is one");
    app.add_flag("--list-kernels", o.list_kernels, "List as JSON the kernels that are shipped as AMD code objects");
}

/// Nothing for "auto".
std::optional<tegula::k_partition> read_splits(const std::string& text)
{
    constexpr int most = 65536;
    if (text == "auto")
        return {};
    if (text == "stream")
        return tegula::k_partition{true, 1};
    const bool digits = !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string::npos;
    const int splits = digits ? std::stoi(text) : 0;
    if (splits < 1 || splits > most)
        throw bad_input("--splits is \"" + text + "\"; it must be auto, stream or a number from 1 to " +
                        std::to_string(most));
    return tegula::k_partition{false, splits};
}

void check_files(const options& o)
{
    if (o.reads_files() && (o.a.empty() || o.b.empty()))
        throw bad_input(std::string(o.a.empty() ? "--a" : "--b") + " is missing; a product needs --a and --b, or "
                                                                   "--m, --n and --k for random data");
    if (o.reads_files() && (o.m || o.n || o.k || o.batch))
        throw bad_input("--m, --n, --k and --batch are for random data; with --a and --b the files give the sizes");
    if (!o.reads_files() && !(o.m && o.n && o.k))
        throw bad_input("nothing to multiply; give --a and --b, or --m, --n and --k for random data");
    examples::check_named_files({{"--out", o.out},
                                 {"--counters", o.counters},
                                 {"--quantized-a", o.quantized_a},
                                 {"--quantized-b", o.quantized_b}},
                                {{"--a", o.a}, {"--b", o.b}, {"--bias", o.bias}});
}

void check_launch_plan(const options& o)
{
    if (o.launch_plan && o.reads_files())
        throw bad_input("--launch-plan reads no files; give --m, --n and --k");
    if (o.launch_plan && (o.device == "gpu" || o.device == "cpu"))
        throw bad_input("--launch-plan is for AMD's code objects and needs no device; leave out --device");
    if (o.launch_plan && o.sharing && o.sharing->shares())
        throw bad_input("--launch-plan is for kernels that do not share k; leave out --splits");
    if (o.launch_plan && o.microscaled())
        throw bad_input("--launch-plan is for kernels that are shipped as code objects, which those of --type " +
                        o.type + " are not; take bf16, f16, tf32, fp8_e4m3 or int8");
    if (o.launch_plan && !o.arch.empty() && (!o.arch.starts_with("gfx") || o.arch == "gfx1250"))
        throw bad_input("--launch-plan is for AMD's code objects, not for " + o.arch +
                        "; take gfx90a, gfx942, gfx950, gfx1100 or gfx1201");
}

void check_quantized(const options& o)
{
    if (!o.microscaled() && !(o.quantized_a.empty() && o.quantized_b.empty()))
        throw bad_input("--quantized-a and --quantized-b are for types with block scales; take --type mxfp8_e4m3, "
                        "mxfp6_e2m3, mxfp4 or nvfp4");
}

void check_numbers(const options& o)
{
    const auto finite = [](const char* name, float x) {
        if (!std::isfinite(x))
            throw bad_input(std::string(name) + " is " + std::to_string(x) + "; it must be a finite float32");
    };
    finite("--alpha", o.alpha);
    finite("--beta", o.beta);
    // Rows are not longer than 2^31 elements, padding included.
    if (o.pad && (*o.pad < 0 || *o.pad > 65536))
        throw bad_input("--pad is " + std::to_string(*o.pad) + "; it must be 0 to 65536");
    if (o.beta != 0 && o.c.empty() && o.reads_files())
        throw bad_input("--beta needs the matrix it is multiplied with; give --c");
}

void check_int8(const options& o)
{
    const char* const used = o.alpha != 1                               ? "--alpha"
                             : !o.c.empty()                             ? "--c"
                             : o.beta != 0                              ? "--beta"
                             : !o.bias.empty()                          ? "--bias"
                             : o.activation != tegula::activation::none ? "--activation"
                                                                        : nullptr;
    if (o.type == "int8" && used != nullptr)
        throw bad_input(std::string(used) + " does not go with --type int8, whose C is the plain int32 product; leave "
                                            "it out or take a floating-point type");
}

} // namespace

std::optional<options> read_options(int argc, char** argv)
{
    options o;
    words w;
    CLI::App app("Multiplies matrices: C = activation(alpha A B + beta C0 + bias), on a GPU or on the emulator.",
                 "gemm");
    add_options(app, o, w);
    if (!parse(app, argc, argv))
        return {};

    using tegula::activation;
    o.activation = choose<activation>("--activation", w.activation,
                                      {{"none", activation::none},
                                       {"relu", activation::relu},
                                       {"gelu", activation::gelu},
                                       {"silu", activation::silu}});
    const std::vector<choice<matrix_layout>> layouts = {{"row", matrix_layout::row}, {"col", matrix_layout::column}};
    o.layout_a = choose("--layout-a", w.layout_a, layouts);
    o.layout_b = choose("--layout-b", w.layout_b, layouts);
    o.checks = choose<bool>("--checks", w.checks, {{"on", true}, {"off", false}});
    o.sharing = read_splits(w.splits);
    if (o.launch_plan && !o.sharing)
        o.sharing = tegula::k_partition{};
    o.beta = w.beta.value_or(o.c.empty() ? 0.0f : 1.0f);
    if (o.type.empty() && !o.lists())
        o.type = "bf16";
    if (!o.type.empty())
        require_word(
            "--type", o.type,
            {"f16", "bf16", "tf32", "f32", "f64", "fp8_e4m3", "int8", "mxfp8_e4m3", "mxfp6_e2m3", "mxfp4", "nvfp4"});
    require_word("--device", o.device, devices);
    if (!o.arch.empty())
        require_word("--arch", o.arch, archs);
    if (!o.lists()) {
        check_launch_plan(o);
        check_files(o);
        check_numbers(o);
        check_int8(o);
        check_quantized(o);
        examples::check_counters(o.counters, o.checks, o.device);
    }
    return o;
}

} // namespace gemm_example
