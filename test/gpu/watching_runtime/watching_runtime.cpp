#include "test/gpu/watching_runtime/watching_runtime.hpp"

#include <cuda.h>
#include <cuda_runtime_api.h>

// "Prohibited and Unhandled Operations" and "Cross-stream Dependencies" of the CUDA programming guide, section Stream
// capture; cudaStreamCaptureModeGlobal in the reference of the runtime: what may synchronise or allocate is refused from
// any thread, and so is the legacy stream.

namespace tegula::test {

namespace {

/// A thread has the GPU's context when a call of the runtime has made it current. The driver's functions do not.
thread_local bool has_context = false;

/// Its streams and graphs are addresses.
char a_stream, a_graph, an_executable;

/// The answer to a call that CUDA forbids in a capture.
cudaError_t refuse_in_capture(const char* call)
{
    if (!the_runtime().capturing)
        return cudaSuccess;
    the_runtime().refused.emplace_back(call);
    return cudaErrorStreamCaptureUnsupported;
}

/// Shared memory that cudaFuncSetAttribute allowed each function. The program has one map, as CUDA has, whatever the
/// runtime is set to in between.
std::map<const void*, std::size_t>& allowed_shared_bytes()
{
    static std::map<const void*, std::size_t> bytes;
    return bytes;
}

/// A kernel in the machine code.
struct device_function
{
    const void* module;
    const char* name;
};

/// Kernels by their functions on the host.
std::map<const void*, device_function>& device_functions()
{
    static std::map<const void*, device_function> all;
    return all;
}

/// A launch of more dynamic shared memory than every function may have, and than this one is allowed.
bool is_past_shared_memory(const void* function, std::size_t bytes)
{
    const auto allowed = allowed_shared_bytes().find(function);
    return bytes > 48 << 10 && (allowed == allowed_shared_bytes().end() || bytes > allowed->second);
}

cudaError_t note_launch(cudaStream_t stream, std::size_t shared_bytes)
{
    watching_runtime& runtime = the_runtime();
    has_context = true;
    runtime.overtaken_copies += runtime.copies && stream != nullptr;
    runtime.shared_bytes.push_back(shared_bytes);
    if (runtime.capturing && stream != reinterpret_cast<cudaStream_t>(&a_stream))
        return refuse_in_capture("a launch on another stream");
    ++(runtime.capturing ? runtime.captured_launches : runtime.launches);
    return cudaSuccess;
}

/// The driver's encoder of tensor maps.
CUresult encode_tensor_map(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* base,
                           const cuuint64_t* lengths, const cuuint64_t* strides, const cuuint32_t* box,
                           const cuuint32_t* element_strides, CUtensorMapInterleave interleave,
                           CUtensorMapSwizzle swizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill fill)
{
    if (!has_context)
        return CUDA_ERROR_INVALID_CONTEXT;
    ++the_runtime().encoded_maps;
    *map = {};
    return static_cast<CUresult>(
        the_runtime().played->encode(map->opaque, {type, static_cast<int>(rank), interleave, swizzle, fill, base,
                                                   lengths, strides, box, element_strides}));
}

} // namespace
} // namespace tegula::test

using namespace tegula::test;

extern "C" {

cudaError_t cudaGetDevice(int* device) { return *device = the_runtime().gpu, cudaSuccess; }
cudaError_t cudaSetDevice(int)
{
    has_context = true;
    return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int)
{
    *properties = {};
    properties->major = the_runtime().major;
    properties->minor = the_runtime().minor;
    properties->multiProcessorCount = 4;
    properties->sharedMemPerBlockOptin = 227 << 10;
    return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int)
{
    *value = attribute == cudaDevAttrComputeCapabilityMajor ? the_runtime().major : 4;
    return cudaSuccess;
}
const char* cudaGetErrorString(cudaError_t error)
{
    if (const char* const told = the_runtime().played->describe(error); told != nullptr)
        return told;
    return error == cudaErrorStreamCaptureUnsupported ? "not permitted when stream is capturing"
           : error == cudaErrorIllegalAddress         ? "an illegal memory access was encountered"
                                                      : "an error";
}
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value)
{
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        the_runtime().attributes[function].push_back(value);
        allowed_shared_bytes()[function] = static_cast<std::size_t>(value);
    }
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void*, const cudaLaunchConfig_t*)
{
    ++the_runtime().occupancies;
    return *clusters = 2, cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, std::size_t)
{
    ++the_runtime().occupancies;
    return *blocks = 1, cudaSuccess;
}

cudaError_t cudaMalloc(void** memory, std::size_t bytes)
{
    has_context = true;
    *memory = the_runtime().played->allocate(bytes);
    return refuse_in_capture("cudaMalloc");
}
cudaError_t cudaFree(void* memory)
{
    if (memory != nullptr)
        the_runtime().played->release(memory);
    return memory == nullptr ? cudaSuccess : refuse_in_capture("cudaFree");
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind)
{
    the_runtime().copies = kind == cudaMemcpyHostToDevice;
    const int error = the_runtime().played->copy(to, from, bytes);
    return error != cudaSuccess ? static_cast<cudaError_t>(error) : refuse_in_capture("cudaMemcpy");
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t)
{
    return static_cast<cudaError_t>(the_runtime().played->copy(to, from, bytes));
}

cudaError_t cudaStreamCreate(cudaStream_t* stream)
{
    *stream = reinterpret_cast<cudaStream_t>(&a_stream);
    return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return refuse_in_capture("cudaStreamDestroy"); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    if (stream == nullptr)
        the_runtime().copies = false;
    return refuse_in_capture("cudaStreamSynchronize");
}
cudaError_t cudaDeviceSynchronize() { return refuse_in_capture("cudaDeviceSynchronize"); }
cudaError_t cudaStreamBeginCapture(cudaStream_t, cudaStreamCaptureMode)
{
    the_runtime().capturing = true;
    the_runtime().played->begin_capture();
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph)
{
    watching_runtime& runtime = the_runtime();
    runtime.capturing = false;
    *graph = reinterpret_cast<cudaGraph_t>(&a_graph);
    return runtime.refused.empty() ? cudaSuccess : cudaErrorStreamCaptureInvalidated;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t, unsigned long long)
{
    *executable = reinterpret_cast<cudaGraphExec_t>(&an_executable);
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t)
{
    ++the_runtime().replays;
    return static_cast<cudaError_t>(the_runtime().played->replay());
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t) { return cudaSuccess; }
cudaError_t cudaGraphDestroy(cudaGraph_t) { return cudaSuccess; }

cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t shared_bytes, cudaStream_t stream)
{
    return note_launch(stream, shared_bytes);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments)
{
    if (is_past_shared_memory(function, config->dynamicSmemBytes))
        return cudaErrorInvalidValue;
    watching_runtime& runtime = the_runtime();
    const auto three = [](const dim3& d) { return std::array{d.x, d.y, d.z}; };
    const device_function& kernel = device_functions()[function];
    asked_launch asked{kernel.module,
                       kernel.name,
                       three(config->gridDim),
                       three(config->blockDim),
                       {1, 1, 1},
                       config->dynamicSmemBytes,
                       false,
                       runtime.capturing,
                       arguments};
    for (unsigned i = 0; i < config->numAttrs; ++i) {
        const cudaLaunchAttribute& attribute = config->attrs[i];
        if (attribute.id == cudaLaunchAttributeProgrammaticStreamSerialization)
            asked.overlaps = attribute.val.programmaticStreamSerializationAllowed == 1;
        if (attribute.id == cudaLaunchAttributeClusterDimension)
            asked.cluster = {attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z};
    }
    runtime.overlapping_launches += asked.overlaps;
    runtime.clustered_launches += asked.cluster[0] == 2;
    const cudaError_t error = note_launch(config->stream, config->dynamicSmemBytes);
    return error == cudaSuccess ? static_cast<cudaError_t>(runtime.played->start(asked)) : error;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char*, void** function, unsigned, unsigned long long,
                                             cudaDriverEntryPointQueryResult* result)
{
    ++the_runtime().looked_up;
    *function = reinterpret_cast<void*>(&encode_tensor_map);
    if (result != nullptr)
        *result = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

// Functions that nvcc's code calls before main.
void** __cudaRegisterFatBinary(void* module) { return static_cast<void**>(module); }
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void** module, const char* function, char*, const char* name, int, uint3*, uint3*, dim3*,
                            dim3*, int*)
{
    device_functions()[function] = {module, name};
}
char __cudaInitModule(void**) { return 1; }
unsigned __cudaPushCallConfiguration(dim3, dim3, std::size_t, void*) { return 0; }
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*) { return cudaSuccess; }
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*) { return cudaSuccess; }
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t shared_bytes, cudaStream_t stream)
{
    return note_launch(stream, shared_bytes);
}

} // extern "C"
