#pragma once

#include <tegula/core/status.hpp>

#include <cstddef>
#include <string>
#include <utility>

/// Device memory, time and kernel launches through the runtime of the compiler in use, CUDA's or HIP's. Other
/// compilers see nothing of it: what launches kernels is compiled by nvcc, or by clang as HIP.

#if TEGULA_GPU_COMPILER

#if defined(__HIP__)
#include <hip/hip_runtime.h>
#define TEGULA_RUNTIME_NAMESPACE hip_runtime
#define TEGULA_RUNTIME(name) hip##name
#define TEGULA_GRID_CONSTANT
#else
#include <cuda_runtime.h>
#define TEGULA_RUNTIME_NAMESPACE cuda_runtime
#define TEGULA_RUNTIME(name) cuda##name
#define TEGULA_GRID_CONSTANT __grid_constant__
#endif

namespace tegula {

// A program may contain both.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// The status of a call of the runtime; `what` says what was being done.
inline status check_runtime(TEGULA_RUNTIME(Error_t) error, const char* what)
{
    if (error == TEGULA_RUNTIME(Success))
        return {};
    const status_code code =
        error == TEGULA_RUNTIME(ErrorMemoryAllocation) ? status_code::out_of_memory : status_code::device_error;
    return status(code, what) << ": " << TEGULA_RUNTIME(GetErrorString)(error);
}

#if defined(__HIP__)
inline constexpr const char* runtime_name = "HIP";
using device_properties = hipDeviceProp_t;

/// The architecture of a GPU by the name it has here. gcnArchName is it and features: "gfx942:sramecc+:xnack-".
inline std::string arch_name(const device_properties& p)
{
    const std::string name = p.gcnArchName;
    return name.substr(0, name.find(':'));
}
#else
inline constexpr const char* runtime_name = "CUDA";
using device_properties = cudaDeviceProp;

/// The architecture of a GPU by the name it has here: code for sm_80 runs on every 8.x, code for sm_90a on 9.0 alone.
inline std::string arch_name(const device_properties& p)
{
    if (p.major == 8)
        return "sm_80";
    return p.major == 9 ? "sm_90a" : "sm_" + std::to_string(10 * p.major + p.minor);
}
#endif

/// Memory of the current GPU; its start is a multiple of 256 bytes.
class device_memory
{
public:
    device_memory() = default;
    device_memory(device_memory&& other) noexcept { swap(other); }
    device_memory& operator=(device_memory&& other) noexcept
    {
        swap(other);
        return *this;
    }
    ~device_memory() { static_cast<void>(TEGULA_RUNTIME(Free)(data_)); }

    /// Replaces what it has by `bytes` of memory; of 0 bytes, by none.
    status allocate(std::size_t bytes)
    {
        device_memory().swap(*this);
        if (bytes == 0)
            return {};
        return check_runtime(TEGULA_RUNTIME(Malloc)(&data_, bytes), "allocating device memory");
    }
    /// Allocates `bytes` and copies them from the host.
    status copy_from(const void* host, std::size_t bytes)
    {
        if (status s = allocate(bytes); !s || bytes == 0)
            return s;
        return check_runtime(TEGULA_RUNTIME(Memcpy)(data_, host, bytes, TEGULA_RUNTIME(MemcpyHostToDevice)),
                             "copying to the GPU");
    }
    /// Copies the first `bytes` to the host, when everything launched before is done.
    status copy_to(void* host, std::size_t bytes) const
    {
        if (bytes == 0)
            return {};
        return check_runtime(TEGULA_RUNTIME(Memcpy)(host, data_, bytes, TEGULA_RUNTIME(MemcpyDeviceToHost)),
                             "copying from the GPU");
    }

    void* data() const { return data_; }

private:
    void swap(device_memory& other) noexcept { std::swap(data_, other.data_); }

    void* data_ = nullptr;
};

/// Measures GPU time between two moments of the default stream.
class gpu_timer
{
public:
    gpu_timer()
    {
        for (auto& event : events_)
            static_cast<void>(TEGULA_RUNTIME(EventCreate)(&event));
    }
    gpu_timer(const gpu_timer&) = delete;
    gpu_timer& operator=(const gpu_timer&) = delete;
    ~gpu_timer()
    {
        for (auto& event : events_)
            static_cast<void>(TEGULA_RUNTIME(EventDestroy)(event));
    }

    void start() { static_cast<void>(TEGULA_RUNTIME(EventRecord)(events_[0], nullptr)); }
    /// Waits for what was launched since start(); how long it took.
    status stop(double& seconds)
    {
        float milliseconds = 0;
        static_cast<void>(TEGULA_RUNTIME(EventRecord)(events_[1], nullptr));
        if (status s = check_runtime(TEGULA_RUNTIME(EventSynchronize)(events_[1]), "running a kernel"); !s)
            return s;
        const auto error = TEGULA_RUNTIME(EventElapsedTime)(&milliseconds, events_[0], events_[1]);
        seconds = milliseconds * 1e-3;
        return check_runtime(error, "timing a kernel");
    }

private:
    TEGULA_RUNTIME(Event_t) events_[2] {};
};

/// The kernel on a GPU. Kernel{}(arguments) is what each thread runs. The arguments stay in constant memory, where
/// tensor maps must be.
template <class Kernel>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads)
    gpu_kernel(const TEGULA_GRID_CONSTANT typename Kernel::arguments args)
{
    if constexpr (Kernel::target::in_this_pass())
        Kernel{}(args);
}

/// Blocks of a cluster of the kernel, along x: Kernel::cluster_blocks where it says so. Only sm_90a has clusters.
template <class Kernel>
consteval int cluster_blocks_of()
{
    if constexpr (requires { Kernel::cluster_blocks; })
        return Kernel::cluster_blocks;
    else
        return 1;
}

namespace launching {

template <class Kernel>
TEGULA_RUNTIME(Error_t)
start_on_gpu(const typename Kernel::arguments& args, unsigned blocks)
{
#if !defined(__HIP__)
    if constexpr (cluster_blocks_of<Kernel>() > 1) {
        cudaLaunchAttribute cluster{};
        cluster.id = cudaLaunchAttributeClusterDimension;
        cluster.val.clusterDim = {cluster_blocks_of<Kernel>(), 1, 1};
        cudaLaunchConfig_t config{};
        config.gridDim = blocks;
        config.blockDim = Kernel::block_threads;
        config.dynamicSmemBytes = Kernel::shared_bytes;
        config.attrs = &cluster;
        config.numAttrs = 1;
        return cudaLaunchKernelEx(&config, &gpu_kernel<Kernel>, args);
    }
#endif
    gpu_kernel<Kernel><<<blocks, Kernel::block_threads, Kernel::shared_bytes>>>(args);
    return TEGULA_RUNTIME(GetLastError)();
}

} // namespace launching

/// Starts `blocks` blocks of the kernel on the current GPU's default stream; the arguments' addresses are the GPU's.
/// Does not wait. Nothing is started for 0 blocks. `blocks` is a whole number of the kernel's clusters.
template <class Kernel>
status launch_on_gpu(Kernel, const typename Kernel::arguments& args, long_index_t blocks)
{
    constexpr long_index_t most_threads = 0xffffffff; // HIP counts the threads of a grid in 32 bits
    if (blocks * Kernel::block_threads > most_threads)
        return status(status_code::unsupported, "the kernel takes ")
               << blocks << " blocks of " << Kernel::block_threads << " threads; the limit is " << most_threads
               << " threads, use a larger tile";
    if (blocks % cluster_blocks_of<Kernel>() != 0)
        return status(status_code::invalid_argument, "a grid of ")
               << blocks << " blocks is not a whole number of clusters of " << cluster_blocks_of<Kernel>()
               << "; round it up";
    if (blocks == 0)
        return {};
    const auto function = reinterpret_cast<const void*>(&gpu_kernel<Kernel>);
    const auto error = TEGULA_RUNTIME(FuncSetAttribute)(
        function, TEGULA_RUNTIME(FuncAttributeMaxDynamicSharedMemorySize), Kernel::shared_bytes);
    if (status s = check_runtime(error, "asking for shared memory"); !s)
        return s;
    return check_runtime(launching::start_on_gpu<Kernel>(args, static_cast<unsigned>(blocks)), "launching a kernel");
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula

#endif
