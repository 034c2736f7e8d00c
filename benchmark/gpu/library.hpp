#pragma once

// Kernels behind a C interface, for Python by ctypes: no data on the host, no copies, no dependency but a GPU's runtime.
//
//   const char* tegula_operations();       names, a line each
//   long tegula_workspace(name, sizes);    bytes; below 0: tegula_message() says why
//   int tegula_prepare(name, sizes, pointers, &handle);   0, or 1: tegula_message() says why
//   int tegula_start(handle, stream);      starts the operation and does not wait; may be captured
//   void tegula_release(handle);
//   const char* tegula_message();          of this thread's last call that failed
//
// Each operation's header says what `sizes` and `pointers` hold. Addresses are the GPU's.

#include <tegula/host/gpu_launch.hpp>

#include <functional>
#include <string>
#include <vector>

namespace gpu_library {

using tegula::index_t;
using tegula::long_index_t;

/// Starts what was prepared.
using starter = std::function<tegula::status(const tegula::gpu_device&)>;

struct operation
{
    std::string name;
    /// Bytes of workspace for these sizes.
    long (*workspace)(const long* sizes);
    tegula::status (*prepare)(const long* sizes, void* const* pointers, starter& start);
};

std::vector<operation>& operations();

/// The workspace of operations that need none.
inline long no_workspace(const long*) { return 0; }

inline bool add(operation o)
{
    operations().push_back(std::move(o));
    return true;
}

} // namespace gpu_library
