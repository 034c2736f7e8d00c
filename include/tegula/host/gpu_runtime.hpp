#pragma once

#include <tegula/core/status.hpp>

#include <cstddef>
#include <string>
#include <utility>

/// Device memory and time through the runtime of the compiler in use, CUDA's or HIP's. Other compilers see nothing of
/// it: nvcc, or clang as HIP, compiles code that launches kernels. gpu_launch.hpp has the launches.

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

/// The status of a call of the runtime; `what` names the action.
inline status check_runtime(TEGULA_RUNTIME(Error_t) error, const char* what)
{
    if (error == TEGULA_RUNTIME(Success))
        return {};
    const status_code code =
        error == TEGULA_RUNTIME(ErrorMemoryAllocation) ? status_code::out_of_memory : status_code::device_error;
    return status(code, what) << ": " << TEGULA_RUNTIME(GetErrorString)(error);
}

#if defined(__HIP__) && defined(HIP_API_PER_THREAD_DEFAULT_STREAM)
// With a default stream for each thread, a macro renames hipEventRecord to a function that the library of HIP 5.2
// lacks. The plain one takes that stream by name.
extern "C" hipError_t plain_event_record(hipEvent_t event, hipStream_t stream) __asm__("hipEventRecord");
#endif
/// Records an event in a stream.
inline TEGULA_RUNTIME(Error_t) record_event(TEGULA_RUNTIME(Event_t) event, TEGULA_RUNTIME(Stream_t) stream)
{
#if defined(__HIP__) && defined(HIP_API_PER_THREAD_DEFAULT_STREAM)
    return plain_event_record(event, stream == nullptr ? hipStreamPerThread : stream);
#else
    return TEGULA_RUNTIME(EventRecord)(event, stream);
#endif
}

#if defined(__HIP__)
inline constexpr const char* runtime_name = "HIP";
using device_properties = hipDeviceProp_t;

/// This library's name of a GPU's architecture. gcnArchName adds features: "gfx942:sramecc+:xnack-".
inline std::string arch_name(const device_properties& p)
{
    const std::string name = p.gcnArchName;
    return name.substr(0, name.find(':'));
}
/// The architecture as check_architecture takes it.
inline std::string device_architecture(const device_properties& p) { return p.gcnArchName; }
#else
inline constexpr const char* runtime_name = "CUDA";
using device_properties = cudaDeviceProp;

/// This library's name of a GPU's architecture. Code for sm_80 runs on every 8.x, code for sm_90a on 9.0 alone, code
/// for sm_100a on 10.0 alone, and code for sm_120a on 12.0 alone.
inline std::string arch_name(const device_properties& p)
{
    if (p.major == 8)
        return "sm_80";
    const std::string number = "sm_" + std::to_string(10 * p.major + p.minor);
    const bool exact = p.major == 9 || p.major == 10 || (p.major == 12 && p.minor == 0);
    return exact ? number + "a" : number;
}
/// The architecture as check_architecture takes it: with the minor number.
inline std::string device_architecture(const device_properties& p)
{
    return "sm_" + std::to_string(10 * p.major + p.minor);
}
#endif

/// The current GPU's number and properties.
inline status find_current_gpu(int& number, device_properties& properties)
{
    if (status s = check_runtime(TEGULA_RUNTIME(GetDevice)(&number), "asking for the current GPU"); !s)
        return s;
    return check_runtime(TEGULA_RUNTIME(GetDeviceProperties)(&properties, number), "asking for the GPU's properties");
}

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

    /// Frees its memory and allocates `bytes`, or nothing if they are 0.
    status allocate(std::size_t bytes)
    {
        device_memory().swap(*this);
        if (bytes == 0)
            return {};
        return check_runtime(TEGULA_RUNTIME(Malloc)(&data_, bytes), "allocating device memory");
    }
    /// Allocates `bytes` and copies them from the host. They are there when it returns, for kernels of any stream.
    status copy_from(const void* host, std::size_t bytes)
    {
        if (status s = allocate(bytes); !s || bytes == 0)
            return s;
        const auto error = TEGULA_RUNTIME(Memcpy)(data_, host, bytes, TEGULA_RUNTIME(MemcpyHostToDevice));
        if (status s = check_runtime(error, "copying to the GPU"); !s)
            return s;
        // The copy of pageable memory may still be in flight; streams that do not block would overtake it.
        return check_runtime(TEGULA_RUNTIME(StreamSynchronize)(nullptr), "copying to the GPU");
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

/// Measures GPU time between two moments of a stream.
class gpu_timer
{
public:
    explicit gpu_timer(TEGULA_RUNTIME(Stream_t) stream = nullptr) : stream_(stream)
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

    void start() { static_cast<void>(record_event(events_[0], stream_)); }
    /// Waits for the launches since start(); `seconds` becomes their time.
    status stop(double& seconds)
    {
        float milliseconds = 0;
        static_cast<void>(record_event(events_[1], stream_));
        if (status s = check_runtime(TEGULA_RUNTIME(EventSynchronize)(events_[1]), "running a kernel"); !s)
            return s;
        const auto error = TEGULA_RUNTIME(EventElapsedTime)(&milliseconds, events_[0], events_[1]);
        seconds = milliseconds * 1e-3;
        return check_runtime(error, "timing a kernel");
    }

private:
    TEGULA_RUNTIME(Stream_t) stream_;
    TEGULA_RUNTIME(Event_t) events_[2] {};
};

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula

#endif
