// The checks of this folder as a program that needs nothing but a GPU's runtime: a line of JSON a check, written at once.
//
//   gpu_checks [--list] [--only REGEX] [--shard I/N] [--seeds FIRST:COUNT] [--small] [--skip FILE] [--log FILE]
//              [--library FILE]
//
//   --small    leave out the large cases
//   --skip     names of checks that are not run, a line each
//   --log      append the lines to a file (default: standard output)
//   --library  the library of kernels (default: libtegula_ARCH.so beside the program; a program with checks takes none)
//
// A check writes {"start": name} before it runs and {"name", "seconds", "seed", "wrong"} behind it. Exit status: 0; 1 where
// a check is wrong; 2 where an option is; 3 where the GPU answers no more, and the checks behind were not run; 77 where
// there is no GPU. run_checks.py runs it in shards and restarts it behind what hangs.

#include <tegula/host/launch.hpp>
#include <tegula/reference/registry.hpp>

#include "library/open.hpp"
#include "test/gpu/kernel_check.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <regex>
#include <set>
#include <stdexcept>
#include <tuple>

using namespace tegula;
using namespace tegula::test;

namespace {

struct options
{
    bool list = false;
    std::regex only{""};
    std::string log, library;
    unsigned long shard = 0, shards = 1, first_seed = 0, seeds = 1;
    std::set<std::string> skipped;
};

/// Two numbers around a sign, as 0/8.
std::pair<unsigned long, unsigned long> two_numbers(const std::string& option, const std::string& text, char sign)
{
    const std::size_t where = text.find(sign);
    const auto is_number = [](const std::string& x) {
        return !x.empty() && x.size() < 10 && x.find_first_not_of("0123456789") == std::string::npos;
    };
    if (where == std::string::npos || !is_number(text.substr(0, where)) || !is_number(text.substr(where + 1)))
        throw std::invalid_argument(option + " is \"" + text + "\"; write two numbers with " + sign + " between them");
    return {std::stoul(text.substr(0, where)), std::stoul(text.substr(where + 1))};
}

options read_options(int argc, char** argv)
{
    options o;
    for (int i = 1; i < argc; ++i) {
        const std::string option = argv[i];
        const auto value = [&] {
            if (++i == argc)
                throw std::invalid_argument(option + " needs a value");
            return std::string(argv[i]);
        };
        if (option == "--list")
            o.list = true;
        else if (option == "--small")
            setenv("TEGULA_GPU_IS_EMULATED", "1", 1);
        else if (option == "--only")
            o.only = std::regex(value());
        else if (option == "--log")
            o.log = value();
        else if (option == "--library")
            o.library = value();
        else if (option == "--seeds")
            std::tie(o.first_seed, o.seeds) = two_numbers(option, value(), ':');
        else if (option == "--skip") {
            std::ifstream lines(value());
            for (std::string line; std::getline(lines, line);)
                o.skipped.insert(line);
        } else if (option == "--shard") {
            std::tie(o.shard, o.shards) = two_numbers(option, value(), '/');
            if (o.shard >= o.shards)
                throw std::invalid_argument("--shard I/N needs I below N");
        } else
            throw std::invalid_argument("\"" + option + "\" is no option");
    }
    return o;
}

std::string in_json(const std::string& text)
{
    std::string result = "\"";
    for (const char c : text)
        result += c == '\n' ? std::string("\\n") : c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return result + '"';
}

/// Whether a message tells that the GPU's context is lost: each later call would fail with the same error.
bool is_lost(const std::string& wrong)
{
    static const std::regex lost(
        "illegal|misaligned|launch failure|unspecified|hardware|assert|invalid program counter|"
        "launch timed out|no longer");
    return std::regex_search(wrong, lost);
}

struct named_check
{
    std::string name; ///< with a number behind names that are there twice
    const kernel_check* check;
};

std::vector<named_check> all_checks()
{
    std::vector<named_check> all;
    std::set<std::string> names;
    for (const kernel_check& c : registered<kernel_check>()) {
        const std::string plain = c.arch + " " + c.name;
        std::string name = plain;
        for (int i = 2; !names.insert(name).second; ++i)
            name = plain + " (" + std::to_string(i) + ")";
        all.push_back({name, &c});
    }
    std::sort(all.begin(), all.end(), [](const named_check& x, const named_check& y) { return x.name < y.name; });
    return all;
}

int run(const options& o)
{
    if (!registered<kernel_check>().empty() && !o.library.empty())
        throw std::invalid_argument("this program has its checks, and takes no --library");
    if (registered<kernel_check>().empty())
        if (const std::string wrong = gpu_library::open_library(o.library); !wrong.empty())
            throw std::invalid_argument(wrong);
    if (registered<kernel_check>().empty())
        throw std::invalid_argument("the library of kernels has no checks; it was not built whole");
    std::string arch, why_none = "no GPU code is built in";
    for (const runtime_check& r : registered<runtime_check>())
        if (arch.empty() && !o.list)
            arch = r.arch(why_none);
    if (arch.empty() && !o.list) {
        std::fprintf(stderr, "skipped: no GPU: %s\n", why_none.c_str());
        return 77;
    }
    std::FILE* const log = o.log.empty() ? stdout : std::fopen(o.log.c_str(), "a");
    if (log == nullptr)
        throw std::invalid_argument("cannot write to " + o.log);
    unsigned long number = 0;
    bool all_right = true;
    for (const auto& [name, check] : all_checks()) {
        if (number++ % o.shards != o.shard || o.skipped.contains(name) || !std::regex_search(name, o.only))
            continue;
        if (o.list) {
            std::printf("%s\n", name.c_str());
            continue;
        }
        if (!runs_on(check->arch, arch))
            continue;
        std::fprintf(log, "{\"start\": %s}\n", in_json(name).c_str());
        std::fflush(log);
        const auto begin = std::chrono::steady_clock::now();
        std::string wrong;
        unsigned long seed = o.first_seed;
        for (; seed < o.first_seed + o.seeds && wrong.empty(); ++seed)
            wrong = check->run(seed);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        std::fprintf(log, "{\"name\": %s, \"seconds\": %.3f, \"seed\": %lu, \"wrong\": %s}\n", in_json(name).c_str(),
                     seconds, seed - 1, in_json(wrong).c_str());
        std::fflush(log);
        all_right = all_right && wrong.empty();
        if (is_lost(wrong))
            return 3;
    }
    return all_right ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    try {
        return run(read_options(argc, argv));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "gpu_checks: %s\n", error.what());
        return 2;
    }
}
