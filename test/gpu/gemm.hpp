#pragma once

/// GEMM cases on a GPU: compiled once with CUDA's runtime and once with HIP's.

#include "test/kernel/gemm_case.hpp"

#include <string>

namespace tegula::test {

/// What came of a case: `skipped` says why the GPU cannot run it, `failure` what went wrong; both empty when all is
/// well.
struct gpu_outcome
{
    std::string skipped;
    std::string failure;
};

namespace on_nvidia {
gpu_outcome run_bf16_gemm(const gemm_case& what);
}
namespace on_amd {
gpu_outcome run_bf16_gemm(const gemm_case& what);
}

} // namespace tegula::test
