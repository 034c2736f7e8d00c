#pragma once

#include <tegula/jit/compilers.hpp>

#include <map>
#include <mutex>

namespace tegula::jit {

/// A kernel to compile.
///
///     {.source = "#include <tegula/gemm.hpp>", .kernel = "tegula::gemm_kernels<...>", .target = "gfx942"}
struct request
{
    std::string source; ///< C++ that declares the kernel's type: includes, or the kernel itself
    std::string kernel; ///< its type: one that follows kernel/protocol.hpp, or a function object without data members
    std::string target; ///< for example "gfx942", "sm_90a", "x86_avx2"; the source may use it as tegula::jit::target
    runs_on device = runs_on::emulator;
};

/// How requests are compiled.
struct settings
{
    /// The folders of headers, `include` of this library first.
    std::vector<std::string> include_folders = default_include_folders();
    jit::cache cache = jit::cache();

    /// TEGULA_INCLUDE, else the folder that this header was compiled from.
    static std::vector<std::string> default_include_folders()
    {
        std::string folder = environment("TEGULA_INCLUDE");
        if (folder.empty()) {
            const std::string here = __FILE__, end = "/tegula/jit/compile.hpp";
            folder = here.size() > end.size() ? here.substr(0, here.size() - end.size()) : ".";
        }
        return {folder};
    }
};

/// A compiled module: a shared object.
struct compiled
{
    tegula::status status;
    std::string file;    ///< its path
    std::string log;     ///< the path of the compiler's messages, if it failed
    std::string warning; ///< the reason if the cache does not keep the module, else empty
    bool from_cache = false;
    std::string folder; ///< the folder of a module that the cache does not keep; the caller removes it
    /// newest_header: when a header of the include folders last changed. newest_shared: likewise for headers of types
    /// that modules share with the emulator's engine and the program. In nanoseconds since 1970.
    long long newest_header = 0, newest_shared = 0;
};

namespace detail {

inline std::string error_line(const std::string& log, const std::string& source)
{
    // g++ and clang write FILE:LINE:COLUMN: error: ..., nvcc FILE(LINE): error: ...
    std::size_t at = log.find("error:");
    if (at == std::string::npos)
        at = log.find("error");
    if (at == std::string::npos)
        return log.substr(0, log.find('\n'));
    const std::size_t begin = log.rfind('\n', at) + 1, end = std::min(log.find('\n', at), log.size());
    const std::size_t word = at + (log.compare(at, 7, "error: ") == 0 ? 7 : 0);
    std::string message = log.substr(word, end - word);
    if (const std::size_t own = message.find("tegula: "); own != std::string::npos) {
        message = message.substr(own + 8); // the library's own sentence
        if (!message.empty() && message.back() == '"')
            message.pop_back();
    }
    // The line of the caller's source: in the error's own line, else in the nearest line after it, else before it.
    const std::string line = log.substr(begin, at - begin);
    std::size_t found = line.find(source) != std::string::npos ? begin + line.find(source) : log.find(source, end);
    if (found == std::string::npos)
        found = log.rfind(source, begin);
    if (found == std::string::npos)
        return message;
    found += source.size();
    std::string number;
    if (found < log.size() && (log[found] == ':' || log[found] == '('))
        while (++found < log.size() && log[found] >= '0' && log[found] <= '9')
            number += log[found];
    return number.empty() ? message : "line " + number + ": " + message;
}

/// The name of a cache entry. It changes with any of the fields, the compiler and its flags.
inline std::string key_of(const std::vector<std::string>& fields, const toolchain& tools)
{
    sha256 all;
    for (const std::string& field : fields)
        all.add_field(field);
    const dependency compiler = look_at(std::filesystem::weakly_canonical(tools.compiler).string());
    all.add_field(compiler.path).add_field(std::to_string(compiler.size)).add_field(std::to_string(compiler.changed));
    for (const std::string& flag : tools.flags)
        all.add_field(flag);
    return all.digits();
}

/// A new folder that only this user can enter; empty if none can be made.
inline std::string make_temporary_folder()
{
    const std::string base = environment("TMPDIR");
    std::string folder = (base.empty() ? std::string("/tmp") : base) + "/tegula-XXXXXX";
    return mkdtemp(folder.data()) == nullptr ? std::string() : folder;
}

inline void remove_folder(const std::string& folder)
{
    std::error_code error;
    if (!folder.empty())
        std::filesystem::remove_all(folder, error);
}

/// The files that a compilation read, with their content now. Nothing if one changed since `started`: then the
/// compiled text is unknown.
inline std::optional<std::vector<dependency>> record_dependencies(const std::string& file, long long started)
{
    const auto paths = read_dependencies(file);
    if (!paths || paths->empty())
        return {};
    std::vector<dependency> all;
    for (const std::string& path : *paths) {
        dependency d = look_at(path);
        const auto text = read_file(path);
        if (!text || d.size < 0 || d.changed >= started)
            return {};
        d.content = sha256().add(*text).digits();
        all.push_back(std::move(d));
    }
    return all;
}

} // namespace detail

/// A source to compile to a shared object.
struct unit
{
    std::string main;                    ///< what is compiled; it may include "source.hpp"
    std::string source;                  ///< text of source.hpp; messages count its lines; may be empty
    std::string about;                   ///< a line for `tegula-jit list`
    std::vector<std::string> flags = {}; ///< in addition to the toolchain's
};

/// Compiles a unit, or finds it in the cache. One process compiles; others that want the same wait for it.
///
/// Errors: unsupported without a compiler or headers; device_error if the compiler was killed; invalid_argument if the
/// source does not compile, with the first error and the path of the others.
inline compiled compile_unit(const unit& u, toolchain tools, const settings& how)
{
    compiled result;
    result.status = tools.status;
    if (!result.status)
        return result;
    std::vector<std::string> folders;
    for (const std::string& folder : how.include_folders) {
        std::error_code error;
        const auto whole = std::filesystem::canonical(folder, error);
        if (error) {
            result.status = status(status_code::unsupported, "there are no headers at ")
                            << folder.c_str() << "; let TEGULA_INCLUDE name the folder `include` of tegula";
            return result;
        }
        tools.flags.push_back("-I" + whole.string());
        folders.push_back(whole.string());
    }
    tools.flags.insert(tools.flags.end(), u.flags.begin(), u.flags.end());

    const std::string key = detail::key_of({u.main, u.source}, tools);
    const auto note_headers = [&](const std::vector<dependency>& files) {
        for (const dependency& d : files)
            for (const std::string& folder : folders)
                if (d.path.starts_with(folder + "/")) {
                    result.newest_header = std::max(result.newest_header, d.changed);
                    for (const char* shared : {"/tegula/core/", "/tegula/chip/", "/tegula/emulator/", "/tegula/jit/"})
                        if (d.path.starts_with(folder + shared))
                            result.newest_shared = std::max(result.newest_shared, d.changed);
                }
    };
    const auto from_cache = [&] {
        const auto found = how.cache.find(key);
        if (found) {
            result.file = how.cache.file(key, ".so");
            result.from_cache = true;
            note_headers(found->files);
        }
        return found.has_value();
    };
    if (from_cache())
        return result;
    std::optional<file_lock> lock;
    if (how.cache.usable()) {
        lock.emplace(how.cache.file(key, ".lock"));
        if (from_cache())
            return result;
    }

    const std::string folder = detail::make_temporary_folder();
    const std::string main = "main" + tools.suffix;
    if (folder.empty() || !write_file(folder + "/" + main, u.main) || !write_file(folder + "/source.hpp", u.source)) {
        result.status = status(status_code::out_of_memory, "no file can be written to ")
                        << (folder.empty() ? "the temporary folder" : folder.c_str()) << " (" << std::strerror(errno)
                        << "); let TMPDIR name a folder with room";
        detail::remove_folder(folder);
        return result;
    }
    std::vector<std::string> words = {tools.compiler};
    words.insert(words.end(), tools.flags.begin(), tools.flags.end());
    for (const char* word : {"-I.", "-MD", "-MF", "module.d", "-o", "module.so"})
        words.push_back(word);
    words.push_back(main);
    const long long started = nanoseconds_now();
    const process_end end = run_program(words, folder, folder + "/log");
    if (!end.ok()) {
        const std::string log = read_file(folder + "/log").value_or("");
        result.log = how.cache.usable() ? how.cache.file(key, ".log") : folder + "/log";
        if (how.cache.usable() && write_file(result.log, log))
            detail::remove_folder(folder);
        else
            result.log = folder + "/log";
        if (end.error != 0 || end.signal != 0)
            result.status = status(status_code::device_error, tools.compiler.c_str())
                            << (end.signal != 0 ? " was ended by signal " : " did not start: error ")
                            << (end.signal != 0 ? end.signal : end.error)
                            << "; is there memory for it? Its messages are in " << result.log.c_str();
        else
            result.status = status(status_code::invalid_argument, "the kernel does not compile: ")
                            << detail::error_line(log, "source.hpp").substr(0, 300).c_str() << "; all messages are in "
                            << result.log.c_str();
        return result;
    }
    result.file = folder + "/module.so";
    result.folder = folder;
    auto files = detail::record_dependencies(folder + "/module.d", started);
    if (!files) {
        result.warning = "the module is not kept, because a header changed while it was compiled";
        return result;
    }
    note_headers(*files);
    const status kept = how.cache.keep(key, result.file, {u.about, {}, 0, std::move(*files)});
    if (!kept) {
        result.warning = kept.message();
        return result;
    }
    result.file = how.cache.file(key, ".so");
    unlink(how.cache.file(key, ".log").c_str());
    detail::remove_folder(std::exchange(result.folder, {}));
    return result;
}

namespace detail {

inline std::string about(const request& r)
{
    std::string text = r.kernel + " for " + r.target + " on " + name_of(r.device);
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

/// The engine of the emulator, which modules link; compiled once per state of the headers.
inline compiled compile_engine(const settings& how)
{
    toolchain tools = host_toolchain(true);
    for (std::string& flag : tools.flags)
        if (flag == "-O1")
            flag = "-O2";
    return compile_unit({"#define TEGULA_EMULATOR_ELSEWHERE\n#include <tegula/emulator/launch_run.hpp>\n",
                         "",
                         "the emulator's engine",
                         {"-pthread"}},
                        tools, how);
}

} // namespace detail

/// Compiles a request, or finds it in the cache.
///
/// Errors: those of find_toolchain and compile_unit.
inline compiled compile(const request& r, const settings& how = {})
{
    toolchain tools = find_toolchain(r.device, r.target);
    std::string text = r.device == runs_on::emulator ? "#define TEGULA_EMULATOR_ELSEWHERE\n"
                       : r.device == runs_on::cpu    ? "#define TEGULA_JIT_ON_CPU\n"
                                                     : "#define TEGULA_JIT_ON_GPU\n";
    text += "#include <tegula/jit_module.hpp>\nnamespace tegula::jit { using target = arch::" + r.target +
            "; }\n#include \"source.hpp\"\n";
    text += "using tegula_jit_kernel = " + r.kernel + ";\n";
    text += "static_assert(tegula::jit::wrapped::is_for<tegula_jit_kernel, tegula::jit::target>(),\n"
            "              \"tegula: the kernel's target is not " +
            r.target + ", for which it is compiled\");\n";
    text += "static const std::string parameters = tegula::jit::wrapped::parameters_of<tegula_jit_kernel>::codes();\n"
            "static const tegula::jit::module_interface described =\n"
            "    tegula::jit::wrapped::describe<tegula_jit_kernel, tegula::jit::target>(parameters);\n"
            "extern \"C\" const tegula::jit::module_interface* tegula_jit_module() { return &described; }\n";
    return compile_unit({text, r.source, detail::about(r)}, tools, how);
}

} // namespace tegula::jit
