#pragma once

#include <tegula/host/launch.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace tegula::test {

/// A kernel that is built into the program, for GPUs of one architecture.
struct kernel_check
{
    std::string arch;    ///< "gfx942"
    std::string runtime; ///< "CUDA"
    std::string name;
    /// Launches it for several products and compares all of each; what is wrong, or empty. `seed` chooses the data.
    std::string (*run)(std::uint64_t seed);
};

/// A runtime that was linked. It names the machine's GPU as check_architecture takes it, or gives the reason why there is
/// none.
struct runtime_check
{
    std::string name;
    std::string (*arch)(std::string& why_none);
};

/// Whether a kernel of that architecture, which is compiled for nothing else, runs on the GPU: NVIDIA's machine code runs
/// on later versions of the same major number.
inline bool runs_on(const std::string& arch, const std::string& gpu)
{
    const auto k = tegula::detail::read_nvidia_architecture(arch.c_str());
    const auto g = tegula::detail::read_nvidia_architecture(gpu.c_str());
    return check_architecture(arch.c_str(), gpu.c_str()).ok() && k.number / 10 == g.number / 10;
}

/// Whether large problems take no time: not where something plays the GPU (on_gpu.sh).
inline bool gpu_is_fast() { return std::getenv("TEGULA_GPU_IS_EMULATED") == nullptr; }

} // namespace tegula::test
