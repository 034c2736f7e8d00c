#pragma once

/// Checks of the tiles of AMX, for amx.cpp and test/grid/gemm_cpu_amx.cpp.

#include <tegula/gemm_cpu.hpp>

#include "test/kernel/gemm/cpu/amx_machine.hpp"
#include "test/kernel/gemm/cpu/cpu.hpp"
#include "test/kernel/gemm/harness.hpp"

#include <optional>

using namespace tegula;
using namespace tegula::test;
using enum operand_order;

namespace {

template <class T, class Instruction, class C>
struct strict_kernels
{
    using epilogue = typename test_epilogue<C>::type;
    using tile = cpu_gemm_tile<arch::strict<arch::x86_amx>, T, Instruction, 32, 64, 32>;

    template <class Arguments, class Launch>
    static auto dispatch(const Arguments&, Launch&& launch)
    {
        return launch(gemm_kernel<tile, any, any, C, epilogue, output_access::elements>{});
    }
};

/// Runs a kernel's blocks here and now, whatever the machine has.
template <class Kernel>
void run_blocks(const typename Kernel::arguments& given)
{
    const auto args = normalize(given);
    REQUIRE(can_implement(args).ok());
    host_memory shared;
    REQUIRE(shared.allocate(static_cast<std::size_t>(Kernel::shared_bytes)).ok());
    arch::x86::this_block.shared = static_cast<std::byte*>(shared.data());
    for (long_index_t i = 0; i < Kernel::blocks(args); ++i) {
        arch::x86::this_block.id = {static_cast<int>(i), 0, 0};
        Kernel{}(args);
    }
}

/// Whether the machine code can be run: the machine has the instruction, or `machine` is made in its place.
template <class Instruction>
bool can_run(std::optional<amx_machine>& machine)
{
    if (!x86::host_features().contains(x86::feature::avx512)) {
        WARN("the machine code is not run: it packs by AVX-512");
        return false;
    }
    if (!x86::host_features().contains(Instruction::needed))
        machine.emplace();
    return true;
}

template <class T, class Instruction, class C>
void check_amx(quarter part)
{
    const gemm_sizes sizes{{1, 17, 40}, {1, 33, 70}, {1, 65, 200}};
    check_cases<strict_kernels<T, Instruction, C>, T, C>(pairwise_gemm_cases(sizes, part));

    std::optional<amx_machine> machine;
    if (!can_run<Instruction>(machine))
        return;
    using tile = cpu_gemm_tile<arch::x86_amx, T, Instruction, 64, 64, 32>;
    using kernel = gemm_kernel<tile, any, any, C, typename test_epilogue<C>::type, output_access::elements>;
    for (const gemm_case& what : two_kernel_cases(k_contiguous, row_contiguous, part)) {
        INFO(what.text());
        gemm_data<T, C> data(what);
        run_blocks<kernel>(data.arguments());
        const error_report error = data.verify();
        INFO("error " << error.max_abs_error << ", " << error.worst_ratio << " of the bound, at " << error.worst_index);
        CHECK(error.passed);
        CHECK(data.c.surroundings_untouched());
    }
}

/// Up to 32 rows of A, with B read where it lies if its k are neighbours: rows and columns at and past the edges of tiles, k
/// of no, one and several panels with a rest.
template <class T, class Instruction, class C>
void check_amx_few_rows()
{
    std::optional<amx_machine> machine;
    if (!can_run<Instruction>(machine))
        return;
    using tile = cpu_gemm_tile<arch::x86_amx, T, Instruction, 64, 64, 256>;
    static_assert(tile::a_panel_bytes >= tile::operations::unpacked_bytes);
    using kernel = gemm_kernel<tile, any, any, C, typename test_epilogue<C>::type, output_access::elements>;
    constexpr long_index_t step = 16 * Instruction::per_word;
    for (const long_index_t m : {1, 16, 19, 32, 33})
        for (const long_index_t n : {1, 16, 31, 70})
            for (const long_index_t k : {step - 1, step, 2 * step + 3, 40 * step + 8}) {
                gemm_case what;
                what.m = m, what.n = n, what.k = k;
                what.b = memory_order::column_major;
                what.rows = padding::odd;
                INFO(what.text());
                gemm_data<T, C> data(what);
                run_blocks<kernel>(data.arguments());
                CHECK(data.verify().passed);
                CHECK(data.c.surroundings_untouched());
            }
}

} // namespace
