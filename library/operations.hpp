#pragma once

/// What the library has, by name: operations and kernels. Files with GPU code add to it before main begins.

#include <tegula/core/status.hpp>
#include <tegula/reference/registry.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace gpu_library {

using tegula::index_t;
using tegula::long_index_t;

/// Starts what was prepared in a stream of the runtime.
using starter = std::function<tegula::status(void* stream)>;

/// A problem of dense tensors. Its header says what `sizes` and `pointers` hold.
struct operation
{
    std::string name;
    /// Bytes of workspace for these sizes.
    long (*workspace)(const long* sizes);
    tegula::status (*prepare)(const long* sizes, void* const* pointers, starter& start);
};

/// The workspace of operations that need none.
inline long no_workspace(const long*) { return 0; }

inline bool add(operation o)
{
    tegula::registered<operation>().push_back(std::move(o));
    return true;
}

/// A member of a kernel's arguments.
struct member
{
    std::string name;
    const char* type;
    std::size_t at;            ///< bytes from the beginning
    std::string default_value; ///< in JSON; of a pointer 0
};

/// A kernel that follows kernel/protocol.hpp.
struct kernel
{
    std::string name;      ///< the type until add_kernel() gives one
    std::string type;      ///< in C++
    std::string arguments; ///< the type of its arguments in C++
    std::size_t bytes;     ///< of its arguments
    std::vector<member> (*members)();
    tegula::status (*prepare)(const void* arguments, starter& start);
};

} // namespace gpu_library
