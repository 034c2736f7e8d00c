#pragma once

#include <tegula/host/gpu_launch.hpp>
#include <tegula/reference/registry.hpp>

#include "library/kernels.hpp"
#include "test/gpu/kernel_check.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

using gpu_library::add_kernel;
using gpu_library::add_kernels;
using gpu_library::library_device;

/// The elements of C in checks of inputs T.
template <class T>
using result_of =
    std::conditional_t<std::is_integral_v<T>, std::int32_t, std::conditional_t<sizeof(T) == 1, bfloat16, float>>;

/// Adds a check of kernels of a Target to the program's list.
template <class Target>
bool add_check(const std::string& name, std::string (*run)(std::uint64_t))
{
    registered<kernel_check>().push_back({Target::chip().name, runtime_name, name, run});
    return true;
}

/// Adds a check that launches a Kernel, which the library has by the check's name.
template <class Kernel>
bool add_check_of(const std::string& name, std::string (*run)(std::uint64_t))
{
    using target = typename Kernel::target;
    add_kernel<target, Kernel>(name);
    return add_check<target>(name, run);
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
