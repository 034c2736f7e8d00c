#pragma once

#include <tegula/chip/chip_info.hpp>
#include <tegula/jit/cache.hpp>

namespace tegula::jit {

/// The kinds of devices that run a kernel.
enum class runs_on {
    emulator, ///< the CPU plays the target
    gpu,      ///< the target itself, by CUDA or HIP
    cpu,      ///< a kernel whose target is a CPU
};

inline constexpr const char* device_names[] = {"emulator", "gpu", "cpu"};

inline const char* name_of(runs_on device) { return device_names[static_cast<int>(device)]; }

/// The device of that name; nothing if there is none.
inline std::optional<runs_on> find_device(const std::string& name)
{
    for (const runs_on device : {runs_on::emulator, runs_on::gpu, runs_on::cpu})
        if (name == name_of(device))
            return device;
    return {};
}

/// A compiler and the options that make it write a shared object for a target.
struct toolchain
{
    tegula::status status; ///< an error if there is no compiler
    std::string compiler;  ///< its path
    std::vector<std::string> flags;
    std::string suffix; ///< file suffix of the sources that it takes
};

namespace detail {

inline std::string first_program(const std::vector<std::string>& names)
{
    for (const std::string& name : names)
        if (const std::string found = find_program(name); !found.empty())
            return found;
    return {};
}

/// By default g++ shares static variables of templates among all modules of a process; clang does not.
inline bool is_gnu(const std::string& compiler)
{
    std::error_code error;
    const auto path = std::filesystem::canonical(compiler, error);
    return !error && path.filename().string().find("clang") == std::string::npos;
}

inline toolchain host_toolchain(bool emulated)
{
    toolchain t;
    const std::string wanted = environment("TEGULA_CXX");
    t.compiler = wanted.empty() ? first_program({"c++", "g++", "clang++"}) : find_program(wanted);
    if (t.compiler.empty())
        t.status = status(status_code::unsupported, "no C++ compiler was found")
                   << (wanted.empty() ? " in PATH; install g++ 12 or later, or set TEGULA_CXX"
                                      : (" at TEGULA_CXX=" + wanted + "; let it name g++ 12 or later").c_str());
    // Most of an emulated run is the engine, so that half of the optimiser is enough.
    t.flags = {"-std=c++20", emulated ? "-O1" : "-O3", "-DNDEBUG", "-fPIC", "-shared", "-w"};
    if (is_gnu(t.compiler))
        t.flags.push_back("-fno-gnu-unique");
    t.suffix = ".cpp";
    return t;
}

inline toolchain cuda_toolchain(const std::string& target)
{
    toolchain t;
    const std::string wanted = environment("TEGULA_NVCC"), home = environment("CUDA_HOME");
    t.compiler = wanted.empty()
                     ? first_program({home.empty() ? "" : home + "/bin/nvcc", "nvcc", "/usr/local/cuda/bin/nvcc"})
                     : find_program(wanted);
    if (t.compiler.empty())
        t.status = status(status_code::unsupported, "no CUDA compiler for ")
                   << target.c_str() << " was found; install CUDA 12.8 or later, or let TEGULA_NVCC name its nvcc";
    t.flags = {"-std=c++20", "-O3",   "-DNDEBUG", "-gencode", "arch=compute_" + target.substr(3) + ",code=" + target,
               "-Xcompiler", "-fPIC", "-shared",  "-w"};
    if (is_gnu(first_program({"g++"})))
        t.flags.insert(t.flags.end(), {"-Xcompiler", "-fno-gnu-unique"});
    t.suffix = ".cu";
    return t;
}

inline toolchain hip_toolchain(const std::string& target)
{
    toolchain t;
    const std::string wanted = environment("TEGULA_HIPCXX"), home = environment("ROCM_PATH");
    t.compiler = wanted.empty() ? first_program({home.empty() ? "" : home + "/llvm/bin/clang++",
                                                 "/opt/rocm/llvm/bin/clang++", "clang++-22", "clang++-19"})
                                : find_program(wanted);
    if (t.compiler.empty())
        t.status = status(status_code::unsupported, "no HIP compiler for ")
                   << target.c_str() << " was found; install ROCm, or let TEGULA_HIPCXX name its clang++";
    t.flags = {"-x", "hip", "-std=c++20", "-O3", "-DNDEBUG", "--offload-arch=" + target, "-fPIC", "-shared", "-w"};
    for (const std::string& flag : split_words(environment("TEGULA_HIPCXX_FLAGS")))
        t.flags.push_back(flag);
    t.suffix = ".hip";
    return t;
}

} // namespace detail

/// The compiler for a target. The environment may name one: TEGULA_CXX, TEGULA_NVCC, TEGULA_HIPCXX (with
/// TEGULA_HIPCXX_FLAGS, separated by blanks).
///
/// Errors: invalid_argument for an unknown target; unsupported if there is no compiler.
inline toolchain find_toolchain(runs_on device, const std::string& target)
{
    const chip_info* const chip = chip::find(target.c_str());
    toolchain t;
    if (chip == nullptr)
        t.status = status(status_code::invalid_argument, "no target is called \"")
                   << target.c_str() << "\"; see docs/targets.md, for example gfx942, sm_90a, x86_avx2";
    else if (device == runs_on::cpu || chip->vendor == vendor::x86) {
        if (chip->vendor != vendor::x86 || device != runs_on::cpu)
            t.status = status(status_code::invalid_argument, "kernels of ")
                       << target.c_str()
                       << (chip->vendor == vendor::x86 ? " run on the CPU itself" : " do not run on a CPU")
                       << "; take runs_on::" << (chip->vendor == vendor::x86 ? "cpu" : "emulator or runs_on::gpu");
        else
            return detail::host_toolchain(false);
    } else if (device == runs_on::emulator)
        return detail::host_toolchain(true);
    else
        return chip->vendor == vendor::nvidia ? detail::cuda_toolchain(target) : detail::hip_toolchain(target);
    return t;
}

} // namespace tegula::jit
