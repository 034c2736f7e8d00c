// bench_gemm: the library's GEMM kernels on a GPU against the vendor's library.
//
// Without a GPU: one line "no GPU: ..." on standard error and exit status 2. Without the vendor's library our kernels
// are measured all the same, and "no cublasLt: ..." or "no hipBLASLt: ..." is printed and recorded.

#include "library/open.hpp"
#include "measure.hpp"

#include <benchmark/benchmark.h>

#include <cstdio>
#include <ctime>
#include <fstream>

namespace gemm_benchmark {

namespace {

struct run
{
    options o;
    std::unique_ptr<gpu> device;
    std::unique_ptr<vendor_library> vendor;
    std::string why_no_vendor;
    std::vector<result> results;
    bool failed = false;
};

std::string output_of_command(const char* command)
{
    std::string text;
    if (std::FILE* pipe = popen(command, "r")) {
        char buffer[128];
        while (std::fgets(buffer, sizeof(buffer), pipe) != nullptr)
            text += buffer;
        pclose(pipe);
    }
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return text.empty() ? "unknown" : text;
}

std::string today()
{
    char text[16] = {};
    const std::time_t now = std::time(nullptr);
    std::strftime(text, sizeof(text), "%Y-%m-%d", std::gmtime(&now));
    return text;
}

json describe(const run& r)
{
    const gpu_facts& g = r.device->facts();
    json workspaces = json::array();
    for (std::size_t bytes : r.o.workspaces)
        workspaces.push_back(bytes >> 20);
    return {{"benchmark", "bench_gemm"},
            {"date", today()},
            {"commit", output_of_command("git -C \"" TEGULA_SOURCE_DIR "\" describe --always --dirty 2>/dev/null")},
            {"command", r.o.command()},
            {"gpu", g.name},
            {"arch", g.arch},
            {"runtime", g.runtime},
            {"driver", g.driver},
            {"vendor_library", r.vendor ? r.vendor->name() : r.why_no_vendor},
            {"workspaces_mib", workspaces},
            {"algorithms", r.o.algorithms},
            {"cache_bytes", g.cache_bytes},
            {"flush_cache", r.o.flush_cache},
            {"flush_instructions", r.o.flush_instructions},
            {"rounds", r.o.rounds}};
}

void set_counters(benchmark::State& state, const result& r)
{
    const auto set = [&](const char* name, const std::optional<double>& value) {
        if (value)
            state.counters[name] = *value;
    };
    set("TFLOP/s", r.tflops);
    set("best_tile", r.best_tflops);
    set("vendor_first", r.vendor_first);
    set("vendor_best", r.vendor_best);
    set("ratio", r.ratio);
    set("max_error", r.max_error);
    state.SetLabel(r.tile + (r.note.empty() ? "" : (r.tile.empty() ? "" : ": ") + r.note));
}

/// Google Benchmark's iterations are the rounds.
void measure(benchmark::State& state, run& r, const product& p)
{
    const auto stop = [&](const tegula::status& s) {
        state.SkipWithError(s.message());
        r.failed = r.failed || s.code() != tegula::status_code::unsupported;
        result failed;
        failed.product = p;
        failed.note = s.message();
        r.results.push_back(failed);
    };
    product_measurement m(*r.device, r.vendor.get(), r.o, p);
    if (const tegula::status s = m.prepare(); !s)
        return stop(s);
    for (auto _ : state) {
        double seconds = 0;
        if (const tegula::status s = m.round(seconds); !s)
            return stop(s);
        state.SetIterationTime(seconds);
    }
    if (const tegula::status s = m.window(); !s)
        return stop(s);
    const result measured = m.finish();
    set_counters(state, measured);
    if (measured.tflops && !measured.verified) {
        state.SkipWithError("the product is wrong");
        r.failed = true;
    }
    r.results.push_back(measured);
}

/// fp8 of the GPU, as our kernels have it.
std::optional<element> fp8_of(const std::string& arch)
{
    for (const kernel_entry& e : all_kernels())
        if (e.arch == arch && is_fp8(e.type))
            return e.type;
    return std::nullopt;
}

void write(const run& r)
{
    std::ofstream file(r.o.out);
    file << to_json(describe(r), r.results).dump(2) << "\n";
    if (!file.flush())
        throw bad_option{"cannot write " + r.o.out + "; name a file in a folder that is there"};
}

void print_summary(const run& r)
{
    const json summary = summary_of(r.results);
    if (summary["geometric_mean"].is_number())
        std::printf("%d products, ours / vendor's best: geometric mean %.3f, least %.3f\n",
                    summary["compared"].get<int>(), summary["geometric_mean"].get<double>(),
                    summary["least"].get<double>());
}

int run_benchmarks(run& r, std::vector<std::string>& rest)
{
    std::string why;
    r.device = open_gpu(r.o.gpu, why);
    if (!r.device)
        throw bad_option{"no GPU: " + why};
    if (!all_kernels().empty() && !r.o.library.empty())
        throw bad_option{"this program has its kernels, and takes no --library"};
    if (all_kernels().empty())
        if (const std::string wrong = gpu_library::open_library(r.o.library); !wrong.empty())
            throw bad_option{wrong};
    if (all_kernels().empty())
        throw bad_option{"the library of kernels has none for GEMM; it was not built whole"};
    r.vendor = r.device->open_vendor(r.o.vendor_library, r.why_no_vendor);
    if (!r.vendor)
        std::fprintf(stderr, "bench_gemm: %s\n", r.why_no_vendor.c_str());

    const std::optional<element> fp8 = fp8_of(r.device->facts().arch);
    for (const product& p : r.o.products(fp8.has_value(), fp8.value_or(element::f8e4m3)))
        benchmark::RegisterBenchmark(p.name().c_str(), [&r, p](benchmark::State& state) { measure(state, r, p); })
            ->UseManualTime()
            ->Iterations(r.o.rounds)
            ->Unit(benchmark::kMicrosecond);
    std::vector<char*> words{r.o.words[0].data()};
    for (std::string& word : rest)
        words.push_back(word.data());
    int count = static_cast<int>(words.size());
    words.push_back(nullptr);
    benchmark::Initialize(&count, words.data());
    if (benchmark::ReportUnrecognizedArguments(count, words.data()))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    print_summary(r);
    if (!r.o.out.empty())
        write(r);
    return r.failed ? 1 : 0;
}

} // namespace

} // namespace gemm_benchmark

int main(int argc, char** argv)
{
    using namespace gemm_benchmark;
    try {
        std::vector<std::string> rest;
        std::optional<options> o = read_options(argc, argv, rest);
        if (!o)
            return 0;
        if (o->list) {
            for (const product& p : o->products(true, element::f8e4m3))
                std::printf("%s %s\n", p.name().c_str(), p.group.c_str());
            return 0;
        }
        run r;
        r.o = std::move(*o);
        return run_benchmarks(r, rest);
    } catch (const bad_option& error) {
        std::fprintf(stderr, "bench_gemm: %s\n", error.sentence.c_str());
        return 2;
    }
}
