// bench_memory: bytes moved a second by kernels whose time is that of memory, beside a copy on the same GPU.
//
// Without a GPU: one line "no GPU: ..." on standard error and exit status 2.

#include "memory.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <tegula/host/registry.hpp>

#include <cstdio>
#include <fstream>

namespace memory_benchmark {

bool add_back_end(back_end b)
{
    tegula::registered<back_end>().push_back(std::move(b));
    return true;
}
const std::vector<back_end>& all_back_ends() { return tegula::registered<back_end>(); }

namespace {

nlohmann::ordered_json to_json(const outcome& all)
{
    nlohmann::ordered_json file = {
        {"benchmark", "bench_memory"}, {"gpu", all.gpu}, {"arch", all.arch},
        {"runtime", all.runtime},      {"type", "bf16"}, {"results", nlohmann::json::array()}};
    for (const result& r : all.results)
        file["results"].push_back({{"name", r.name},
                                   {"rows", r.rows},
                                   {"columns", r.columns},
                                   {"bytes", r.bytes},
                                   {"bytes_per_second", r.speed},
                                   {"copy_bytes_per_second", r.copy_speed},
                                   {"ratio", r.ratio}});
    return file;
}

int run(const options& o, const std::string& out)
{
    std::string why = all_back_ends().empty() ? "the program was built without CUDA and without HIP" : "";
    for (const back_end& b : all_back_ends()) {
        const outcome all = b.measure(o);
        if (!all.status) {
            why += (why.empty() ? "" : "; ") + b.arch + ": " + all.status.message();
            continue;
        }
        for (const result& r : all.results)
            std::printf("%-12s %6ld x %ld  %8.1f GB/s, copy %8.1f GB/s, ratio %.3f\n", r.name.c_str(), r.rows,
                        r.columns, r.speed * 1e-9, r.copy_speed * 1e-9, r.ratio);
        if (out.empty())
            return 0;
        std::ofstream file(out);
        file << to_json(all).dump(2) << "\n";
        if (file.flush())
            return 0;
        std::fprintf(stderr, "bench_memory: cannot write %s; name a file in a folder that is there\n", out.c_str());
        return 2;
    }
    std::fprintf(stderr, "bench_memory: no GPU: %s\n", why.c_str());
    return 2;
}

} // namespace
} // namespace memory_benchmark

int main(int argc, char** argv)
{
    memory_benchmark::options o;
    std::string out;
    CLI::App app("Speed of memory-bound kernels beside a copy");
    app.add_option("--gpu", o.gpu, "number of the GPU")->check(CLI::Range(0, 63));
    app.add_option("--rounds", o.rounds, "of 10 launches each")->check(CLI::Range(1, 1000));
    app.add_option("--mib", o.mebibytes, "sizes of the input")->delimiter(',')->check(CLI::Range(1, 65536));
    app.add_option("--out", out, "a file of JSON");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e) == 0 ? 0 : 2;
    }
    return memory_benchmark::run(o, out);
}
