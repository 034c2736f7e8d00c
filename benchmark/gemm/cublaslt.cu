// cublasLt. The toolkit's header gives types and values; no code of it is linked.

#include "vendors.hpp"

#if __has_include(<cublasLt.h>)

#include "lt_library.hpp"

#include <tegula/host/gpu_runtime.hpp>

#include <cublasLt.h>

namespace gemm_benchmark {

namespace {

struct cublaslt_api
{
    static constexpr const char* name = "cublasLt";
    static cudaStream_t stream() { return cudaStreamPerThread; }
    static std::vector<std::string> files()
    {
        return {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", "libcublasLt.so"};
    }

    using memory = tegula::device_memory;
    using status = cublasStatus_t;
    using handle = cublasLtHandle_t;
    using product = cublasLtMatmulDesc_t;
    using layout = cublasLtMatrixLayout_t;
    using preference = cublasLtMatmulPreference_t;
    using result = cublasLtMatmulHeuristicResult_t;

    static constexpr status success = CUBLAS_STATUS_SUCCESS;
    static constexpr std::int32_t not_transposed = CUBLAS_OP_N;
    static constexpr std::int32_t transposed = CUBLAS_OP_T;
    static constexpr auto compute_float = CUBLAS_COMPUTE_32F;
    static constexpr auto scale_float = CUDA_R_32F;
    static constexpr auto operation_x = CUBLASLT_MATMUL_DESC_TRANSA;
    static constexpr auto operation_y = CUBLASLT_MATMUL_DESC_TRANSB;
    /// fp8 products are summed inside the instructions, as by our kernels.
    static constexpr auto fast_accumulation = CUBLASLT_MATMUL_DESC_FAST_ACCUM;
    static constexpr auto most_workspace = CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;

    static cudaDataType_t type_of(element e)
    {
        return e == element::f16 ? CUDA_R_16F : e == element::bf16 ? CUDA_R_16BF : CUDA_R_8F_E4M3;
    }

    decltype(cublasLtGetVersion)* get_version;
    decltype(cublasLtCreate)* create;
    decltype(cublasLtDestroy)* destroy;
    decltype(cublasLtMatmulDescCreate)* create_product;
    decltype(cublasLtMatmulDescDestroy)* destroy_product;
    decltype(cublasLtMatmulDescSetAttribute)* set_product;
    decltype(cublasLtMatrixLayoutCreate)* create_layout;
    decltype(cublasLtMatrixLayoutDestroy)* destroy_layout;
    decltype(cublasLtMatmulPreferenceCreate)* create_preference;
    decltype(cublasLtMatmulPreferenceDestroy)* destroy_preference;
    decltype(cublasLtMatmulPreferenceSetAttribute)* set_preference;
    decltype(cublasLtMatmulAlgoGetHeuristic)* get_heuristic;
    decltype(cublasLtMatmul)* multiply;

    void load(loaded_library& library)
    {
        library.find(get_version, "cublasLtGetVersion");
        library.find(create, "cublasLtCreate");
        library.find(destroy, "cublasLtDestroy");
        library.find(create_product, "cublasLtMatmulDescCreate");
        library.find(destroy_product, "cublasLtMatmulDescDestroy");
        library.find(set_product, "cublasLtMatmulDescSetAttribute");
        library.find(create_layout, "cublasLtMatrixLayoutCreate");
        library.find(destroy_layout, "cublasLtMatrixLayoutDestroy");
        library.find(create_preference, "cublasLtMatmulPreferenceCreate");
        library.find(destroy_preference, "cublasLtMatmulPreferenceDestroy");
        library.find(set_preference, "cublasLtMatmulPreferenceSetAttribute");
        library.find(get_heuristic, "cublasLtMatmulAlgoGetHeuristic");
        library.find(multiply, "cublasLtMatmul");
    }

    tegula::status read_version(handle, std::string& version) const
    {
        version = std::to_string(get_version());
        return {};
    }
};

} // namespace

std::unique_ptr<vendor_library> open_cublaslt(const std::string& file, std::string& why_not)
{
    return open_lt_library<cublaslt_api>(file, why_not);
}

} // namespace gemm_benchmark

#else

namespace gemm_benchmark {

std::unique_ptr<vendor_library> open_cublaslt(const std::string&, std::string& why_not)
{
    why_not = "no cublasLt: the toolkit this program was built with has no cublasLt.h; install it and build again";
    return nullptr;
}

} // namespace gemm_benchmark

#endif
