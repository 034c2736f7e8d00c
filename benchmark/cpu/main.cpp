// bench_cpu: the CPU's GEMM and operations side by side with OpenBLAS, oneDNN, Eigen and PyTorch, those of them that were found, and
// with the machine's peak, in one process.
//
//     bench_cpu --threads 1 --out results.json
//     bench_cpu --type f32 --size 1024,1024,1024
//
// In f32 also batches of small products, products with bias and gelu, against the libraries' fused ones and against two
// passes, and operations on rows, in GB/s that are read and written.
//
// For each product the libraries take turns, round by round, so that what else the machine does meets them alike; the
// fastest round of each counts. The peak is measured among them, and for one row the rate of reading B.

#include "contender.hpp"

#include <tegula/core/bfloat16.hpp>
#include <tegula/core/half.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

namespace cpu_benchmark {

std::vector<contender>& contenders()
{
    static std::vector<contender> all;
    return all;
}

double now(bool processor_time)
{
    if (processor_time) {
        timespec used;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
        return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
    }
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool add_contender(contender c)
{
    contenders().push_back(std::move(c));
    return true;
}

namespace {

struct options
{
    std::vector<std::string> types{"f32", "f64", "bf16", "f16", "int8"};
    std::vector<std::string> sizes{"512,512,512",   "1024,1024,1024", "2048,2048,2048", "4096,4096,4096",
                                   "1,4096,4096",   "1,14336,4096",   "16,4096,4096",   "16,4096,14336",
                                   "128,4096,4096", "128,14336,4096", "64,64,64"};
    std::vector<std::string> batches{"8,8,8,20000", "16,16,16,5000", "32,32,32,1000", "64,64,64,200"};
    std::vector<std::string> fused{"512,4096,1024", "128,4096,4096", "2048,512,64"};
    std::vector<std::string> operations{"softmax", "layernorm", "transpose", "sum"};
    std::vector<std::string> rows{"1024,1024", "64,32768", "8192,128"};
    int threads = 1;
    int rounds = 7;
    double seconds = 0.3;
    bool processor_time = false, avx2 = false;
    std::string out, note;
};

/// Values whose sums in every type are exact or nearly so; a byte pattern that is a small number in each type.
void fill(std::vector<std::byte>& bytes, const std::string& type)
{
    std::uint32_t state = 1;
    const auto next = [&] {
        state = state * 1664525u + 1013904223u;
        return static_cast<int>(state >> 24) % 17 - 8;
    };
    const auto each = [&](auto value, auto convert) {
        for (std::size_t i = 0; i + sizeof(value) <= bytes.size(); i += sizeof(value)) {
            value = convert(next());
            std::memcpy(&bytes[i], &value, sizeof(value));
        }
    };
    if (type == "f32")
        each(0.0f, [](int x) { return static_cast<float>(x) / 8; });
    else if (type == "f64")
        each(0.0, [](int x) { return x / 8.0; });
    else if (type == "int8")
        each(std::int8_t{}, [](int x) { return static_cast<std::int8_t>(x); });
    else if (type == "f16")
        each(tegula::half{}, [](int x) { return static_cast<tegula::half>(static_cast<float>(x) / 8); });
    else
        each(std::uint16_t{}, [](int x) {
            const float f = static_cast<float>(x) / 8;
            std::uint32_t bits;
            std::memcpy(&bits, &f, sizeof(bits));
            return static_cast<std::uint16_t>(bits >> 16);
        });
}

double element(const matrices& x, const product& p, std::size_t i)
{
    if (p.type == "f64") {
        double v;
        std::memcpy(&v, x.c.data() + i * sizeof(v), sizeof(v));
        return v;
    }
    if (p.type == "int8") {
        std::int32_t v;
        std::memcpy(&v, x.c.data() + i * sizeof(v), sizeof(v));
        return v;
    }
    if (p.type == "bf16" || p.type == "f16") {
        std::uint16_t bits;
        std::memcpy(&bits, x.c.data() + i * sizeof(bits), sizeof(bits));
        return static_cast<double>(p.type == "bf16" ? static_cast<float>(std::bit_cast<tegula::bfloat16>(bits))
                                                    : static_cast<float>(std::bit_cast<tegula::half>(bits)));
    }
    float v;
    std::memcpy(&v, x.c.data() + i * sizeof(v), sizeof(v));
    return v;
}

double time_of(const options& o, const std::function<void()>& run, int times)
{
    const double start = now(o.processor_time);
    for (int i = 0; i < times; ++i)
        run();
    return (now(o.processor_time) - start) / times;
}

/// The record of one product; false in "same" where two libraries' results differ by more than rounding.
nlohmann::ordered_json measure(const options& o, const product& p)
{
    const std::size_t size = p.type == "f32" ? 4 : p.type == "f64" ? 8 : p.type == "int8" ? 1 : 2;
    const auto count = [](long x, long y) { return static_cast<std::size_t>(x) * static_cast<std::size_t>(y); };
    const long a_columns = p.multiplies() ? p.k : p.n;
    matrices x{std::vector<std::byte>(count(p.m * p.batch, a_columns) * size),
               std::vector<std::byte>(count(p.multiplies() ? p.k * p.batch : 0, p.n) * size),
               std::vector<std::byte>(count(p.m * p.batch, p.n) * 8)};
    fill(x.a, p.type);
    fill(x.b, p.type);

    struct entry
    {
        std::string name;
        std::function<void()> run;
        int times;
        double best, sum;
    };
    std::vector<entry> entries;
    for (const contender& c : contenders())
        if (auto run = c.prepare(p, x, o.threads)) {
            std::fill(x.c.begin(), x.c.end(), std::byte{});
            run();
            double sum = 0; // weighted, so that a transposed result differs
            for (std::size_t i = 0; i < static_cast<std::size_t>(p.results()); ++i)
                sum += element(x, p, i) * (1 + 1e-3 * static_cast<double>(i % 1009));
            const double once = time_of(o, run, 1);
            const double each = o.seconds / o.rounds;
            entries.push_back({c.name, run, static_cast<int>(std::clamp(each / once, 1.0, 1e6)), once, sum});
        }
    const bool reads_b = p.is_plain() && p.m == 1;
    const auto read = prepare_read(x.b, o.threads);
    double peak = 0, read_best = reads_b ? time_of(o, read, 1) : 0;
    const int reads = reads_b ? static_cast<int>(std::clamp(o.seconds / o.rounds / read_best, 1.0, 1e6)) : 0;
    for (int round = 0; round < o.rounds; ++round) {
        peak = std::max(peak, measure_peak(p, o.threads, o.processor_time));
        for (entry& e : entries)
            e.best = std::min(e.best, time_of(o, e.run, e.times));
        if (reads_b)
            read_best = std::min(read_best, time_of(o, read, reads));
    }

    nlohmann::ordered_json record = {
        {"type", p.type}, {"m", p.m}, {"n", p.n}, {"k", p.k}, {"b", p.b_transposed ? "column" : "row"}};
    if (!p.is_plain()) {
        record["operation"] = p.operation;
        record["batch"] = p.batch;
    }
    const char* const rates = p.multiplies() ? "gflops" : "gbytes_per_second";
    if (p.multiplies())
        record["peak_gflops"] = peak;
    double fastest_other = 0, ours = 0, of_read = 0;
    std::string fastest;
    bool same = true;
    for (const entry& e : entries) {
        const double rate = p.operations() / e.best * 1e-9;
        record[rates][e.name] = rate;
        same = same && std::fabs(e.sum - entries.front().sum) <= 1e-4 * (std::fabs(e.sum) + static_cast<double>(p.k));
        if (e.name == "tegula")
            ours = rate, of_read = read_best / e.best;
        else if (rate > fastest_other) {
            fastest_other = rate;
            fastest = e.name;
        }
    }
    if (p.multiplies())
        record["of_peak"] = ours / peak;
    if (reads_b) {
        record["read_gbytes_per_second"] = static_cast<double>(x.b.size()) / read_best * 1e-9;
        record["of_read"] = of_read;
    }
    if (!fastest.empty()) {
        record["fastest_other"] = fastest;
        record["ratio"] = ours / fastest_other;
    }
    record["same"] = same;
    return record;
}

std::string cpu_name()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name"))
            return line.substr(line.find(':') + 2);
    return "unknown";
}

/// Numbers from 1, separated by commas. Throws a sentence.
std::vector<long> read_sizes(const char* option, const std::string& text, std::size_t count)
{
    std::vector<long> sizes(1);
    char separator = ',';
    std::istringstream words(text);
    while (separator == ',' && words >> sizes.back() && sizes.back() > 0 && words >> separator)
        sizes.push_back(0);
    if (!words.eof() || sizes.size() != count || sizes.back() < 1)
        throw std::runtime_error(std::string(option) + " is \"" + text + "\"; it must be " + std::to_string(count) +
                                 " numbers from 1, separated by commas");
    return sizes;
}

std::vector<product> products_of(const options& o)
{
    std::vector<product> all;
    const auto add = [&](product p) {
        p.avx2 = o.avx2;
        all.push_back(std::move(p));
    };
    const bool f32 = std::find(o.types.begin(), o.types.end(), "f32") != o.types.end();
    for (const std::string& type : o.types)
        for (const std::string& size : o.sizes)
            for (const bool transposed : {false, true}) {
                const auto x = read_sizes("--size", size, 3);
                add({type, x[0], x[1], x[2], transposed});
            }
    for (const std::string& size : f32 ? o.batches : std::vector<std::string>()) {
        const auto x = read_sizes("--batch", size, 4);
        add({"f32", x[0], x[1], x[2], false, x[3]});
    }
    for (const std::string& size : f32 ? o.fused : std::vector<std::string>()) {
        const auto x = read_sizes("--fused", size, 3);
        add({"f32", x[0], x[1], x[2], false, 1, "bias_gelu"});
    }
    for (const std::string& operation : f32 ? o.operations : std::vector<std::string>())
        for (const std::string& size : o.rows) {
            const auto x = read_sizes("--rows", size, 2);
            add({"f32", x[0], x[1], 1, false, 1, operation});
        }
    return all;
}

int run(const options& o)
{
    nlohmann::ordered_json results = nlohmann::ordered_json::array();
    std::printf("%-9s %-18s %-7s %9s", "type", "m,n,k", "B", "peak");
    for (const contender& c : contenders())
        std::printf(" %9s", c.name.c_str());
    std::printf(" %8s %8s\n", "of peak", "ratio");
    bool good = true;
    for (const product& p : products_of(o)) {
        const auto record = measure(o, p);
        const auto& rates = record[p.multiplies() ? "gflops" : "gbytes_per_second"];
        std::string size = std::to_string(p.m) + "," + std::to_string(p.n);
        size += p.multiplies() ? "," + std::to_string(p.k) : "";
        size += p.batch > 1 ? "," + std::to_string(p.batch) : "";
        std::printf("%-9s %-18s %-7s %9.1f", p.operation == "gemm" ? p.type.c_str() : p.operation.c_str(), size.c_str(),
                    p.b_transposed ? "column" : "row", p.multiplies() ? record["peak_gflops"].get<double>() : 0.0);
        for (const contender& c : contenders())
            if (rates.contains(c.name))
                std::printf(" %9.1f", rates[c.name].get<double>());
            else
                std::printf(" %9s", "-");
        std::printf(" %8.2f", p.multiplies() ? record["of_peak"].get<double>() : 0.0);
        if (record.contains("ratio"))
            std::printf(" %8.2f", record["ratio"].get<double>());
        if (record.contains("of_read"))
            std::printf(" %5.2f of reading B", record["of_read"].get<double>());
        std::printf("%s\n", record["same"].get<bool>() ? "" : "  RESULTS DIFFER");
        std::fflush(stdout);
        good = good && record["same"].get<bool>();
        results.push_back(record);
    }
    if (!o.out.empty()) {
        char date[16];
        const std::time_t now = std::time(nullptr);
        std::strftime(date, sizeof(date), "%Y-%m-%d", std::gmtime(&now));
        double load = 0;
        std::ifstream("/proc/loadavg") >> load;
        nlohmann::ordered_json versions;
        for (const contender& c : contenders())
            if (!c.version.empty())
                versions[c.name] = c.version;
        const nlohmann::ordered_json all = {{"benchmark", "bench_cpu"},
                                            {"date", date},
                                            {"machine", cpu_name()},
                                            {"instructions", o.avx2 ? "AVX2, with AVX-VNNI where it is" : "all"},
                                            {"versions", versions},
                                            {"threads", o.threads},
                                            {"clock", o.processor_time ? "the process's processor time" : "wall"},
                                            {"rounds", o.rounds},
                                            {"load_after", load},
                                            {"note", o.note},
                                            {"results", results}};
        std::ofstream file(o.out);
        file << all.dump(1) << "\n";
        if (!file.flush()) {
            std::fprintf(stderr, "--out \"%s\" cannot be written\n", o.out.c_str());
            return 2;
        }
    }
    return good ? 0 : 1;
}

/// Starts the program again with the libraries limited to AVX2: they read these words when they are loaded.
void limit_to_avx2(char** argv)
{
    const std::pair<const char*, const char*> words[] = {
        {"ONEDNN_MAX_CPU_ISA", "AVX2_VNNI"}, {"MKL_ENABLE_INSTRUCTIONS", "AVX2"}, {"ATEN_CPU_CAPABILITY", "avx2"}};
    bool limited = true;
    for (const auto& [name, value] : words) {
        const char* const is = std::getenv(name);
        limited = limited && is && std::string(is) == value;
        setenv(name, value, 1);
    }
    if (limited)
        return;
    execv("/proc/self/exe", argv);
    throw std::runtime_error("--avx2: the program cannot be started again with the libraries limited to AVX2");
}

} // namespace

} // namespace cpu_benchmark

int main(int argc, char** argv)
{
    cpu_benchmark::options o;
    CLI::App app("GEMM on the CPU beside OpenBLAS, oneDNN, Eigen and PyTorch.", "bench_cpu");
    app.add_option("--type", o.types, "f32, f64, bf16, f16 or int8 [all]")
        ->check(CLI::IsMember({"f32", "f64", "bf16", "f16", "int8"}));
    app.add_option("--size", o.sizes, "m,n,k, several times [a list]")->take_all()->delimiter(' ');
    app.add_option("--threads", o.threads, "0: all [1]")->check(CLI::Range(0, 4096));
    app.add_option("--rounds", o.rounds, "in turn, of which the fastest counts [7]")->check(CLI::Range(1, 1000));
    app.add_option("--seconds", o.seconds, "for each library and product [0.3]");
    app.add_flag("--processor-time", o.processor_time,
                 "Time that the process ran, where others use the machine, too; of one thread");
    app.add_flag("--avx2", o.avx2, "AVX2 alone, for all libraries but Eigen, which takes no part");
    app.add_option("--out", o.out, "Where the results go: a JSON file");
    app.add_option("--note", o.note, "What the file says of the machine's state");
    app.add_option("--batch", o.batches, "m,n,k,count of products in a batch, several times [a list]")
        ->take_all()
        ->delimiter(' ');
    app.add_option("--fused", o.fused, "m,n,k of products with bias and gelu [a list]")->take_all()->delimiter(' ');
    app.add_option("--operation", o.operations, "softmax, layernorm, transpose, sum [all]")
        ->check(CLI::IsMember({"softmax", "layernorm", "transpose", "sum"}));
    app.add_option("--rows", o.rows, "m,n of the operations, several times [a list]")->take_all()->delimiter(' ');
    CLI11_PARSE(app, argc, argv);
    try {
        if (o.processor_time && o.threads != 1)
            throw std::runtime_error("--processor-time is that of one thread; leave it out, or give --threads 1");
        if (o.avx2)
            cpu_benchmark::limit_to_avx2(argv);
        return cpu_benchmark::run(o);
    } catch (const std::runtime_error& wrong) {
        std::fprintf(stderr, "%s\n", wrong.what());
        return 2;
    }
}
