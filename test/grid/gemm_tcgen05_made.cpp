// sm_100a: operands that a warpgroup makes in shared memory: quantised weights, rows by index, computed elements; C by
// tensor copies, directly, and by rows' indices; one block and pairs.

#include <tegula/kernel/gemm/tcgen05/made_dispatch.hpp>

#include "test/kernel/gemm/forms/quantized_weights.hpp"
#include "test/kernel/gemm/prologue/prologue.hpp"
#include "test/kernel/gemm/tcgen05/tcgen05.hpp"

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

namespace {

template <class T>
using tiles = tcgen05_tiles<arch::sm_100a, T>;

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

/// Ragged cases of a tile whose A lies where tensor copies reach it; B in turns along k and across.
template <class Tile, operand_order B = k_contiguous>
std::vector<gemm_case> made_cases(quarter part)
{
    using plain = tcgen05_kernel<Tile, k_contiguous, B, float>;
    std::vector<gemm_case> cases;
    for (gemm_case f : hopper_cases<plain>(part)) {
        f.activation = f.activation == activation::none ? activation::none : activation::relu;
        cases.push_back(f);
    }
    return cases;
}

template <class Tile, class Form>
void check_weights(quarter part)
{
    using type = typename Tile::a_type;
    using kernels = tcgen05_quantized_kernels<Tile, Form, float, quantized_weights_epilogue<Form>>;
    int uses[2] = {}, number = 0;
    for (gemm_case f : made_cases<Tile>(part)) {
        f.b = ++number % 2 == 0 ? memory_order::column_major : memory_order::row_major;
        INFO(f.text());
        check_quantized_weights_case<run_made<kernels>, type, Form>(f, 0, uses);
    }
}

template <class Tile, operand_order B>
void check_prologue_by_tcgen05(quarter part)
{
    using type = typename Tile::a_type;
    using rows = tcgen05_prologue_kernels<Tile, gathered_rows<type>, strided_rows<type>, float, gathered_epilogue,
                                          c_rows_order::by_index>;
    using products = tcgen05_prologue_kernels<Tile, made_elements<type, product_of_two<type>>, strided_rows<type>,
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

} // namespace

TEST_CASE("sm_100a: tcgen05, unsigned int8 weights with column scales by f16", "[gemm][tcgen05]")
{
    check_weights<tiles<half>::tc128x64, quantized<std::uint8_t>>(quarter::first);
}
TEST_CASE("sm_100a: tcgen05, int4 weights in groups of 64 by pairs of blocks, bf16", "[gemm][tcgen05]")
{
    check_weights<tiles<bfloat16>::tc256x256_2x1, quantized<int4x2, 64, bfloat16, std::int8_t>>(quarter::second);
}
TEST_CASE("sm_100a: tcgen05, rows by index and made elements, bf16", "[gemm][tcgen05]")
{
    check_prologue_by_tcgen05<tiles<bfloat16>::tc128x128, row_contiguous>(quarter::third);
}
