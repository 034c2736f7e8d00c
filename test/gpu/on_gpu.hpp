#pragma once

/// Kernels for GPUs as entries of the program's list: a line of library/write_units.py adds a tile.

#include "test/gpu/add_check.hpp"
#include "test/gpu/form_checks.hpp"

namespace tegula::test {

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

constexpr const char* letter(operand_order o) { return o == operand_order::k_contiguous ? "k" : "r"; }

constexpr operand_order order_of(operand_order x)
{
    return x == operand_order::k_contiguous ? operand_order::k_contiguous : operand_order::row_contiguous;
}

/// "bf16 large kr"
template <class T>
std::string name_of(const char* name, operand_order a, operand_order b)
{
    const std::string orders = a == operand_order::any ? "any" : std::string(letter(a)) + letter(b);
    return std::string(number_traits<T>::name()) + " " + name + " " + orders;
}

/// The kernel of a gemm_tile for operands of these orders.
template <class Tile, operand_order A, operand_order B, class Run = run_plain,
          class C = result_of<typename Tile::a_type>>
bool add_tile(const char* name)
{
    using kernels = gemm_kernels<Tile, C, typename test_epilogue<C>::type>;
    using kernel = typename kernels::template aligned<A, B>;
    const std::string whole = name_of<typename Tile::a_type>(name, A, B);
    add_kernel<typename Tile::target, typename Run::template launched<kernel>>(whole);
    return add_check<typename Tile::target>(whole, [](std::uint64_t seed) {
        library_device device;
        return check_cases<kernel, Run>(device, A, B, seed, gpu_is_fast());
    });
}

/// As add_tile, with a C of the inputs' 16 bits.
template <class Tile, operand_order A, operand_order B>
bool add_narrow(const char* name)
{
    return add_tile<Tile, A, B, run_plain, typename Tile::a_type>(name);
}

/// Adds the kernel of a gemm_tile that reads element by element.
template <class Tile>
bool add_element_wise(const char* name)
{
    using C = result_of<typename Tile::a_type>;
    using kernel = typename gemm_kernels<Tile, C, typename test_epilogue<C>::type>::element_wise;
    return add_check_of<kernel>(
        name_of<typename Tile::a_type>(name, kernel::order_a, kernel::order_b), [](std::uint64_t seed) -> std::string {
            library_device device;
            return check_each(pairwise_gemm_cases(all_gemm_sizes()), [&](const gemm_case& what) {
                return check_kernel<kernel, run_plain>(device, what, seed);
            });
        });
}

/// Lists of products: a gemm_tile for operands of these orders.
template <class Tile, operand_order A, operand_order B>
bool add_grouped(const char* name)
{
    using C = result_of<typename Tile::a_type>;
    using kernel = typename gemm_kernels<Tile, C, typename test_epilogue<C>::type>::template aligned<A, B>;
    const std::string whole = name_of<typename Tile::a_type>(name, A, B);
    add_kernel<typename Tile::target, grouped_gemm<kernel>>(whole);
    return add_check<typename Tile::target>(whole, [](std::uint64_t seed) {
        library_device device;
        return check_list<kernel>(device, cases_of<Tile>(A, B, gpu_is_fast()), seed);
    });
}

/// The kernels of a form: of aligned operands in these orders, and the one that reads element by element.
template <class Kernels, class Form, class Tile, operand_order A, operand_order B>
bool add_form(const char* name)
{
    using aligned = typename Kernels::template aligned<A, B>;
    using element_wise = typename Kernels::element_wise;
    using T = typename Tile::a_type;
    add_check_of<aligned>(name_of<T>(name, A, B), [](std::uint64_t seed) {
        library_device device;
        return check_each(cases_of<Tile>(A, B, gpu_is_fast()),
                          [&](const gemm_case& what) { return check_form<aligned, Form>(device, what, seed); });
    });
    return add_check_of<element_wise>(name_of<T>(name, operand_order::any, B), [](std::uint64_t seed) {
        library_device device;
        return check_each(pairwise_gemm_cases(few_gemm_sizes()),
                          [&](const gemm_case& what) { return check_form<element_wise, Form>(device, what, seed); });
    });
}

template <class Tile, class Weights, operand_order A, operand_order B>
bool add_quantized_weights(const char* name)
{
    using kernels =
        quantized_weights_kernels<Tile, Weights, typename Tile::a_type, epilogue::chain<epilogue::scale_columns<>>>;
    return add_form<kernels, quantized_weights_form, Tile, A, B>(name);
}

template <class Tile>
bool add_block_scaled(const char* name)
{
    using kernels = block_scaled_kernels<Tile, float, epilogue::none>;
    return add_form<kernels, block_scaled_form, Tile, operand_order::k_contiguous, operand_order::k_contiguous>(name);
}

/// Adds the kernels of a tile whose A and B have different types.
template <class Tile>
bool add_pair(const char* name)
{
    using kernels = gemm_kernels<Tile, float, epilogue::none>;
    return add_form<kernels, pair_form, Tile, operand_order::k_contiguous, operand_order::k_contiguous>(name);
}

/// A warp_specialized_tile, its clusters sharing tiles by Partition.
template <class Tile, operand_order A, operand_order B, work_partition Partition = work_partition::tiles,
          class C = result_of<typename Tile::a_type>, output_store Store = output_store::tensor_copies>
bool add_warp_specialized(const char* name)
{
    using T = typename Tile::a_type;
    using kernel = warp_specialized_gemm<Tile, A, B, C, typename test_epilogue<C>::type, Store, Partition>;
    using run = run_warp_specialized<Partition == work_partition::split_k ? 3 : 1>;
    return add_check_of<kernel>(name_of<T>(name, order_of(A), order_of(B)), [](std::uint64_t seed) {
        library_device device;
        return check_cases<kernel, run>(device, order_of(A), order_of(B), seed, gpu_is_fast());
    });
}

/// A cluster_split_tile, also with a k that has no step for some of the blocks.
template <class Tile, operand_order A, operand_order B>
bool add_cluster_split(const char* name)
{
    using T = typename Tile::a_type;
    using C = result_of<T>;
    using kernel = warp_specialized_gemm<Tile, A, B, C, typename test_epilogue<C>::type, output_store::tensor_copies,
                                         work_partition::tiles>;
    return add_check_of<kernel>(name_of<T>(name, order_of(A), order_of(B)), [](std::uint64_t seed) {
        library_device device;
        std::vector<gemm_case> cases = cases_of<Tile>(order_of(A), order_of(B), gpu_is_fast());
        cases.push_back(cases.front());
        cases.back().k = Tile::block_k - 3;
        return check_each(cases, [&](const gemm_case& what) {
            return check_kernel<kernel, run_warp_specialized<1>>(device, what, seed);
        });
    });
}

/// A warp_specialized_scaled_tile.
template <class Tile>
bool add_warp_specialized_scaled(const char* name)
{
    constexpr operand_order k = operand_order::k_contiguous;
    using kernel = warp_specialized_gemm<Tile, k, k, bfloat16, epilogue::none, output_store::tensor_copies>;
    return add_check_of<kernel>(name_of<typename Tile::a_type>(name, k, k), [](std::uint64_t seed) {
        library_device device;
        return check_each(cases_of<Tile>(k, k, gpu_is_fast()), [&](const gemm_case& what) {
            return check_form<form_by_roles<kernel>, block_scaled_form>(device, suited_case<kernel>(what), seed);
        });
    });
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace tegula::test
