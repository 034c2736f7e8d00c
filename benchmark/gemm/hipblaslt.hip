// hipBLASLt, whose header not every system has: what is used of its C interface is declared here, as it is since
// version 0.6 (ROCm 6.0). From hipblaslt.h (github.com/ROCm/hipBLASLt at c86e251e, 2025), hipblas-common.h and hip's
// library_types.h of the same time.

#include "lt_library.hpp"
#include "vendors.hpp"

#include <tegula/host/gpu_runtime.hpp>

namespace gemm_benchmark {

namespace {

/// The structures of hipblaslt.h 0.6 and newer. Descriptors are pointers to structures that only the library looks
/// into.
struct hipblaslt_algorithm
{
    std::uint8_t data[16];
    std::size_t most_workspace_bytes;
};

struct hipblaslt_result
{
    hipblaslt_algorithm algo;
    std::size_t workspaceSize;
    std::int32_t state;
    float waves;
    std::int32_t reserved[4];
};
static_assert(sizeof(hipblaslt_result) == 56);

struct hipblaslt_api
{
    static constexpr const char* name = "hipBLASLt";
    static hipStream_t stream() { return hipStreamPerThread; }
    static std::vector<std::string> files() { return {"libhipblaslt.so.1", "libhipblaslt.so.0", "libhipblaslt.so"}; }

    using memory = tegula::device_memory;
    using status = std::int32_t; // hipblasStatus_t
    using handle = void*;
    using product = void*;
    using layout = void*;
    using preference = void*;
    using result = hipblaslt_result;

    static constexpr status success = 0;                // HIPBLAS_STATUS_SUCCESS
    static constexpr std::int32_t not_transposed = 111; // HIPBLAS_OP_N
    static constexpr std::int32_t transposed = 112;     // HIPBLAS_OP_T
    static constexpr std::int32_t compute_float = 2;    // HIPBLAS_COMPUTE_32F
    static constexpr std::int32_t scale_float = 0;      // HIP_R_32F
    static constexpr std::int32_t operation_x = 0;      // HIPBLASLT_MATMUL_DESC_TRANSA
    static constexpr std::int32_t operation_y = 1;      // HIPBLASLT_MATMUL_DESC_TRANSB
    static constexpr std::int32_t most_workspace = 1;   // HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES

    static std::int32_t type_of(element e)
    {
        return e == element::f16      ? 2     // HIP_R_16F
               : e == element::bf16   ? 14    // HIP_R_16BF
               : e == element::f8e4m3 ? 28    // HIP_R_8F_E4M3
                                      : 1000; // HIP_R_8F_E4M3_FNUZ
    }

    status (*get_version)(handle, int* version);
    status (*create)(handle*);
    status (*destroy)(handle);
    status (*create_product)(product*, std::int32_t compute_type, std::int32_t scale_type);
    status (*destroy_product)(product);
    status (*set_product)(product, std::int32_t attribute, const void* value, std::size_t bytes);
    status (*create_layout)(layout*, std::int32_t type, std::uint64_t rows, std::uint64_t columns,
                            std::int64_t leading);
    status (*destroy_layout)(layout);
    status (*create_preference)(preference*);
    status (*destroy_preference)(preference);
    status (*set_preference)(preference, std::int32_t attribute, const void* value, std::size_t bytes);
    status (*get_heuristic)(handle, product, layout a, layout b, layout c, layout d, preference, int requested,
                            hipblaslt_result* results, int* returned);
    status (*multiply)(handle, product, const void* alpha, const void* a, layout, const void* b, layout,
                       const void* beta, const void* c, layout, void* d, layout, const hipblaslt_algorithm*,
                       void* workspace, std::size_t workspace_bytes, hipStream_t);

    void load(loaded_library& library)
    {
        library.find(get_version, "hipblasLtGetVersion");
        library.find(create, "hipblasLtCreate");
        library.find(destroy, "hipblasLtDestroy");
        library.find(create_product, "hipblasLtMatmulDescCreate");
        library.find(destroy_product, "hipblasLtMatmulDescDestroy");
        library.find(set_product, "hipblasLtMatmulDescSetAttribute");
        library.find(create_layout, "hipblasLtMatrixLayoutCreate");
        library.find(destroy_layout, "hipblasLtMatrixLayoutDestroy");
        library.find(create_preference, "hipblasLtMatmulPreferenceCreate");
        library.find(destroy_preference, "hipblasLtMatmulPreferenceDestroy");
        library.find(set_preference, "hipblasLtMatmulPreferenceSetAttribute");
        library.find(get_heuristic, "hipblasLtMatmulAlgoGetHeuristic");
        library.find(multiply, "hipblasLtMatmul");
    }

    /// The version is major * 100000 + minor * 100 + patch; before 0.6 results were smaller and types had other values.
    tegula::status read_version(handle h, std::string& version) const
    {
        int number = 0;
        if (get_version(h, &number) != success || number < 600)
            return tegula::status(tegula::status_code::unsupported, "version ")
                   << number / 100000 << "." << number / 100 % 1000
                   << " is older than 0.6, whose interface is used; install ROCm 6.0 or newer";
        version = std::to_string(number / 100000) + "." + std::to_string(number / 100 % 1000) + "." +
                  std::to_string(number % 100);
        return {};
    }
};

} // namespace

std::unique_ptr<vendor_library> open_hipblaslt(const std::string& file, std::string& why_not)
{
    return open_lt_library<hipblaslt_api>(file, why_not);
}

} // namespace gemm_benchmark
