#pragma once

/// GEMM on sm_100a and products in block-scaled formats for GPUs as entries of the program's list.

#include "test/gpu/add_check.hpp"
#include "test/gpu/scaled_checks.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class T>
using tcgen05_result =
    std::conditional_t<std::is_integral_v<T>, std::int32_t, std::conditional_t<sizeof(T) == 1, bfloat16, float>>;

/// A tcgen05_tile for operands of these orders, its blocks sharing tiles by Partition.
template <class Tile, operand_order A, operand_order B, output_store Store = output_store::tensor_copies,
          work_partition Partition = work_partition::tiles>
bool add_tcgen05(const char* name)
{
    using C = tcgen05_result<typename Tile::a_type>;
    using kernel = tcgen05_gemm<Tile, A, B, C, typename test_epilogue<C>::type, Store, Partition>;
    using run = run_warp_specialized<Partition == work_partition::split_k ? 3 : 1>;
    constexpr auto letter = [](operand_order o) { return o == operand_order::k_contiguous ? "k" : "r"; };
    return add_check_of<kernel>(std::string(number_traits<typename Tile::a_type>::name()) + " " + name + " " +
                                    letter(A) + letter(B),
                                [](std::uint64_t seed) {
                                    library_device device;
                                    return check_cases<kernel, run>(device, A, B, seed, gpu_is_fast());
                                });
}

template <class Kernel, class FormatA, class FormatB>
bool add_scaled(const char* name)
{
    using target = typename Kernel::target;
    add_kernel<target, block_quantize<target, FormatA, float>>(std::string(name) + ", A quantised");
    add_kernel<target, block_quantize<target, FormatB, float>>(std::string(name) + ", B quantised");
    return add_check_of<Kernel>(name, [](std::uint64_t seed) {
        library_device device;
        return check_scaled_cases<Kernel, FormatA, FormatB>(device, seed, gpu_is_fast());
    });
}

template <class Tile, class FormatA, class FormatB = FormatA, output_store Store = output_store::tensor_copies>
bool add_tcgen05_scaled(const char* name)
{
    constexpr operand_order along_k = operand_order::k_contiguous;
    return add_scaled<tcgen05_gemm<Tile, along_k, along_k, float, epilogue::linear<>, Store>, FormatA, FormatB>(name);
}

/// Adds the microscaled_gemm of a tile, in the tile's own formats.
template <class Tile>
bool add_microscaled(const char* name)
{
    using kernel = microscaled_gemm<Tile, float, epilogue::linear<>>;
    if constexpr (requires { typename Tile::a_format; })
        return add_scaled<kernel, typename Tile::a_format, typename Tile::b_format>(name);
    else
        return add_scaled<kernel, mx_format<typename Tile::a_element>, mx_format<typename Tile::b_element>>(name);
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
