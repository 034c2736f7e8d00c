#pragma once

#include <tegula/core/half.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/cpu/tile.hpp>
#include <tegula/kernel/gemm/dispatch.hpp>

namespace tegula {

/// The instructions that multiply elements of a type on a CPU target, the best first. A machine without the first uses
/// a later one: bf16, f16 and fp8 are then converted to f32 when they are packed, int8 to 16 bits.
template <class Target, class Element>
struct cpu_instructions
{
    static_assert(sizeof(Target) == 0, "tegula: CPU targets multiply float, double, half, bfloat16, float8_e4m3, "
                                       "std::int8_t and std::int16_t");
};
template <class... Instructions>
struct instruction_list
{};

template <class Element>
    requires(std::is_same_v<Element, float> || std::is_same_v<Element, half> || std::is_same_v<Element, bfloat16> ||
             std::is_same_v<Element, float8_e4m3>)
struct cpu_instructions<arch::x86_avx2, Element>
{
    using type = instruction_list<x86::avx2::fma_f32>;
};
template <>
struct cpu_instructions<arch::x86_avx2, double>
{
    using type = instruction_list<x86::avx2::fma_f64>;
};
template <>
struct cpu_instructions<arch::x86_avx2, std::int8_t>
{
    using type = instruction_list<x86::avx_vnni::dot_i8, x86::avx2::madd_i16>;
};
template <>
struct cpu_instructions<arch::x86_avx2, std::int16_t>
{
    using type = instruction_list<x86::avx_vnni::dot_i16, x86::avx2::madd_i16>;
};
template <>
struct cpu_instructions<arch::x86_avx512, std::int16_t>
{
    using type = instruction_list<x86::avx512_dot::dot_i16, x86::avx2::madd_i16>;
};
template <class Element>
    requires std::is_same_v<Element, float> || std::is_same_v<Element, half> || std::is_same_v<Element, float8_e4m3>
struct cpu_instructions<arch::x86_avx512, Element>
{
    using type = instruction_list<x86::avx512::fma_f32>;
};
template <>
struct cpu_instructions<arch::x86_avx512, bfloat16>
{
    using type = instruction_list<x86::avx512_dot::dot_bf16, x86::avx512::fma_f32>;
};
template <>
struct cpu_instructions<arch::x86_avx512, double>
{
    using type = instruction_list<x86::avx512::fma_f64>;
};
template <>
struct cpu_instructions<arch::x86_avx512, std::int8_t>
{
    using type = instruction_list<x86::avx512_dot::dot_i8, x86::avx2::madd_i16>;
};

// Every machine with tiles has AMX-BF16 and AMX-INT8; AMX-FP16 came later.
template <class Element>
    requires(std::is_same_v<Element, float> || std::is_same_v<Element, double> ||
             std::is_same_v<Element, float8_e4m3> || std::is_same_v<Element, std::int16_t>)
struct cpu_instructions<arch::x86_amx, Element> : cpu_instructions<arch::x86_avx512, Element>
{};
template <>
struct cpu_instructions<arch::x86_amx, half>
{
    using type = instruction_list<x86::amx::dot_f16, x86::avx512::fma_f32>;
};
template <>
struct cpu_instructions<arch::x86_amx, bfloat16>
{
    using type = instruction_list<x86::amx::dot_bf16>;
};
template <>
struct cpu_instructions<arch::x86_amx, std::int8_t>
{
    using type = instruction_list<x86::amx::dot_i8>;
};

/// The tiles that are shipped for an instruction, named by rows and columns.
///
/// Rows are rounded down to whole register tiles: 348 on AVX2. With AMX they are 1024 x 1024, 512 x 512 and
/// 64 x 256.
///
/// | name      | for
/// | t1050x512 | large products: strips of 350 rows pass over the same panels of B, and a packed element serves 1050 or 512
/// |           | products; 1024, 2048 and 4096 rows leave no low block at the end
/// | t350x256  | as t1050x512, if accumulators of 512 columns, 0.7 MB in f32, do not stay in the second cache
/// | t84x256   | products with fewer large tiles than threads, and all of few rows
/// | t84x4096  | one or two rows and row-major B, read from end to end without being packed; half as wide in f64
template <class Target, class Element, class Instruction>
struct cpu_gemm_tiles
{
    using t1050x512 = cpu_gemm_tile<Target, Element, Instruction, 3 * (350 / Instruction::rows * Instruction::rows),
                                    512, 256, 350 / Instruction::rows * Instruction::rows>;
    using t350x256 = cpu_gemm_tile<Target, Element, Instruction, 350 / Instruction::rows * Instruction::rows, 256>;
    using t84x256 = cpu_gemm_tile<Target, Element, Instruction, 84 / Instruction::rows * Instruction::rows, 256>;
    using t84x4096 = cpu_gemm_tile<Target, Element, Instruction, 84 / Instruction::rows * Instruction::rows,
                                   16384 / static_cast<index_t>(sizeof(typename Instruction::word))>;
};

/// Tiles multiply 10 times as fast as vectors, so that packing weighs more: an element serves 1024 products. Panels of 128
/// words stay in the first cache beside the accumulators of a register tile, which are on their way meanwhile.
template <class Target, class Element, class Instruction>
    requires(Instruction::is_tile)
struct cpu_gemm_tiles<Target, Element, Instruction>
{
    using t1050x512 = cpu_gemm_tile<Target, Element, Instruction, 1024, 1024, 128, 256>;
    using t350x256 = cpu_gemm_tile<Target, Element, Instruction, 512, 512, 128, 256>;
    using t84x256 = cpu_gemm_tile<Target, Element, Instruction, 64, 256>;
};

/// Cycles of a thread for its share of the blocks, if `threads` threads compute the product with this tile. A block
/// takes the register tiles' multiplications at the instruction's words_per_cycle, and half a cycle for each word
/// packed and each result stored. If the second cache does not hold the accumulators of a strip, each step of k moves them
/// in and out of it, at half a cycle a byte.
template <class Tile>
double estimate_cycles(long_index_t m, long_index_t n, long_index_t k, long_index_t batch, int threads,
                       const x86::cache_sizes& caches = x86::host_caches(),
                       const x86::multiply_rates& rates = x86::host_multiply_rates())
{
    using I = typename Tile::instruction;
    const auto up = [](long_index_t x, long_index_t unit) { return static_cast<double>(round_up(x, unit)); };
    const long_index_t across = ceil_div(m, Tile::block_m), along = ceil_div(n, Tile::block_n);
    const double blocks = static_cast<double>(across) * static_cast<double>(along) * static_cast<double>(batch);
    if (blocks == 0)
        return 0;
    const double words = static_cast<double>(ceil_div(k, I::per_word));
    const bool stays =
        caches.level2 <= 0 || Tile::strip_m * Tile::pitch * long_index_t{sizeof(typename I::c_type)} <= caches.level2;
    const double moved = stays ? 0 : 0.5 * sizeof(typename I::c_type) * static_cast<double>(ceil_div(k, Tile::block_k));
    const double rows = up(m, I::rows), columns = up(n, I::tile_columns);
    const double all = rows * columns * words / I::words_per_cycle(rates) * static_cast<double>(batch) +
                       0.5 * words * (rows * along + columns * across) * static_cast<double>(batch) +
                       (0.5 + moved) * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(batch);
    const double rounds = static_cast<double>(ceil_div(static_cast<long_index_t>(blocks), threads));
    return all / blocks * rounds;
}

/// The kernels of one instruction: four tiles, each with results stored in vectors or element by element.
template <class Target, class Element, class Instruction, class C, class Epilogue>
struct cpu_gemm_kernels
{
    using tiles = cpu_gemm_tiles<Target, Element, Instruction>;
    using arguments = gemm_arguments<Element, Element, C, Epilogue>;
    template <class Tile, output_access Access>
    using kernel = gemm_kernel<Tile, operand_order::any, operand_order::any, C, Epilogue, Access>;

    /// Calls launch(kernel{}) with the kernel that suits the arguments on `threads` threads. Precondition:
    /// can_implement(args) is ok.
    template <class Launch>
    static auto dispatch(const arguments& args, int threads, Launch&& launch)
    {
        const auto cycles = [&]<class Tile>(type_tag<Tile>) {
            return estimate_cycles<Tile>(args.m, args.n, args.k, args.batch, threads);
        };
        if constexpr (!Instruction::is_tile) {
            using wide = typename tiles::t84x4096;
            if (args.m <= 2 && args.b.column_stride == 1 &&
                gemm_checks::product(ceil_div(args.n, wide::block_n), args.batch) >= threads)
                return launch(kernel<wide, output_access::elements>{}); // one or two rows, any order of C
        }
        const double large = cycles(type_tag<typename tiles::t1050x512>{}),
                     narrow = cycles(type_tag<typename tiles::t350x256>{}),
                     small = cycles(type_tag<typename tiles::t84x256>{});
        if (small < min(large, narrow))
            return dispatch_tile<typename tiles::t84x256>(args, launch);
        if (narrow < large)
            return dispatch_tile<typename tiles::t350x256>(args, launch);
        return dispatch_tile<typename tiles::t1050x512>(args, launch);
    }

    /// dispatch between the two kernels of a tile.
    template <class Tile, class Launch>
    static auto dispatch_tile(const arguments& args, Launch&& launch)
    {
        return writes_vectors(args) ? launch(kernel<Tile, output_access::vectors>{})
                                    : launch(kernel<Tile, output_access::elements>{});
    }

private:
    template <class T>
    struct type_tag
    {};
};

} // namespace tegula
