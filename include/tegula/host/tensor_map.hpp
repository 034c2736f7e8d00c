#pragma once

#include <tegula/chip/tensor_map.hpp>
#include <tegula/emulator/tensor_box.hpp>
#include <tegula/host/gpu_launch.hpp>

#if defined(__CUDACC__)
#include <cudaTypedefs.h>

#include <atomic>
#endif

/// Tensor maps for kernels: for the emulator, and for the GPU by the driver's encoder, which is found at run time, so
/// that nothing links to the driver.

namespace tegula {

/// The map for kernels on the emulator; addresses are the host's. Errors: those of check_tensor_address().
inline status make_emulated_tensor_map(tensor_map& map, const tensor_map_parameters& parameters)
{
    if (status s = check_tensor_address(parameters); !s)
        return s;
    map = emulator::describe_tensor_map(parameters);
    return {};
}

#if defined(__CUDACC__)

namespace detail {

static_assert(sizeof(tensor_map) == sizeof(CUtensorMap) && alignof(tensor_map) >= alignof(CUtensorMap));
static_assert(static_cast<int>(tensor_element::u8) == CU_TENSOR_MAP_DATA_TYPE_UINT8 &&
              static_cast<int>(tensor_element::f16) == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 &&
              static_cast<int>(tensor_element::bf16) == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 &&
              static_cast<int>(tensor_element::tf32_ftz) == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ);
#if CUDA_VERSION >= 12080
static_assert(static_cast<int>(tensor_element::u4_align16) == CU_TENSOR_MAP_DATA_TYPE_16U4_ALIGN16B &&
              static_cast<int>(tensor_element::u6_align16) == CU_TENSOR_MAP_DATA_TYPE_16U6_ALIGN16B);
#endif
static_assert(static_cast<int>(swizzle_mode::bytes_128) == CU_TENSOR_MAP_SWIZZLE_128B);
static_assert(static_cast<int>(l2_promotion::bytes_256) == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);

/// The encoder of a driver for CUDA 12.0 or newer; looked up once.
inline status find_tensor_map_encoder(PFN_cuTensorMapEncodeTiled_v12000& encoder)
{
    static std::atomic<PFN_cuTensorMapEncodeTiled_v12000> known{nullptr};
    encoder = known.load();
    if (encoder != nullptr)
        return {};
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    const cudaError_t error =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault, &result);
    if (status s = check_runtime(error, "looking for the encoder of tensor maps"); !s)
        return s;
    if (result != cudaDriverEntryPointSuccess || found == nullptr)
        return status(status_code::unsupported, "the CUDA driver has no encoder of tensor maps; install a "
                                                "driver for CUDA 12.0 or newer");
    encoder = reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(found);
    known.store(encoder);
    return {};
}

/// The maps that a thread encoded last. A map depends on its parameters and the GPU alone.
class encoded_tensor_maps
{
public:
    static constexpr int count = 16;

    /// nullptr if the map is not among them.
    const tensor_map* find(int gpu, const tensor_map_parameters& parameters) const
    {
        for (const entry& e : entries_)
            if (e.gpu == gpu && e.parameters == parameters)
                return &e.map;
        return nullptr;
    }
    void add(int gpu, const tensor_map_parameters& parameters, const tensor_map& map)
    {
        entries_[next_] = {gpu, parameters, map};
        next_ = (next_ + 1) % count;
    }

private:
    struct entry
    {
        int gpu = -1;
        tensor_map_parameters parameters;
        tensor_map map;
    };
    entry entries_[count];
    int next_ = 0; ///< index of the oldest
};

/// Whether a tensor spans less than 128 KB. Drivers up to 595.71.05 may give Blackwell GPUs a wrong map of it if its
/// allocation, which nobody names here, is no larger and they take the tensor for one with gaps ("Known Issues" in the
/// release notes of that driver).
constexpr bool may_get_wrong_map(const tensor_map_parameters& p)
{
    std::uint64_t span = p.lengths[0] * static_cast<std::uint64_t>(bytes_of(p.type) * slot_bytes(p.type)) / 16;
    for (int i = 1; i < p.rank; ++i)
        span += (p.lengths[i] - 1) * p.strides_bytes[i];
    return span < 128 << 10;
}

/// The compute capability's first number of the current GPU, which the runtime is asked once.
inline status find_major_version(int& major)
{
    static launching::known_numbers known;
    return known.find(major, [](int gpu, int& found) {
        return check_runtime(cudaDeviceGetAttribute(&found, cudaDevAttrComputeCapabilityMajor, gpu),
                             "asking for the compute capability");
    });
}

inline status encode_new_tensor_map(tensor_map& map, const tensor_map_parameters& p, int gpu)
{
    PFN_cuTensorMapEncodeTiled_v12000 encoder = nullptr;
    if (status s = detail::find_tensor_map_encoder(encoder); !s)
        return s;
    cuuint64_t lengths[tensor_map_parameters::max_rank]{};
    cuuint64_t strides[tensor_map_parameters::max_rank]{};
    for (int i = 0; i < p.rank; ++i) {
        lengths[i] = p.lengths[i];
        if (i > 0)
            strides[i - 1] = p.strides_bytes[i];
    }
    const auto encode = [&] {
        return encoder(reinterpret_cast<CUtensorMap*>(&map), static_cast<CUtensorMapDataType>(p.type),
                       static_cast<cuuint32_t>(p.rank), const_cast<void*>(p.base), lengths, strides, p.box,
                       p.element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, static_cast<CUtensorMapSwizzle>(p.swizzle),
                       static_cast<CUtensorMapL2promotion>(p.promotion), CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    };
    CUresult error = encode();
    if (error == CUDA_ERROR_INVALID_CONTEXT) { // the thread's first call: the runtime makes its context current
        if (status s = check_runtime(cudaSetDevice(gpu), "choosing the GPU"); !s)
            return s;
        error = encode();
    }
    if (error == CUDA_SUCCESS) {
        int major = 0;
        if (status s = find_major_version(major); !s)
            return s;
        // The release notes ask for this bit to be cleared, on Blackwell alone.
        if (major >= 10 && major <= 12 && may_get_wrong_map(p))
            map.words[1] &= ~(std::uint64_t{1} << 21);
        return {};
    }
    return status(status_code::unsupported, "the CUDA driver refused a tensor map with error ")
           << static_cast<int>(error) << "; use a kernel without tensor copies";
}

} // namespace detail

/// The map for kernels on the current GPU; the base address is the GPU's. The last 16 maps of a thread are kept, so
/// that launches with the same tensors do not encode them again. Errors: those of check_tensor_address(), unsupported
/// if the driver is too old or refuses the parameters.
inline status encode_tensor_map(tensor_map& map, const tensor_map_parameters& p)
{
    if (status s = check_tensor_address(p); !s)
        return s;
    int gpu = 0;
    if (status s = check_runtime(cudaGetDevice(&gpu), "asking for the current GPU"); !s)
        return s;
    thread_local detail::encoded_tensor_maps encoded;
    if (const tensor_map* const known = encoded.find(gpu, p)) {
        map = *known;
        return {};
    }
    const status s = detail::encode_new_tensor_map(map, p, gpu);
    if (s)
        encoded.add(gpu, p, map);
    return s;
}

inline status make_tensor_map(const gpu_device&, tensor_map& map, const tensor_map_parameters& parameters)
{
    return encode_tensor_map(map, parameters);
}

#endif

} // namespace tegula
