// The kernels of CPUs on the strict emulator: the same text, every access and every product checked.

#include "test/kernel/gemm/harness.hpp"

#include <tegula/gemm_cpu.hpp>

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

namespace {

/// Kernels of one small tile by whether C is written in vectors.
template <class Target, class T, class Instruction, class C>
struct strict_kernels
{
    using epilogue = typename test_epilogue<C>::type;
    using tile = cpu_gemm_tile<arch::strict<Target>, T, Instruction, 2 * Instruction::rows,
                               2 * Instruction::tile_columns, 16, Instruction::rows>;

    template <class Arguments, class Launch>
    static auto dispatch(const Arguments& args, Launch&& launch)
    {
        return writes_vectors(args) ? launch(gemm_kernel<tile, any, any, C, epilogue, output_access::vectors>{})
                                    : launch(gemm_kernel<tile, any, any, C, epilogue, output_access::elements>{});
    }
};

template <class Target, class T, class Instruction, class C>
void check_strict(quarter part)
{
    const gemm_sizes sizes{{1, 17, 30}, {1, 33, 70}, {1, 19, 65}};
    check_cases<strict_kernels<Target, T, Instruction, C>, T, C>(pairwise_gemm_cases(sizes, part));
}

} // namespace

TEST_CASE("CPU GEMM on the strict emulator: f32", "[gemm][cpu]")
{
    check_strict<arch::x86_avx512, float, x86::avx512::fma_f32, float>(quarter::first);
}

TEST_CASE("CPU GEMM on the strict emulator: bf16, dot products", "[gemm][cpu]")
{
    check_strict<arch::x86_avx512, bfloat16, x86::avx512_dot::dot_bf16, float>(quarter::second);
}

TEST_CASE("CPU GEMM on the strict emulator: int8 is exact", "[gemm][cpu]")
{
    check_strict<arch::x86_avx2, std::int8_t, x86::avx_vnni::dot_i8, std::int32_t>(quarter::third);
}
