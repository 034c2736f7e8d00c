// tegula-jit: the kernels that programs compiled, and lists of kernels compiled ahead.
//
//     tegula-jit list
//     tegula-jit clear
//     tegula-jit build requests.json --archive kernels.bin
//
// requests.json is a list of {"source", "kernel", "target", "device"}; docs/jit.md says what they are.

#include "examples/common/bad_input.hpp"
#include "examples/common/command_line.hpp"

#include <tegula/jit.hpp>

#include <nlohmann/json.hpp>

#include <atomic>
#include <cstdio>
#include <ctime>
#include <thread>

using namespace tegula;
using examples::bad_input;

namespace {

jit::cache open_cache(const std::string& folder)
{
    jit::cache c(folder.empty() ? jit::cache::default_folder() : folder);
    if (!c.usable())
        throw bad_input(c.usable().message());
    return c;
}

int list(const jit::cache& c)
{
    long long bytes = 0;
    const std::vector<jit::cache::entry> entries = c.entries();
    for (const jit::cache::entry& e : entries) {
        const std::time_t used = e.used / 1000000000;
        char when[32] = "";
        std::strftime(when, sizeof(when), "%Y-%m-%d %H:%M", std::localtime(&used));
        std::printf("%s  %9lld bytes  %s\n", when, e.bytes, e.about.c_str());
        bytes += e.bytes;
    }
    std::printf("%zu kernels, %lld bytes in %s\n", entries.size(), bytes, c.folder().c_str());
    return 0;
}

/// A word of a request; empty where it may be missing and is. Throws bad_input.
std::string word(const nlohmann::json& j, const char* name, bool needed)
{
    if (j.contains(name) && j[name].is_string())
        return j[name].get<std::string>();
    if (j.contains(name) || needed)
        throw bad_input("\"" + std::string(name) + "\" of " + j.dump().substr(0, 80) + " is no text; give one");
    return {};
}

std::vector<jit::request> read_requests(const std::string& path)
{
    const auto text = jit::read_file(path);
    if (!text)
        throw bad_input(path + " cannot be read; name a file of requests");
    const nlohmann::json list = nlohmann::json::parse(*text, nullptr, false);
    if (!list.is_array())
        throw bad_input(path + " is no JSON list; see docs/jit.md");
    std::vector<jit::request> requests;
    for (const nlohmann::json& j : list) {
        if (!j.is_object())
            throw bad_input(j.dump().substr(0, 80) + " is no request; see docs/jit.md");
        const std::string name = word(j, "device", false);
        const std::optional<jit::runs_on> device = jit::find_device(name.empty() ? "emulator" : name);
        if (!device)
            throw bad_input("\"device\" is \"" + name + "\"; it must be emulator, gpu or cpu");
        requests.push_back({word(j, "source", true), word(j, "kernel", true), word(j, "target", true), *device});
    }
    return requests;
}

int build(const std::string& path, const std::string& archive_path, bool with_engine, int jobs,
          const jit::settings& how)
{
    const std::vector<jit::request> requests = read_requests(path);
    std::vector<jit::compiled> modules(requests.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
        for (std::size_t i = next++; i < requests.size(); i = next++)
            modules[i] = jit::compile(requests[i], how);
    };
    std::vector<std::thread> threads;
    for (int i = 1; i < jobs; ++i)
        threads.emplace_back(work);
    work();
    for (std::thread& t : threads)
        t.join();

    jit::archive all;
    int failed = 0;
    bool emulated = false;
    const auto keep = [&](const char* name, const jit::compiled& c, const std::string& about) {
        const status s = !c.status || archive_path.empty() ? c.status : all.add(name, c.file);
        std::printf("%s: %s\n", about.c_str(), !s ? s.message() : c.from_cache ? "was compiled" : "compiled");
        failed += !s;
        jit::detail::remove_folder(c.folder);
    };
    for (std::size_t i = 0; i < requests.size(); ++i) {
        emulated = emulated || requests[i].device == jit::runs_on::emulator;
        keep(jit::name_of(requests[i]).c_str(), modules[i], jit::detail::about(requests[i]));
    }
    if (emulated && with_engine && !archive_path.empty())
        keep(jit::archive::engine, jit::detail::compile_engine(how), "the emulator's engine");
    if (failed == 0 && !archive_path.empty())
        if (const status s = all.write(archive_path); !s)
            throw bad_input(s.message());
    return failed == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv)
{
    return examples::run_program("kernels", [&] {
        CLI::App app("Kernels that are compiled when they are asked for");
        std::string folder, requests, archive, include;
        bool without_engine = false;
        int jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
        app.add_option("--cache", folder, "The folder of the cache [TEGULA_CACHE, else ~/.cache/tegula]");
        app.require_subcommand(1);
        const CLI::App* const lists = app.add_subcommand("list", "List the kernels of the cache, the last used first");
        const CLI::App* const clears = app.add_subcommand("clear", "Remove all kernels of the cache");
        CLI::App* const builds = app.add_subcommand("build", "Compile the requests of a JSON file");
        builds->add_option("requests", requests, "The file")->required();
        builds->add_option("--archive", archive, "A file for all modules, which TEGULA_ARCHIVE may name");
        builds->add_flag("--without-engine", without_engine,
                         "For programs that have the emulator's engine: they link tegula::jit");
        builds->add_option("--include", include, "The folder of the library's headers [TEGULA_INCLUDE]");
        builds->add_option("--jobs", jobs, "Compilers that run at a time [one a core]")->check(CLI::Range(1, 1024));
        if (!examples::parse(app, argc, argv))
            return 0;
        if (*lists)
            return list(open_cache(folder));
        if (*clears) {
            const jit::cache c = open_cache(folder);
            std::printf("%d modules removed from %s\n", c.clear(), c.folder().c_str());
            return 0;
        }
        jit::settings how{jit::settings::default_include_folders(), open_cache(folder)};
        if (!include.empty())
            how.include_folders = {include};
        return build(requests, archive, !without_engine, jobs, how);
    });
}
