#pragma once

/// Products whose operands a warpgroup makes in shared memory: quantised weights, rows by index, computed elements; C by
/// tensor copies, directly, and by rows' indices.

#include <tegula/kernel/gemm/warp_specialized/made_dispatch.hpp>

#include "test/kernel/gemm/forms/quantized_weights.hpp"
#include "test/kernel/gemm/prologue/prologue.hpp"
#include "test/kernel/gemm/warp_specialized/warp_specialized.hpp"

namespace tegula::test {

/// Runs products by the kernel that Kernels finds for them, in the place of a form's.
template <class Kernels>
struct run_made
{
    using arguments = typename Kernels::arguments;

    static void run(const arguments& args)
    {
        if (args.m == 0 || args.n == 0 || args.batch == 0 || args.k == 0)
            return;
        emulated_device device{{}, {}, 4};
        const status s = launch(device, Kernels{}, args);
        INFO(device.result.report << s.message());
        REQUIRE(s.ok());
        CHECK(device.result.counters.shared_store_conflicts == 0);
    }
};

/// Ragged cases of a tile whose A lies where tensor copies reach it. k is whole vectors if its makers read no others.
template <class Tile, operand_order B = operand_order::k_contiguous>
std::vector<gemm_case> made_cases(quarter part)
{
    using plain =
        typename Tile::template gemm<Tile, operand_order::k_contiguous, B, float, typename test_epilogue<float>::type,
                                     output_store::tensor_copies, work_partition::tiles>;
    std::vector<gemm_case> cases;
    for (gemm_case f : hopper_cases<plain>(part)) {
        f.activation = f.activation == activation::none ? activation::none : activation::relu;
        if (!Tile::makes_by_elements)
            f.k = (f.k + 15) / 16 * 16;
        cases.push_back(f);
    }
    return cases;
}

template <class Tile, class Form>
void check_made_weights(quarter part)
{
    using type = typename Tile::a_type;
    using kernels = persistent_quantized_kernels<Tile, Form, float, quantized_weights_epilogue<Form>>;
    int uses[2] = {}, number = 0;
    for (gemm_case f : made_cases<Tile>(part)) {
        const bool along_k = ++number % 2 == 0 || !Tile::makes_by_elements;
        f.b = along_k ? memory_order::column_major : memory_order::row_major;
        INFO(f.text());
        check_quantized_weights_case<run_made<kernels>, type, Form>(f, 0, uses);
    }
}

template <class Tile, operand_order B>
void check_made_prologue(quarter part)
{
    using type = typename Tile::a_type;
    using rows = persistent_prologue_kernels<Tile, gathered_rows<type>, strided_rows<type>, float, gathered_epilogue,
                                             c_rows_order::by_index>;
    using products = persistent_prologue_kernels<Tile, made_elements<type, product_of_two<type>>, strided_rows<type>,
                                                 float, epilogue::none>;
    prologue_uses uses;
    int number = 0;
    for (gemm_case f : made_cases<Tile, B>(part)) {
        INFO(f.text());
        check_made<type, run_made<products>>(f, uses);
        if (++number % 2 == 0)
            f.k = (f.k + 7) / 8 * 8; // rows of whole vectors
        check_gathered<type, run_made<rows>>(f, uses);
    }
}

/// f(A gate^T) (A up^T): tensor copies load A and both weights.
template <class Tile, operand_order B>
void check_gated_by_clusters(quarter part)
{
    using type = typename Tile::a_type;
    using kernels = persistent_prologue_kernels<Tile, strided_rows<type>, gated_rows<type>, float, epilogue::none>;
    prologue_uses uses;
    for (const gemm_case& f : made_cases<Tile, B>(part)) {
        INFO(f.text());
        check_gated<type, run_made<kernels>>(f, uses);
    }
}

} // namespace tegula::test
