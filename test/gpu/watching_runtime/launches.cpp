/// A shared library of a kernel whose runtime has no GPU: it tells Python what is launched.

#include "test/gpu/watching_runtime/watching_runtime.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>

namespace tegula::test {
namespace {

/// The first arguments of a GEMM: m, n, k, batch and the address of A.
std::int64_t last[5];

struct noting_gpu : played_gpu
{
    int start(const asked_launch& asked) override
    {
        if (std::strstr(asked.kernel, "gemm_kernel") != nullptr)
            std::memcpy(last, asked.arguments[0], sizeof last);
        return cudaSuccess;
    }
} notes;

[[maybe_unused]] const bool plays = (the_runtime().played = &notes, true);

} // namespace

extern "C" int count_launches() { return the_runtime().launches; }
extern "C" const std::int64_t* last_arguments() { return last; }

} // namespace tegula::test
