#pragma once

#include <tegula/host/gpu_runtime.hpp>
#include <tegula/host/launch.hpp>
#if defined(__HIP__)
#include <tegula/host/hip_clusters.hpp>
#endif

#include <array>
#include <atomic>
#include <mutex>

/// The current GPU as a device for launch(). Compiled by nvcc, or by clang as HIP.

#if TEGULA_GPU_COMPILER

namespace tegula {

inline namespace TEGULA_RUNTIME_NAMESPACE {

/// The current GPU and one of its streams. Launches are queued there and not waited for.
struct gpu_device
{
    using memory = device_memory;

    TEGULA_RUNTIME(Stream_t) stream = nullptr; ///< null: the default stream
    /// Kernels with `waits_for_previous` may start before the launch before them in the stream has ended; CUDA alone.
    bool overlaps_launches = false;
    /// Launches of attention copy offsets, lengths, page tables and block lists to the host and check them first. This
    /// waits for the stream: it is slow, and not allowed in a capture.
    bool checks_arrays = false;

    /// Copies bytes of the GPU to the host after everything in the stream, and waits for them.
    status copy_to_host(void* host, const void* data, std::size_t bytes) const
    {
        const auto error = TEGULA_RUNTIME(MemcpyAsync)(host, data, bytes, TEGULA_RUNTIME(MemcpyDeviceToHost), stream);
        const status s = check_runtime(error, "copying from the GPU");
        return s ? check_runtime(TEGULA_RUNTIME(StreamSynchronize)(stream), "waiting for the GPU") : s;
    }

    // emulated_device records these; a GPU does not.
    status refuse(const status& why) const { return why; }
    template <class Add, class Launch>
    status with_memory(const Add&, const Launch& launch) const
    {
        return launch();
    }
};

/// The kernel on a GPU: Kernel{}(arguments...) in each thread. The arguments stay in constant memory, where tensor maps
/// must be. The host's pass needs the function's name alone: without its body that pass takes a quarter less time.
template <class Kernel, class... Arguments>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads, blocks_together<Kernel>)
    gpu_kernel(const TEGULA_GRID_CONSTANT Arguments... arguments)
{
#if TEGULA_DEVICE_PASS
    run_kernel<typename Kernel::target>(Kernel{}, arguments...);
#endif
}

/// The kernel on a GPU for a kernel with members.
template <class Kernel, class... Arguments>
__global__ void TEGULA_LAUNCH_BOUNDS(Kernel::block_threads, blocks_together<Kernel>)
    gpu_kernel_object(const TEGULA_GRID_CONSTANT Kernel kernel, const TEGULA_GRID_CONSTANT Arguments... arguments)
{
#if TEGULA_DEVICE_PASS
    run_kernel<typename Kernel::target>(kernel, arguments...);
#endif
}

namespace launching {

/// The __global__ function that runs a kernel.
template <class Kernel, class... Arguments>
const void* function_of()
{
    if constexpr (std::is_empty_v<Kernel>)
        return reinterpret_cast<const void*>(&gpu_kernel<Kernel, Arguments...>);
    else
        return reinterpret_cast<const void*>(&gpu_kernel_object<Kernel, Arguments...>);
}

/// The shared memory that blocks of a function may have on each GPU. With nvcc 13 a kernel has its own host function
/// in each file that launches it. Inlining decides which one a launch names: a launch prepares the function it starts.
class prepared_functions
{
public:
    bool knows(const void* function, int gpu, long shared_bytes) const
    {
        if (gpu >= most_gpus)
            return false;
        for (const entry& e : entries_)
            if (e.function.load() == function)
                return shared_bytes < e.bytes_and_one[static_cast<std::size_t>(gpu)].load();
        return false;
    }
    /// Under the mutex.
    void add(const void* function, int gpu, long shared_bytes)
    {
        if (gpu >= most_gpus)
            return;
        for (entry& e : entries_)
            if (e.function.load() == function || e.function.load() == nullptr) {
                e.bytes_and_one[static_cast<std::size_t>(gpu)].store(shared_bytes + 1);
                e.function.store(function);
                return;
            }
    }
    std::mutex& mutex() { return mutex_; }

private:
    // GPUs and functions past these numbers are prepared before every launch.
    static constexpr int most_gpus = 16;
    static constexpr int most_functions = 4;
    struct entry
    {
        std::atomic<const void*> function{nullptr};
        std::array<std::atomic<long>, most_gpus> bytes_and_one{};
    };
    std::array<entry, most_functions> entries_{};
    std::mutex mutex_;
};

/// A number of each GPU that does not change while the program runs. The runtime is asked for it once.
class known_numbers
{
public:
    /// The current GPU's; `ask(gpu, number)` sets it to one above 0. Errors: those of `ask` and of the runtime.
    template <class Ask>
    status find(int& number, const Ask& ask)
    {
        int gpu = 0;
        if (status s = check_runtime(TEGULA_RUNTIME(GetDevice)(&gpu), "asking for the current GPU"); !s)
            return s;
        const bool is_kept = gpu < most_gpus;
        number = is_kept ? numbers_[static_cast<std::size_t>(gpu)].load() : 0;
        if (number > 0)
            return {};
        if (status s = ask(gpu, number); !s)
            return s;
        if (is_kept)
            numbers_[static_cast<std::size_t>(gpu)].store(number);
        return {};
    }

private:
    static constexpr int most_gpus = 16;
    std::array<std::atomic<int>, most_gpus> numbers_{};
};

inline status find_multiprocessors_of(int gpu, int& multiprocessors)
{
#if defined(__HIP__)
    constexpr auto attribute = hipDeviceAttributeMultiprocessorCount;
#else
    constexpr auto attribute = cudaDevAttrMultiProcessorCount;
#endif
    return check_runtime(TEGULA_RUNTIME(DeviceGetAttribute)(&multiprocessors, attribute, gpu),
                         "asking for the number of multiprocessors");
}

/// Runs once for a function of the kernel and a GPU: compares architectures and lets blocks have the shared memory. A
/// later NVIDIA GPU may have less of it than the kernel's target: 99 KiB on sm_86, 163 KiB on sm_80.
template <class Kernel>
status prepare(const void* function, long shared_bytes, const char* name = "kernel")
{
    static prepared_functions prepared;
    int number = 0;
    if (status s = check_runtime(TEGULA_RUNTIME(GetDevice)(&number), "asking for the current GPU"); !s)
        return s;
    if (prepared.knows(function, number, shared_bytes))
        return {};
    const std::lock_guard lock(prepared.mutex());
    if (prepared.knows(function, number, shared_bytes))
        return {};
    device_properties properties;
    if (status s = find_current_gpu(number, properties); !s)
        return s;
    const std::string device = device_architecture(properties);
    if (status s = check_architecture(Kernel::target::chip().name, device.c_str()); !s)
        return s;
#if !defined(__HIP__)
    if (status s = detail::check_shared_memory(name, device.c_str(), shared_bytes,
                                               static_cast<long>(properties.sharedMemPerBlockOptin));
        !s)
        return s;
#endif
    const auto error = TEGULA_RUNTIME(FuncSetAttribute)(
        function, TEGULA_RUNTIME(FuncAttributeMaxDynamicSharedMemorySize), static_cast<int>(shared_bytes));
    if (status s = check_runtime(error, "asking for shared memory"); !s)
        return s << " (" << device.c_str() << "; the program must be compiled for it)";
    prepared.add(function, number, shared_bytes);
    return {};
}

#if !defined(__HIP__)
/// CUDA's configuration of a launch. `attributes` are filled in and pointed to if there are clusters, or if the kernel
/// may start before the launch before it has ended.
inline cudaLaunchConfig_t runtime_config(const launch_config& config, const launch_config::extent& cluster,
                                         bool overlaps_previous, int block_threads, long shared_bytes,
                                         cudaStream_t stream, std::array<cudaLaunchAttribute, 2>& attributes)
{
    const auto dim = [](const launch_config::extent& e) {
        return dim3(static_cast<unsigned>(e.x), static_cast<unsigned>(e.y), static_cast<unsigned>(e.z));
    };
    cudaLaunchConfig_t c{};
    c.gridDim = dim(config.grid);
    c.blockDim = dim3(static_cast<unsigned>(block_threads));
    c.dynamicSmemBytes = static_cast<std::size_t>(shared_bytes);
    c.stream = stream;
    c.attrs = attributes.data();
    if (cluster.volume() > 1) {
        cudaLaunchAttribute& attribute = attributes[c.numAttrs++];
        attribute.id = cudaLaunchAttributeClusterDimension;
        const dim3 members = dim(cluster);
        attribute.val.clusterDim = {members.x, members.y, members.z};
    }
    if (overlaps_previous) {
        cudaLaunchAttribute& attribute = attributes[c.numAttrs++];
        attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
        attribute.val.programmaticStreamSerializationAllowed = 1;
    }
    return c;
}
#endif

} // namespace launching

/// Starts kernel(arguments...) on the current GPU, on the device's stream, and does not wait; addresses are the GPU's.
/// Nothing is started for a grid of 0 blocks. The kernel and the arguments are copied. May be captured in a graph: no
/// call here waits or allocates.
///
/// The first launch of a kernel on a GPU compares its architecture with the kernel's.
///
/// Errors: those of check_launch, check_architecture and of the runtime. A later call of the runtime reports a failure
/// on the GPU.
template <class Kernel, class... Arguments>
status launch(const gpu_device& device, const launch_config& config, const Kernel& kernel,
              const Arguments&... arguments)
{
    static_assert(detail::check_kernel<Kernel, Arguments...>());
    static_assert((std::is_trivially_copyable_v<Kernel> && ... && std::is_trivially_copyable_v<Arguments>),
                  "tegula: a kernel and its arguments are copied to the GPU byte by byte; hold pointers and numbers "
                  "instead of objects that own memory");
    if (status s = check_launch<Kernel>(config); !s || config.grid.volume() == 0)
        return s;
    const long shared_bytes = detail::shared_bytes_of<Kernel>(config);
    const void* const function = launching::function_of<Kernel, Arguments...>();
    if (status s = launching::prepare<Kernel>(function, shared_bytes, config.name); !s)
        return s;
    const void* const objects[] = {&kernel, &arguments...};
    auto* const parameters = const_cast<void**>(objects + (std::is_empty_v<Kernel> ? 1 : 0));
#if defined(__HIP__)
    if (const auto cluster = detail::cluster_of<Kernel>(config); cluster.volume() > 1) {
        hip_clusters::launch_function start = nullptr;
        if (status s = hip_clusters::find_launch(start); !s)
            return s;
        return check_runtime(
            static_cast<hipError_t>(hip_clusters::start(start, function, config.grid, cluster, Kernel::block_threads,
                                                        shared_bytes, device.stream, parameters)),
            "launching a kernel in clusters");
    }
    const auto dim = [](long_index_t x, long_index_t y, long_index_t z) {
        return dim3(static_cast<unsigned>(x), static_cast<unsigned>(y), static_cast<unsigned>(z));
    };
    const auto error =
        hipLaunchKernel(function, dim(config.grid.x, config.grid.y, config.grid.z), dim(Kernel::block_threads, 1, 1),
                        parameters, static_cast<std::size_t>(shared_bytes), device.stream);
#else
    std::array<cudaLaunchAttribute, 2> attributes{};
    const cudaLaunchConfig_t runtime = launching::runtime_config(
        config, detail::cluster_of<Kernel>(config), device.overlaps_launches && detail::waits_for_previous<Kernel>(),
        Kernel::block_threads, shared_bytes, device.stream, attributes);
    const auto error = cudaLaunchKernelExC(&runtime, function, parameters);
#endif
    return check_runtime(error, "launching a kernel");
}

/// Waits for everything in the device's stream.
///
/// Errors: those of the work in the stream.
inline status wait_for(const gpu_device& device)
{
    return check_runtime(TEGULA_RUNTIME(StreamSynchronize)(device.stream), "running a kernel");
}

/// Blocks of the kernel that the current GPU runs at a time. The runtime is asked once for a GPU.
template <launchable Kernel>
status find_resident_blocks(const gpu_device&, int& blocks)
{
    static launching::known_numbers known;
    return known.find(blocks, [](int gpu, int& found) -> status {
        int on_each = 0;
        if (status s = launching::find_multiprocessors_of(gpu, found); !s)
            return s;
        const void* const function = launching::function_of<Kernel, typename Kernel::arguments>();
        if (status s = launching::prepare<Kernel>(function, Kernel::shared_bytes); !s)
            return s;
        if (status s = check_runtime(TEGULA_RUNTIME(OccupancyMaxActiveBlocksPerMultiprocessor)(
                                         &on_each, function, Kernel::block_threads, Kernel::shared_bytes),
                                     "asking how many blocks run at a time");
            !s)
            return s;
        found *= on_each > 0 ? on_each : 1;
        return {};
    });
}

namespace launching {

/// find_multiprocessors(), asked of the runtime.
template <class Kernel>
status count_multiprocessors(const gpu_device& device, int gpu, int& multiprocessors)
{
    if (status s = find_multiprocessors_of(gpu, multiprocessors); !s)
        return s;
#if !defined(__HIP__)
    const launch_config::extent cluster = detail::cluster_of<Kernel>({});
    if (cluster.volume() > 1) {
        // Multiprocessors come in groups of unequal size; clusters may leave some idle.
        using arguments = typename Kernel::arguments;
        const void* const function = function_of<Kernel, arguments>();
        if (status s = prepare<Kernel>(function, Kernel::shared_bytes); !s)
            return s;
        launch_config config;
        config.grid.x = multiprocessors / cluster.x * cluster.x;
        std::array<cudaLaunchAttribute, 2> attributes{};
        const cudaLaunchConfig_t runtime = runtime_config(config, cluster, false, Kernel::block_threads,
                                                          Kernel::shared_bytes, device.stream, attributes);
        int clusters = 0;
        if (status s = check_runtime(cudaOccupancyMaxActiveClusters(&clusters, function, &runtime),
                                     "asking how many clusters run at a time");
            !s)
            return s;
        if (clusters > 0)
            multiprocessors = clusters * static_cast<int>(cluster.volume());
    }
#endif
    return {};
}

} // namespace launching

/// Multiprocessors (AMD: compute units) of the current GPU, as many as clusters of the kernel fill at a time. The
/// runtime is asked once for a GPU.
template <launchable Kernel>
status find_multiprocessors(const gpu_device& device, int& multiprocessors)
{
    static launching::known_numbers known;
    return known.find(multiprocessors, [&](int gpu, int& found) {
        return launching::count_multiprocessors<Kernel>(device, gpu, found);
    });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula

#else

namespace tegula {

struct gpu_device
{
    void* stream = nullptr;
};

template <class Kernel, class... Arguments>
status launch(const gpu_device&, const launch_config&, const Kernel&, const Arguments&...)
{
    static_assert(sizeof(Kernel) == 0,
                  "tegula: this file is compiled by a C++ compiler, which makes no code for a gpu_device; name it .cu "
                  "and compile it with nvcc, or with clang as HIP (docs/using.md says how with CMake)");
    return {};
}

} // namespace tegula

#endif
