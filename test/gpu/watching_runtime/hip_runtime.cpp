/// A HIP runtime without an AMD GPU, in the place of AMD's library, for the GPU that TEGULA_GPU_NAME names (default
/// gfx942). A played_gpu has the memory and gets the launches. A call that it does not have does not link.

#include "test/gpu/watching_runtime/watching_runtime.hpp"

#include <hip/hip_runtime_api.h>

#include <cstdlib>
#include <cstring>

namespace {

/// Its streams and graphs are addresses.
char a_stream, a_graph, an_executable;

/// Names of the kernels in the machine code, by their functions on the host.
std::map<const void*, const char*>& names()
{
    static std::map<const void*, const char*> all;
    return all;
}

} // namespace

using namespace tegula::test;

extern "C" {

hipError_t hipGetDevice(int* device) { return *device = the_runtime().gpu, hipSuccess; }
hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int)
{
    *properties = {};
    const char* const name = std::getenv("TEGULA_GPU_NAME");
    const std::string full = std::string(name == nullptr ? "gfx942" : name) + ":sramecc+:xnack-";
    std::strncpy(properties->gcnArchName, full.c_str(), sizeof properties->gcnArchName - 1);
    properties->multiProcessorCount = 4;
    return hipSuccess;
}
hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t, int) { return *value = 4, hipSuccess; }
const char* hipGetErrorString(hipError_t error)
{
    return error == hipErrorIllegalAddress ? "an illegal memory access was encountered" : "an error";
}
hipError_t hipFuncSetAttribute(const void*, hipFuncAttribute, int) { return hipSuccess; }
hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, std::size_t)
{
    ++the_runtime().occupancies;
    return *blocks = 1, hipSuccess;
}

hipError_t hipMalloc(void** memory, std::size_t bytes)
{
    *memory = the_runtime().played->allocate(bytes);
    return hipSuccess;
}
hipError_t hipFree(void* memory)
{
    if (memory != nullptr)
        the_runtime().played->release(memory);
    return hipSuccess;
}
hipError_t hipMemcpy(void* to, const void* from, std::size_t bytes, hipMemcpyKind)
{
    return static_cast<hipError_t>(the_runtime().played->copy(to, from, bytes));
}
hipError_t hipMemcpyAsync(void* to, const void* from, std::size_t bytes, hipMemcpyKind kind, hipStream_t)
{
    return hipMemcpy(to, from, bytes, kind);
}

hipError_t hipStreamCreate(hipStream_t* stream)
{
    *stream = reinterpret_cast<hipStream_t>(&a_stream);
    return hipSuccess;
}
hipError_t hipStreamDestroy(hipStream_t) { return hipSuccess; }
hipError_t hipStreamSynchronize(hipStream_t) { return hipSuccess; }
hipError_t hipStreamBeginCapture(hipStream_t, hipStreamCaptureMode)
{
    the_runtime().capturing = true;
    the_runtime().played->begin_capture();
    return hipSuccess;
}
hipError_t hipStreamEndCapture(hipStream_t, hipGraph_t* graph)
{
    the_runtime().capturing = false;
    *graph = reinterpret_cast<hipGraph_t>(&a_graph);
    return hipSuccess;
}
hipError_t hipGraphInstantiate(hipGraphExec_t* executable, hipGraph_t, hipGraphNode_t*, char*, std::size_t)
{
    *executable = reinterpret_cast<hipGraphExec_t>(&an_executable);
    return hipSuccess;
}
hipError_t hipGraphLaunch(hipGraphExec_t, hipStream_t)
{
    ++the_runtime().replays;
    return static_cast<hipError_t>(the_runtime().played->replay());
}
hipError_t hipGraphExecDestroy(hipGraphExec_t) { return hipSuccess; }
hipError_t hipGraphDestroy(hipGraph_t) { return hipSuccess; }

hipError_t hipLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared_bytes,
                           hipStream_t)
{
    watching_runtime& runtime = the_runtime();
    ++(runtime.capturing ? runtime.captured_launches : runtime.launches);
    const auto three = [](const dim3& d) { return std::array{d.x, d.y, d.z}; };
    return static_cast<hipError_t>(runtime.played->start({nullptr,
                                                          names()[function],
                                                          three(grid),
                                                          three(block),
                                                          {1, 1, 1},
                                                          shared_bytes,
                                                          false,
                                                          runtime.capturing,
                                                          arguments}));
}

// Functions that clang's code calls before main, and for a launch.
void** __hipRegisterFatBinary(void*)
{
    static void* handle = nullptr;
    return &handle;
}
void __hipUnregisterFatBinary(void**) {}
void __hipRegisterFunction(void**, const void* function, char*, const char* name, unsigned, void*, void*, void*, void*,
                           int*)
{
    names()[function] = name;
}
hipError_t __hipPopCallConfiguration(dim3*, dim3*, std::size_t*, hipStream_t*) { return hipSuccess; }

} // extern "C"
