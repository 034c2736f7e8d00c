#pragma once

/// Convolutions for GPUs as entries of the program's list.

#include "test/gpu/add_check.hpp"
#include "test/gpu/convolution_checks.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// By the kernels of a tile, those of vectors and that of elements.
template <class Tile, convolution_direction Direction, int Dims>
bool add_convolution(const char* name)
{
    using T = typename Tile::a_type;
    using kernels = convolution_kernels<Direction, Dims, Tile, float, epilogue::none>;
    return add_check<compare_formula<typename Tile::target, convolution_formula<T, float, Direction, Dims>>>(
        std::string(number_traits<T>::name()) + " " + std::to_string(Dims) + "-D convolution " + name,
        [](std::uint64_t seed) {
            gpu_device device;
            return check_each(convolution_cases<Dims>(gpu_is_fast()), [&](const auto& shape) {
                if (!takes_convolution<Tile, Direction>(shape))
                    return std::string();
                return check_convolution<typename Tile::target, T, float, Direction, Dims, kernels>(device, shape,
                                                                                                    seed);
            });
        });
}

template <class Target, class T>
bool add_im2col()
{
    return add_check<compare_formula<Target, columns_formula<T>>>(
        std::string(number_traits<T>::name()) + " im2col", [](std::uint64_t seed) {
            gpu_device device;
            const auto cases = convolution_cases<2>(gpu_is_fast());
            return first_wrong(
                [&] { return check_im2col<Target, T, 16 / static_cast<int>(sizeof(T))>(device, cases[0], seed); },
                [&] { return check_im2col<Target, T, 1>(device, cases[1], seed); },
                [&] { return check_im2col<Target, T, 1>(device, cases.back(), seed); });
        });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
