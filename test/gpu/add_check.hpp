#pragma once

#include <tegula/host/gpu_launch.hpp>
#include <tegula/reference/registry.hpp>

#include "test/gpu/kernel_check.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// Adds a check of a Kernel, or of another kernel of its target, to the program's list.
template <class Kernel>
bool add_check(const std::string& name, std::string (*run)(std::uint64_t))
{
    registered<kernel_check>().push_back({Kernel::target::chip().name, runtime_name, name, run});
    return true;
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
