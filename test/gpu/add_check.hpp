#pragma once

#include <tegula/host/gpu_launch.hpp>
#include <tegula/reference/registry.hpp>

#include "test/gpu/kernel_check.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// The elements of C in checks of inputs T.
template <class T>
using result_of =
    std::conditional_t<std::is_integral_v<T>, std::int32_t, std::conditional_t<sizeof(T) == 1, bfloat16, float>>;

/// Adds a check of a Kernel, or of another kernel of its target, to the program's list.
template <class Kernel>
bool add_check(const std::string& name, std::string (*run)(std::uint64_t))
{
    registered<kernel_check>().push_back({Kernel::target::chip().name, runtime_name, name, run});
    return true;
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
