#pragma once

/// Kernels for GPUs as entries of the program's list: one line of a kernels_*.gpu.cpp adds a tile.

#include <tegula/host/gpu_launch.hpp>

#include "test/gpu/kernel_checks.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class T>
using result_of =
    std::conditional_t<std::is_integral_v<T>, std::int32_t, std::conditional_t<sizeof(T) == 1, bfloat16, float>>;

template <class Kernel, class Run>
bool add_check(const std::string& name, std::string (*run)(std::uint64_t))
{
    registered<kernel_check>().push_back({Kernel::target::chip().name, runtime_name, name, run});
    return true;
}

constexpr const char* letter(operand_order o) { return o == operand_order::k_contiguous ? "k" : "r"; }

constexpr operand_order order_of(operand_order x)
{
    return x == operand_order::k_contiguous ? operand_order::k_contiguous : operand_order::row_contiguous;
}

/// The kernel of a gemm_tile for operands of these orders.
template <class Tile, operand_order A, operand_order B, class Run = run_plain>
bool add_tile(const char* name)
{
    using T = typename Tile::a_type;
    using kernels = gemm_kernels<Tile, result_of<T>, typename test_epilogue<result_of<T>>::type>;
    using kernel = typename kernels::template aligned<A, B>;
    return add_check<kernel, Run>(std::string(number_traits<T>::name()) + " " + name + " " + letter(A) + letter(B),
                                  [](std::uint64_t seed) {
                                      gpu_device device;
                                      return check_cases<kernel, Run>(device, A, B, seed, true);
                                  });
}

/// The one that reads element by element.
template <class Tile>
bool add_element_wise(const char* name)
{
    using T = typename Tile::a_type;
    using kernels = gemm_kernels<Tile, result_of<T>, typename test_epilogue<result_of<T>>::type>;
    using kernel = typename kernels::element_wise;
    return add_check<kernel, run_plain>(
        std::string(number_traits<T>::name()) + " " + name + " any", [](std::uint64_t seed) -> std::string {
            gpu_device device;
            for (const gemm_case& what : pairwise_gemm_cases(all_gemm_sizes()))
                if (std::string wrong = check_kernel<kernel, run_plain>(device, what, seed); !wrong.empty())
                    return what.text() + ": " + wrong;
            return {};
        });
}

/// A warp_specialized_tile, its clusters sharing tiles by Partition.
template <class Tile, operand_order A, operand_order B, work_partition Partition = work_partition::tiles>
bool add_warp_specialized(const char* name)
{
    using T = typename Tile::a_type;
    using C = result_of<T>;
    using kernel =
        warp_specialized_gemm<Tile, A, B, C, typename test_epilogue<C>::type, output_store::tensor_copies, Partition>;
    using run = run_warp_specialized<Partition == work_partition::split_k ? 3 : 1>;
    return add_check<kernel, run>(std::string(number_traits<T>::name()) + " " + name + " " + letter(order_of(A)) +
                                      letter(order_of(B)),
                                  [](std::uint64_t seed) {
                                      gpu_device device;
                                      return check_cases<kernel, run>(device, order_of(A), order_of(B), seed, true);
                                  });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
