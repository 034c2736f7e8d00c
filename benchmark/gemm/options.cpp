#include "options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>

namespace gemm_benchmark {

namespace {

constexpr long_index_t most_size = 1 << 20;

/// "4096" or "128x4096x14336"; nothing where it is neither.
std::optional<shape> shape_of(const std::string& text)
{
    std::vector<long_index_t> sizes;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, 'x');) {
        const bool digits = !word.empty() && word.size() <= 7 &&
                            std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
        sizes.push_back(digits ? std::stol(word) : 0);
    }
    if (sizes.size() == 1)
        sizes.assign(3, sizes[0]);
    const auto fits = [](long_index_t size) { return size >= 1 && size <= most_size; };
    if (sizes.size() != 3 || text.back() == 'x' || !std::all_of(sizes.begin(), sizes.end(), fits))
        return std::nullopt;
    return shape{sizes[0], sizes[1], sizes[2]};
}

/// The part of the list named, or the shape given.
std::vector<listed_shape> shapes_named(const std::string& word)
{
    std::vector<listed_shape> found;
    for (const listed_shape& s : all_shapes())
        if (word == "all" || word == s.group)
            found.push_back(s);
    if (!found.empty())
        return found;
    if (const std::optional<shape> s = shape_of(word))
        return {{"given", *s}};
    throw bad_option{"\"" + word +
                     "\" is no shape; write all, cube, few_rows, long_k, llm, a size like 4096 or "
                     "M x N x K like 128x4096x14336, each from 1 to " +
                     std::to_string(most_size)};
}

void add_options(CLI::App& app, options& o, std::vector<std::string>& shapes, std::vector<std::size_t>& mebibytes)
{
    app.add_option("--shape", shapes, "all, cube, few_rows, long_k, llm, SIZE or MxNxK; several (default: all)");
    app.add_option("--type", o.types, "several of bf16, f16, fp8 (default: all)")
        ->check(CLI::IsMember({"bf16", "f16", "fp8"}));
    app.add_option("--layout", o.layouts, "several of TN, NN, NT (default: all)")
        ->check(CLI::IsMember({"TN", "NN", "NT"}));
    app.add_option("--gpu", o.gpu, "number of the GPU")->check(CLI::Range(0, 1024));
    app.add_option("--rounds", o.rounds, "rounds in which all kernels take their turns (default: 21)")
        ->check(CLI::Range(1, 10000));
    app.add_option("--group-seconds", o.group_seconds, "GPU time of launches timed together (default: 0.01)")
        ->check(CLI::Range(0., 10.));
    app.add_option("--warm-seconds", o.warm_seconds, "most GPU time until the clock settles (default: 5)")
        ->check(CLI::Range(0., 600.));
    app.add_option("--window-seconds", o.window_seconds,
                   "GPU time of one long window each of ours and the vendor's best, behind the rounds (default: 1)")
        ->check(CLI::Range(0., 60.));
    app.add_option("--algorithms", o.algorithms, "heuristics asked of the vendor's library (default: 64)")
        ->check(CLI::Range(1, 1000));
    app.add_option("--workspace", mebibytes, "workspaces of the vendor's library in MiB (default: 32 256)")
        ->check(CLI::Range(0, 16384));
    app.add_flag("--flush-cache", o.flush_cache,
                 "overwrite the cache before every launch instead of going through "
                 "sets of matrices larger than it");
    app.add_flag("--flush-instructions", o.flush_instructions, "flush the instruction caches before every launch");
    app.add_option("--vendor-library", o.vendor_library, "file of cublasLt or hipBLASLt")->type_name("FILE");
    app.add_option("--library", o.library, "our library of kernels (default: libtegula_ARCH.so beside the program)")
        ->type_name("FILE");
    app.add_option("--out", o.out, "write the results as JSON")->type_name("FILE");
    app.add_flag("--list", o.list, "print the products and stop");
    app.footer(
        "Options that begin with --benchmark_ are Google Benchmark's. Exit status: 0, 1 where a product is wrong "
        "or the GPU fails, 2 where there is no GPU or an option is wrong.");
}

} // namespace

bool options::wants(const product& p) const
{
    const auto has = [](const std::vector<std::string>& chosen, const char* name) {
        return chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end();
    };
    return has(types, name_of(p.type)) && has(layouts, name_of(p.layout));
}

std::vector<product> options::products(bool has_fp8, element fp8) const
{
    std::vector<product> wanted;
    for (const product& p : all_products(shapes, has_fp8, fp8))
        if (wants(p))
            wanted.push_back(p);
    return wanted;
}

std::string options::command() const
{
    std::string line;
    for (const std::string& word : words)
        line += (line.empty() ? "" : " ") + word;
    return line;
}

std::optional<options> read_options(int argc, char** argv, std::vector<std::string>& rest)
{
    options o;
    std::vector<std::string> shapes;
    std::vector<std::size_t> mebibytes;
    CLI::App app("Measures the library's GEMM kernels against the GPU vendor's.", "bench_gemm");
    add_options(app, o, shapes, mebibytes);
    app.allow_extras();
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        app.exit(help);
        return std::nullopt;
    } catch (const CLI::ParseError& error) {
        std::string message = error.what();
        std::replace(message.begin(), message.end(), '\n', ' ');
        throw bad_option{message + "; --help shows the options"};
    }
    rest = app.remaining();
    for (const std::string& word : rest)
        if (word.rfind("--benchmark_", 0) != 0)
            throw bad_option{"there is no option " + word + "; --help shows the options"};
    for (const std::string& word : shapes.empty() ? std::vector<std::string>{"all"} : shapes)
        for (const listed_shape& s : shapes_named(word))
            o.shapes.push_back(s);
    if (!mebibytes.empty()) {
        o.workspaces.clear();
        for (std::size_t size : mebibytes)
            o.workspaces.push_back(size << 20);
    }
    o.words = {"bench_gemm"};
    for (int i = 1; i < argc; ++i)
        o.words.push_back(argv[i]);
    return o;
}

} // namespace gemm_benchmark
