#pragma once

#include <string>

namespace tegula::test {

/// y = factor x, a lane an element.
inline const std::string scale = R"(#include <tegula/tensor.hpp>
struct scale
{
    using target = tegula::jit::target;
    static constexpr int block_threads = 128;
    TEGULA_HOST_DEVICE void operator()(const float* x, float* y, float factor, int n) const
    {
        const int i = 128 * target::block_id()[0] + target::thread_id();
        if (i < n)
            y[i] = factor * x[i];
    }
};
)";

} // namespace tegula::test
