#include "on_demand.hpp"

#include "bad_input.hpp"
#include "progress.hpp"

#include <tegula/jit.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

namespace examples {

namespace {

namespace jit = tegula::jit;

std::filesystem::path own_path()
{
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error);
}

/// The folders of the library's and of the programs' headers: of the installation that this program is in, else those
/// that it was built from. Empty where neither is there.
std::vector<std::string> header_folders()
{
    const auto has_headers = [](const std::filesystem::path& include, const std::filesystem::path& programs) {
        std::error_code error;
        return std::filesystem::exists(include / "tegula/jit.hpp", error) &&
               std::filesystem::exists(programs / "examples/common/gpus.hpp", error);
    };
    const std::filesystem::path prefix = own_path().parent_path().parent_path(), source = TEGULA_SOURCE_DIR;
    if (has_headers(prefix / "include", prefix / "share/tegula"))
        return {(prefix / "include").string(), (prefix / "share/tegula").string()};
    if (has_headers(source / "include", source))
        return {(source / "include").string(), source.string()};
    return {};
}

const recipe* find_recipe(std::span<const recipe> recipes, const wanted_kernel& k)
{
    for (const recipe& r : recipes)
        if (r.family == k.family && r.consumer == std::string(name_of(k.where)) && r.schedule == k.schedule &&
            r.form == k.form)
            return &r;
    return nullptr;
}

void replace(std::string& text, const std::string& word, const std::string& by)
{
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
        text.replace(at, word.size(), by);
}

/// The C++ type of a --type.
std::string element_of(const recipe& r, const std::string& type)
{
    for (const std::string& pair : jit::split_words(r.elements))
        if (pair.starts_with(type + "="))
            return pair.substr(type.size() + 1);
    return type;
}

std::string source_of(const recipe& r, const wanted_kernel& k)
{
    std::string text;
    for (const std::string& header : jit::split_words(r.headers))
        text += "#include \"" + header + "\"\n";
    std::string space = jit::split_words(r.headers).front().substr(sizeof("examples"));
    space = space.substr(0, space.find('/')) + "_example";
    std::string call = r.call;
    replace(call, "@short@_@rest@", k.type);
    replace(call, "@short@", k.type.substr(0, k.type.find('_')));
    replace(call, "@element@", element_of(r, k.type));
    replace(call, "@tile@", k.tile);
    replace(call, "@columns@", k.columns);
    return text + "\nusing namespace " + space + ";\nusing target = tegula::arch::" + k.arch +
           ";\n\nstatic const bool added = " + call + ";\n";
}

std::string name_of_kernel(const wanted_kernel& k)
{
    std::string name = k.family;
    for (const std::string* word : {&k.arch, &k.type, &k.schedule, &k.tile, &k.columns, &k.form})
        if (!word->empty())
            name += " " + *word;
    return name;
}

jit::toolchain tools_for(const std::string& arch, device where)
{
    if (jit::environment("TEGULA_HIPCXX").empty() && *TEGULA_HIPCXX != 0 && !jit::find_program(TEGULA_HIPCXX).empty()) {
        setenv("TEGULA_HIPCXX", TEGULA_HIPCXX, 1);
        setenv("TEGULA_HIPCXX_FLAGS", TEGULA_HIPCXX_FLAGS, 0);
    }
    return jit::find_toolchain(where == device::emulator ? jit::runs_on::emulator
                               : where == device::gpu    ? jit::runs_on::gpu
                                                         : jit::runs_on::cpu,
                               arch);
}

} // namespace

bool can_compile(std::span<const recipe> recipes, const wanted_kernel& k)
{
    const recipe* const r = find_recipe(recipes, k);
    if (r == nullptr || !tools_for(k.arch, k.where).status || header_folders().empty())
        return false;
    const std::string& choice = k.tile.empty() ? k.columns : k.tile;
    const std::vector<std::string> choices = jit::split_words(r->choices);
    return choice.empty() || std::find(choices.begin(), choices.end(), choice) != choices.end();
}

std::string why_not_compiled(const std::string& arch, device where)
{
    const jit::toolchain tools = tools_for(arch, where);
    if (!tools.status)
        return std::string("; none is compiled, because ") + tools.status.message();
    return header_folders().empty()
               ? "; none is compiled, because the headers that this program was built from are gone"
               : "";
}

std::string find_columns(std::span<const recipe> recipes, const wanted_kernel& k, long columns)
{
    if (const recipe* const r = find_recipe(recipes, k))
        for (const std::string& choice : jit::split_words(r->choices))
            if (std::stol(choice) >= columns)
                return choice;
    return {};
}

long most_columns(std::span<const recipe> recipes, const wanted_kernel& k)
{
    const recipe* const r = find_recipe(recipes, k);
    return r == nullptr ? 0 : std::stol(jit::split_words(r->choices).back());
}

void compile_kernel(std::span<const recipe> recipes, const wanted_kernel& k)
{
    jit::settings how;
    how.include_folders = header_folders();
    std::optional<progress> shown(std::in_place, "compiling");
    const jit::compiled c = jit::compile_unit({source_of(*find_recipe(recipes, k), k),
                                               "",
                                               name_of_kernel(k) + " on the " + name_of(k.where),
                                               {"-DTEGULA_EMULATOR_ELSEWHERE"}},
                                              tools_for(k.arch, k.where), how);
    shown.reset();
    if (!c.status)
        throw bad_input(name_of_kernel(k) + " on the " + name_of(k.where) + ": " + c.status.message());
    if (const tegula::status old = jit::check_age(c.newest_header); !old) { // the module and the program share types
        jit::detail::remove_folder(c.folder);
        throw bad_input(std::string(old.message()) + ", or take --no-jit");
    }
    if (!c.warning.empty())
        std::fprintf(stderr, "tegula: %s\n", c.warning.c_str());
    if (const jit::loaded l = jit::load(c); !l.status)
        throw bad_input(l.status.message());
}

} // namespace examples
