#pragma once

#include <tegula/emulator/counters.hpp>
#include <tegula/host/launch.hpp>

#include <cstddef>
#include <string>
#include <type_traits>

/// The interface between a compiled module and the program that loads it. Both are compiled with this header.

namespace tegula::jit {

/// Memory that an emulated kernel may touch.
struct memory_entry
{
    enum class access { reads, writes, workspace };
    const void* begin;
    std::size_t bytes;
    const char* name;
    access how;
};

/// One launch, as the program hands it to a module.
struct module_launch
{
    const void* const* arguments; ///< addresses of the values of operator()'s parameters
    const launch_config* config;
    void* stream; ///< a GPU's; null: the default stream
    // For the emulator:
    const memory_entry* memory;
    int memory_entries;
    bool checks;
    int order;
    emulator::counters* counters; ///< the launch's are added to these; may be null
    std::string* report;          ///< receives the report; may be null
};

struct module_interface
{
    /// A module with another version is not loaded.
    static constexpr int version = 3;
    int compiled_version;
    const char* target;     ///< name of the kernel's target
    const char* parameters; ///< codes of the parameters of operator() or launch(), separated by commas
    int block_threads;      ///< threads per block; 0: the kernel picks another one by the arguments
    status (*launch)(const module_launch&);
    status (*check)(const module_launch&);
    long_index_t (*blocks)(const module_launch&); ///< -1 if unknown before a launch
};

/// The name of the function that every module exports.
inline constexpr const char* module_function = "tegula_jit_module";

/// A parameter's type in words, equal in module and program: "pointer", "float32", "int64", "48 bytes".
template <class T>
std::string code_of()
{
    const std::string bits = std::to_string(8 * sizeof(T));
    if constexpr (std::is_pointer_v<T>)
        return "pointer";
    else if constexpr (std::is_same_v<T, bool>)
        return "bool";
    else if constexpr (std::is_floating_point_v<T>)
        return "float" + bits;
    else if constexpr (std::is_integral_v<T>)
        return (std::is_signed_v<T> ? "int" : "uint") + bits;
    else
        return std::to_string(sizeof(T)) + " bytes";
}

template <class... T>
std::string codes_of()
{
    std::string all;
    ((all += (all.empty() ? "" : ", ") + code_of<T>()), ...);
    return all;
}

} // namespace tegula::jit
