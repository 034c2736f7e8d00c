#pragma once

/// Loads a library of kernels into a program, whose lists of registered objects (reference/registry.hpp) then have what
/// the library adds. The program exports its symbols (CMake: ENABLE_EXPORTS).

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <vector>

namespace gpu_library {

/// The libraries in a program's folder; if there are none, those in the folder `library` beside it.
inline std::vector<std::string> find_libraries(const std::filesystem::path& here)
{
    namespace fs = std::filesystem;
    std::error_code failed;
    std::vector<std::string> found;
    for (const fs::path& folder : {here, here.parent_path() / "library"}) {
        if (!found.empty())
            break;
        for (const auto& entry : fs::directory_iterator(folder, failed)) {
            const std::string name = entry.path().filename().string();
            if ((name.starts_with("libtegula_sm_") || name.starts_with("libtegula_gfx")) &&
                entry.path().extension() == ".so")
                found.push_back(entry.path().string());
        }
    }
    return found;
}

/// Loads `file`; if it is empty, the one library that is found. Returns what is wrong in a sentence, or nothing.
inline std::string open_library(std::string file)
{
    if (file.empty()) {
        std::error_code failed;
        const auto program = std::filesystem::read_symlink("/proc/self/exe", failed);
        const std::vector<std::string> found = find_libraries(program.parent_path());
        if (found.size() != 1)
            return found.empty()
                       ? "no library of kernels is beside the program; name one, as --library libtegula_sm_90a.so"
                       : "there are " + std::to_string(found.size()) + " libraries of kernels, " + found[0] + " and " +
                             found[1] + "; name one by --library";
        file = found[0];
    }
    file = std::filesystem::absolute(file).string(); // a name without a folder would be looked for elsewhere
    const char* const why = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL) == nullptr ? dlerror() : nullptr;
    return why == nullptr ? "" : std::string("cannot load the library of kernels: ") + why;
}

} // namespace gpu_library
