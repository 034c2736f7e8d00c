#pragma once

#include <tegula/jit/archive.hpp>
#include <tegula/jit/compile.hpp>
#include <tegula/jit/module.hpp>

#if defined(TEGULA_JIT_ENGINE_IN_PROGRAM)
#include <tegula/emulator/launch.hpp>
#endif

#include <dlfcn.h>
#include <link.h>

#include <memory>

namespace tegula::jit {

/// A shared object in this process. It stays loaded, since its definitions may be in use anywhere.
struct loaded
{
    tegula::status status;
    void* module = nullptr;

    void* find(const char* name) const { return module == nullptr ? nullptr : dlsym(module, name); }
};

/// The path of the program or the library that contains this code.
inline std::string own_file()
{
    static const char inside = 0;
    Dl_info info = {};
    link_map* map = nullptr;
    if (dladdr1(&inside, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) != 0 && map != nullptr &&
        map->l_name != nullptr && map->l_name[0] != 0)
        return map->l_name;
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

/// Fails if a header of a module changed after this program was built: their shared definitions would differ.
inline status check_age(long long newest_header)
{
    const dependency own = look_at(own_file());
    if (own.size < 0 || newest_header <= own.changed)
        return {};
    return {status_code::unsupported, "headers of tegula changed after this program was built; build it again"};
}

/// Makes the symbols of this library visible to modules, if it was loaded with local symbols, as Python does.
inline void show_own_symbols()
{
    static const bool shown = [] {
        const std::string own = own_file();
        return own.find(".so") == std::string::npos ||
               dlopen(own.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD) != nullptr;
    }();
    static_cast<void>(shown);
}

/// Loads a module, and removes its temporary folder. `visible`: modules that are loaded later may use its symbols.
inline loaded load(const compiled& c, bool visible = false)
{
    loaded l{c.status};
    if (l.status) {
        l.module = dlopen(c.file.c_str(), RTLD_NOW | (visible ? RTLD_GLOBAL : RTLD_LOCAL));
        if (l.module == nullptr)
            l.status = status(status_code::device_error, "the module cannot be loaded: ") << dlerror();
    }
    detail::remove_folder(c.folder);
    return l;
}

/// The memory that a launch on the emulator may touch, and its counters and report.
struct emulation
{
    std::vector<memory_entry> memory = {};
    bool checks = true;
    int order = 0; ///< order of lanes and waves, see emulator::run_config
    emulator::counters counters = {};
    std::string report = {}; ///< report of the last launch

    emulation& reads(const void* begin, std::size_t bytes, const char* name)
    {
        memory.push_back({begin, bytes, name, memory_entry::access::reads});
        return *this;
    }
    emulation& writes(void* begin, std::size_t bytes, const char* name)
    {
        memory.push_back({begin, bytes, name, memory_entry::access::writes});
        return *this;
    }
    emulation& workspace(void* begin, std::size_t bytes, const char* name)
    {
        memory.push_back({begin, bytes, name, memory_entry::access::workspace});
        return *this;
    }
};

/// A compiled kernel. Copies refer to the same kernel.
class kernel
{
public:
    kernel() = default;
    kernel(tegula::status why_not, const module_interface* module) : status_(std::move(why_not)), module_(module) {}

    /// An error if it cannot be launched.
    const tegula::status& state() const { return status_; }
    explicit operator bool() const { return status_.ok(); }

    const char* target() const { return module_ == nullptr ? "" : module_->target; }
    /// The types of its parameters, for example "pointer, pointer, int32".
    const char* parameters() const { return module_ == nullptr ? "" : module_->parameters; }
    int block_threads() const { return module_ == nullptr ? 0 : module_->block_threads; }

    /// Runs a function object on the emulator, or on the CPU whose kernel it is.
    ///
    /// Errors: invalid_argument for arguments of other types than the kernel's; those of tegula::launch.
    template <class... Arguments>
    tegula::status launch(emulation& on, const launch_config& config, const Arguments&... arguments) const
    {
        const void* const addresses[] = {static_cast<const void*>(&arguments)..., nullptr};
        return launch_values(on, nullptr, config, codes_of<Arguments...>(), addresses);
    }
    /// Runs a kernel that follows kernel/protocol.hpp, which tells the emulator its memory. Errors: as above.
    template <class Arguments>
        requires(!std::is_same_v<Arguments, launch_config>)
    tegula::status launch(emulation& on, const Arguments& arguments) const
    {
        return launch(on, {}, arguments);
    }

    /// Launches a function object in a stream of the current GPU, null for the default one, and returns before it ends.
    ///
    /// Errors: invalid_argument for arguments of other types than the kernel's; those of tegula::launch.
    template <class... Arguments>
    tegula::status launch(void* stream, const launch_config& config, const Arguments&... arguments) const
    {
        const void* const addresses[] = {static_cast<const void*>(&arguments)..., nullptr};
        return start({addresses, &config, stream, nullptr, 0, true, 0, nullptr, nullptr}, codes_of<Arguments...>());
    }
    /// Launches a kernel that follows kernel/protocol.hpp in a stream. Errors: as above.
    template <class Arguments>
        requires(!std::is_same_v<Arguments, launch_config>)
    tegula::status launch(void* stream, const Arguments& arguments) const
    {
        return launch(stream, {}, arguments);
    }

    /// Launches it with the values at these addresses; `types` lists their types like parameters(). `stream`: a GPU's.
    ///
    /// Errors: those of launch().
    tegula::status launch_values(emulation& on, void* stream, const launch_config& config, const std::string& types,
                                 const void* const* addresses) const
    {
        return start({addresses, &config, stream, on.memory.data(), static_cast<int>(on.memory.size()), on.checks,
                      on.order, &on.counters, &on.report},
                     types);
    }

    /// The kernel's own check: the error with which a launch with these arguments would be refused, else ok.
    template <class Arguments>
    tegula::status check(const Arguments& arguments) const
    {
        const void* const addresses[] = {static_cast<const void*>(&arguments), nullptr};
        return check_values({}, codes_of<Arguments>(), addresses);
    }
    /// Blocks that a launch with these arguments starts. -1 for a kernel that starts several kernels or asks the
    /// device, 0 for arguments that check() refuses.
    template <class Arguments>
    long_index_t blocks(const Arguments& arguments) const
    {
        const void* const addresses[] = {static_cast<const void*>(&arguments), nullptr};
        return blocks_of_values({}, codes_of<Arguments>(), addresses);
    }

    /// check() with the values at these addresses.
    tegula::status check_values(const launch_config& config, const std::string& types,
                                const void* const* addresses) const
    {
        return takes(types) ? module_->check(without_device(config, addresses)) : refuse(config, types);
    }
    /// blocks() with the values at these addresses.
    long_index_t blocks_of_values(const launch_config& config, const std::string& types,
                                  const void* const* addresses) const
    {
        return takes(types) ? module_->blocks(without_device(config, addresses)) : 0;
    }

private:
    static module_launch without_device(const launch_config& config, const void* const* addresses)
    {
        return {addresses, &config, nullptr, nullptr, 0, true, 0, nullptr, nullptr};
    }
    bool takes(const std::string& types) const
    {
        return status_.ok() && module_ != nullptr && types == module_->parameters;
    }
    /// The error for arguments of these types. A function of its own, so that a launch that works builds no status.
    tegula::status refuse(const launch_config& config, const std::string& types) const
    {
        if (!status_)
            return status_;
        if (module_ == nullptr)
            return tegula::status(status_code::invalid_argument,
                                  "no kernel was compiled; jit::get_kernel() compiles one");
        return tegula::status(status_code::invalid_argument, config.name)
               << ": the arguments are of types (" << types.c_str() << "); the kernel takes (" << module_->parameters
               << "), convert them at the call";
    }
    tegula::status start(const module_launch& given, const std::string& types) const
    {
        return takes(types) ? module_->launch(given) : refuse(*given.config, types);
    }

    tegula::status status_ = {};
    const module_interface* module_ = nullptr;
};

namespace detail {

struct no_kernel
{
    void operator()() const {}
};

/// Whether the program itself has the emulator's engine for modules, as programs that link tegula::jit have.
inline bool program_has_engine()
{
#if defined(TEGULA_JIT_ENGINE_IN_PROGRAM)
    static const volatile auto launch = &emulator::launch<no_kernel>; // so that the linker takes the engine
    return launch != nullptr;
#else
    return false;
#endif
}

/// The archive that TEGULA_ARCHIVE names; null if it names none.
inline const archive* given_archive()
{
    static const std::string path = environment("TEGULA_ARCHIVE");
    static const archive read = path.empty() ? archive() : archive::read(path);
    return path.empty() ? nullptr : &read;
}

/// Loads a module of the archive; module is null if the archive has none.
inline loaded load_archived(const std::string& name, bool visible)
{
    const archive* const given = given_archive();
    if (given == nullptr)
        return {};
    if (!given->state())
        return {given->state()};
    compiled c;
    c.file = given->open(name);
    return c.file.empty() ? loaded() : load(c, visible);
}

inline status provide_engine(const settings& how)
{
    if (program_has_engine()) {
        show_own_symbols();
        return {};
    }
    static std::mutex mutex;
    static bool provided = false;
    const std::lock_guard lock(mutex);
    if (provided)
        return {};
    loaded engine = load_archived(archive::engine, true);
    if (engine.status && engine.module == nullptr)
        engine = load(compile_engine(how), true);
    provided = engine.status.ok();
    return engine.status;
}

} // namespace detail

inline kernel kernel_of(const loaded& l)
{
    if (!l.status)
        return {l.status, nullptr};
    const auto describe = reinterpret_cast<const module_interface* (*)()>(l.find(module_function));
    const module_interface* const module = describe == nullptr ? nullptr : describe();
    if (module == nullptr || module->compiled_version != module_interface::version)
        return {
            status(status_code::device_error, "the module is of another version of tegula; build the program again"),
            nullptr};
    return {{}, module};
}

/// The kernel of a request: from the archive that TEGULA_ARCHIVE names, from the cache on disk, or compiled. `details`,
/// if not null, receives the result of compile() if the archive had no kernel.
///
/// On an error no kernel is returned; state() is the error. Errors: those of compile(); device_error for a module that
/// cannot be loaded or is of another version; unsupported if headers changed after the program was built.
inline kernel get_kernel(const request& r, const settings& how = {}, compiled* details = nullptr)
{
    if (r.device == runs_on::emulator)
        if (const status s = detail::provide_engine(how); !s)
            return {s, nullptr};
    if (const loaded archived = detail::load_archived(name_of(r), false);
        archived.module != nullptr || !archived.status)
        return kernel_of(archived);
    const compiled c = compile(r, how);
    if (details != nullptr)
        *details = c;
    if (detail::program_has_engine() && r.device == runs_on::emulator && c.status)
        if (const status s = check_age(c.newest_shared); !s) {
            detail::remove_folder(c.folder);
            return {s, nullptr};
        }
    return kernel_of(load(c));
}

} // namespace tegula::jit
