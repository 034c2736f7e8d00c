#pragma once

/// GEMM by wgmma and tcgen05 whose operands a warpgroup makes, and lists of products by tensor maps in memory, on a
/// device. Each is compared with the plain product of what its inputs stand for.

#include <tegula/gemm.hpp>
#include <tegula/host/product_list.hpp>

#include "test/gpu/prologue_checks.hpp"

namespace tegula::test {

/// Starts products by the kernel that Kernels finds for them; what no kernel takes is an error.
template <class Kernels>
struct launch_made
{
    using kernels = Kernels;

    template <class Device>
    static status start(Device& device, const typename Kernels::arguments& args)
    {
        return launch(device, Kernels{}, args);
    }
};

/// Quantised weights, as check_form has its Kernel.
template <class Tile, class Weights>
struct persistent_weights : launch_made<persistent_quantized_kernels<Tile, Weights, typename Tile::a_type,
                                                                     epilogue::chain<epilogue::scale_columns<>>>>
{
    using arguments = typename persistent_weights::kernels::arguments;
    using target = typename Tile::target;
    struct plain : Tile
    {
        using c_type = typename Tile::a_type;
    };
};

/// gathered_form and made_form by wgmma or tcgen05.
template <class Tile, class T = typename Tile::a_type>
struct persistent_gathered_form
    : gathered_inputs<Tile>,
      launch_made<persistent_prologue_kernels<Tile, gathered_rows<T>, strided_rows<T>, float, epilogue::none,
                                              c_rows_order::by_index>>
{};
template <class Tile, class T = typename Tile::a_type>
struct persistent_made_form : made_inputs<Tile>,
                              launch_made<persistent_prologue_kernels<Tile, made_elements<T, product_of_two<T>>,
                                                                      strided_rows<T>, float, epilogue::none>>
{};

/// The cases of weights: vectors along k, and by elements where the tile makes operands so.
template <class Tile>
std::vector<gemm_case> weight_cases(bool fast)
{
    using enum operand_order;
    std::vector<gemm_case> cases = cases_of<Tile>(k_contiguous, k_contiguous, fast);
    if (Tile::makes_by_elements)
        for (const gemm_case& what : cases_of<Tile>(k_contiguous, row_contiguous, false))
            cases.push_back(what);
    return cases;
}

/// Those of other operands that a warpgroup makes. A row of a table has whole vectors of k.
template <class Form>
std::vector<gemm_case> made_cases(bool fast)
{
    using enum operand_order;
    using tile = typename Form::tile;
    std::vector<gemm_case> cases = cases_of<tile>(k_contiguous, row_contiguous, fast);
    if constexpr (std::is_base_of_v<gathered_inputs<tile>, Form>) {
        const gemm_case by_elements = cases.front();
        for (gemm_case& what : cases)
            what.k = round_up(what.k, 16 / static_cast<long_index_t>(sizeof(typename tile::a_type)));
        if (tile::makes_by_elements)
            cases.push_back(by_elements);
    }
    return cases;
}

template <class Tile, class C, operand_order A, operand_order B>
auto find_listed_kernel()
{
    using epilogue = typename test_epilogue<C>::type;
    if constexpr (requires { Tile::consumers; })
        return warp_specialized_gemm<Tile, A, B, C, epilogue, output_store::tensor_copies, work_partition::list>{};
    else
        return tcgen05_gemm<Tile, A, B, C, epilogue, output_store::tensor_copies, work_partition::list>{};
}
/// The kernel of a warp_specialized_tile or a tcgen05_tile for lists.
template <class Tile, class C, operand_order A, operand_order B>
using listed_kernel = decltype(find_listed_kernel<Tile, C, A, B>());

/// Starts lists of products by a kernel of work_partition::list.
template <class Kernel>
struct run_mapped_list
{
    using product = typename Kernel::product_type;

    template <class Device, class Inputs>
    static status run(Device& device, std::vector<product>& products, Inputs&)
    {
        prepared_list<Kernel, Device> list;
        status s = list.prepare(device, products.data(), static_cast<index_t>(products.size()));
        s = s ? list.start(device) : s;
        return s ? wait_for(device) : s; // before the list goes
    }
};

} // namespace tegula::test
