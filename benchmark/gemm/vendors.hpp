#pragma once

// The vendors' libraries. They are opened from `file`, or from where the loader finds them; null with one sentence in
// `why_not`, "no cublasLt: ...".

#include "gpu.hpp"

namespace gemm_benchmark {

std::unique_ptr<vendor_library> open_cublaslt(const std::string& file, std::string& why_not);
std::unique_ptr<vendor_library> open_hipblaslt(const std::string& file, std::string& why_not);

} // namespace gemm_benchmark
