#pragma once

/// Convolutions for GPUs as entries of the program's list.

#include "test/gpu/add_check.hpp"
#include "test/gpu/convolution_checks.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// By the kernels of a tile, those of vectors and that of elements.
template <class Tile, convolution_direction Direction, int Dims, class C>
bool add_convolution(const char* name)
{
    using T = typename Tile::a_type;
    using kernels = convolution_kernels<Direction, Dims, Tile, C, epilogue::none>;
    const std::string whole =
        std::string(number_traits<T>::name()) + " " + std::to_string(Dims) + "-D convolution " + name;
    add_kernel<typename Tile::target, kernels>(whole);
    return add_check<typename Tile::target>(whole, [](std::uint64_t seed) {
        library_device device;
        return check_each(convolution_cases<Dims>(gpu_is_fast()), [&](const auto& shape) {
            if (!takes_convolution<Tile, Direction>(shape))
                return std::string();
            return check_convolution<typename Tile::target, T, C, Direction, Dims, kernels>(device, shape, seed);
        });
    });
}

template <class Target, class T>
bool add_im2col()
{
    constexpr int vector = 16 / static_cast<int>(sizeof(T));
    const std::string name = std::string(number_traits<T>::name()) + " im2col";
    add_kernel<Target, im2col_kernel<Target, T, 2, vector>>(name);
    add_kernel<Target, im2col_kernel<Target, T, 2, 1>>(name + " element by element");
    return add_check<Target>(name, [](std::uint64_t seed) {
        library_device device;
        const auto cases = convolution_cases<2>(gpu_is_fast());
        return first_wrong(
            [&] { return check_im2col<Target, T, 16 / static_cast<int>(sizeof(T))>(device, cases[0], seed); },
            [&] { return check_im2col<Target, T, 1>(device, cases[1], seed); },
            [&] { return check_im2col<Target, T, 1>(device, cases.back(), seed); });
    });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
