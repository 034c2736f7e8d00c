#pragma once

// The words of kernels.json for a GEMM: its tile, its form and the orders of its operands. cmake/kernels.py writes the
// files that instantiate the list for the program; code_objects.py writes those of the code objects.

#include "inputs.hpp"

#include <tegula/gemm.hpp>
#include <tegula/kernel/gemm/forms/block_scaled.hpp>
#include <tegula/kernel/gemm/forms/grouped.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>
#include <tegula/kernel/gemm/forms/stream_k.hpp>

namespace gemm_example {

using tegula::operand_order;

template <class... Items>
struct type_list
{
    static constexpr int size = sizeof...(Items);
};

/// Every --type of a target.
template <class Target>
using shipped_inputs = std::conditional_t<
    fp8_inputs<Target>::exists,
    type_list<bf16_inputs<Target>, f16_inputs<Target>, tf32_inputs<Target>, int8_inputs<Target>, fp8_inputs<Target>>,
    type_list<bf16_inputs<Target>, f16_inputs<Target>, tf32_inputs<Target>, int8_inputs<Target>>>;

/// The epilogue of the program's kernels; see problem.hpp.
template <class T>
using epilogue_of = std::conditional_t<std::is_integral_v<T>, tegula::epilogue::none, tegula::epilogue::linear<>>;

// Tiles

#define GEMM_EXAMPLE_TILE(tile)                                                                                        \
    struct tile##_tile                                                                                                 \
    {                                                                                                                  \
        static constexpr const char* name = #tile;                                                                     \
        template <class Tiles>                                                                                         \
        using of = typename Tiles::tile;                                                                               \
    };
GEMM_EXAMPLE_TILE(t256x256)
GEMM_EXAMPLE_TILE(t256x128)
GEMM_EXAMPLE_TILE(t128x128_interleaved)
GEMM_EXAMPLE_TILE(t128x256)
GEMM_EXAMPLE_TILE(t128x128)
GEMM_EXAMPLE_TILE(t64x64)
GEMM_EXAMPLE_TILE(t32x128)
// Tiles of warp_specialized_tiles.
GEMM_EXAMPLE_TILE(ws128x256_2x1)
GEMM_EXAMPLE_TILE(ws128x128)
GEMM_EXAMPLE_TILE(ws128x128_2x1_promoted)
GEMM_EXAMPLE_TILE(ws16x128)
GEMM_EXAMPLE_TILE(ws64x128)
// Tiles of sm_100a and sm_103a.
GEMM_EXAMPLE_TILE(tc256x256_2x1)
GEMM_EXAMPLE_TILE(tc128x128)
GEMM_EXAMPLE_TILE(tc128x64)
#undef GEMM_EXAMPLE_TILE

// Kernels

/// The properties by which the shipped kernels of an architecture differ.
struct kernel_words
{
    const char* type; ///< of the inputs, as --type has it
    const char* tile;
    const char* form; ///< "plain", "split_k" ...
    operand_order order_a;
    operand_order order_b;

    constexpr bool element_wise() const { return order_a == operand_order::any; }
};

/// A short text made at compile time.
struct short_text
{
    char characters[64] = {};
    int length = 0;

    constexpr short_text& operator<<(const char* more)
    {
        while (*more != 0)
            characters[length++] = *more++;
        return *this;
    }
    constexpr bool operator==(const char* other) const
    {
        int i = 0;
        while (i < length && characters[i] == other[i])
            ++i;
        return i == length && other[i] == 0;
    }
};

constexpr bool same_text(const char* a, const char* b) { return (short_text() << a) == b; }

constexpr const char* letter(operand_order order) { return order == operand_order::k_contiguous ? "k" : "r"; }

/// The function's name in the code object: gemm_bf16_t128x128_kr is the plain product of A with k contiguous and B with
/// rows of n contiguous, gemm_bf16_t128x128_any reads element by element.
constexpr short_text symbol_of(const kernel_words& w)
{
    short_text name;
    name << "gemm_" << w.type << "_" << w.tile;
    if (!same_text(w.form, "plain"))
        name << "_" << w.form;
    name << "_";
    return w.element_wise() ? name << "any" : name << letter(w.order_a) << letter(w.order_b);
}

/// The code object it is in, without the extension. The orders of a tile share much of the compiler's work: as many are
/// together as compile in 5 seconds. The kernels of a form are together with their sums of parts. Int8 epilogues are
/// apart, as their two kernels share little.
constexpr short_text unit_of(const char* arch, const kernel_words& w)
{
    short_text name;
    name << arch << "_" << w.type << "_" << w.tile << "_";
    const char* form = same_text(w.form, "split_k_sum")    ? "split_k"
                       : same_text(w.form, "stream_k_sum") ? "stream_k"
                                                           : w.form;
    const bool is_int8 = same_text(w.type, "int8");
    if (!same_text(form, "plain"))
        return is_int8 ? name << form << "_" << (w.element_wise() ? "any" : "aligned") : name << form;
    if (w.element_wise())
        return name << "any";
    const bool is_fp8 = w.type[0] == 'f' && w.type[1] == 'p';
    if (same_text(w.tile, "t256x128") || same_text(w.tile, "t128x128_interleaved") ||
        (is_fp8 && same_text(w.tile, "t256x256")))
        return name << letter(w.order_a) << letter(w.order_b);
    const bool is_long = same_text(w.tile, "t256x256") || same_text(w.tile, "t128x128") ||
                         ((is_int8 || is_fp8) && same_text(w.tile, "t32x128")) ||
                         (is_int8 && same_text(w.tile, "t64x64") && same_text(arch, "gfx1100"));
    return name << (is_long ? letter(w.order_a) : "aligned");
}

/// One row of the list. Kernel is complete only where the row is used.
template <class Inputs, class TileName, class Form, operand_order A, operand_order B>
struct shipped_kernel
{
    static constexpr kernel_words words{Inputs::name, TileName::name, Form::name, A, B};
    using kernel = typename Form::template kernel<Inputs, TileName, A, B>;
};

template <class Inputs, class TileName>
using tile_of = typename TileName::template of<tegula::gemm_tiles<typename Inputs::target, typename Inputs::type>>;

template <class Kernels, operand_order A, operand_order B>
struct kernel_by_order
{
    using type = typename Kernels::template aligned<A, B>;
};
template <class Kernels>
struct kernel_by_order<Kernels, operand_order::any, operand_order::any>
{
    using type = typename Kernels::element_wise;
};

/// The tile under whose name the element-wise kernel of a tile is shipped: tiles past 128 x 128 have that of `t128x128`.
template <class Inputs, class TileName>
using element_wise_owner = std::conditional_t<
    std::is_same_v<typename tile_of<Inputs, TileName>::element_wise_tile, tile_of<Inputs, t128x128_tile>>,
    t128x128_tile, TileName>;

// Forms

struct plain_form
{
    static constexpr const char* name = "plain";
    template <class Inputs, class TileName, operand_order A, operand_order B>
    using kernel = typename kernel_by_order<
        tegula::gemm_kernels<tile_of<Inputs, TileName>, tegula::accumulator_of<typename Inputs::type>,
                             epilogue_of<typename Inputs::type>>,
        A, B>::type;
};

template <class Inputs, class TileName, operand_order A, operand_order B>
using plain_kernel = typename plain_form::kernel<Inputs, TileName, A, B>;

#define GEMM_EXAMPLE_FORM(form, ...)                                                                                   \
    struct form##_form                                                                                                 \
    {                                                                                                                  \
        static constexpr const char* name = #form;                                                                     \
        template <class Inputs, class TileName, operand_order A, operand_order B>                                      \
        using kernel = __VA_ARGS__;                                                                                    \
    };
GEMM_EXAMPLE_FORM(split_k, tegula::split_k_gemm<plain_kernel<Inputs, TileName, A, B>>)
GEMM_EXAMPLE_FORM(split_k_sum, tegula::reduce_partials<tegula::split_k_gemm<plain_kernel<Inputs, TileName, A, B>>>)
GEMM_EXAMPLE_FORM(stream_k, tegula::stream_k_gemm<plain_kernel<Inputs, TileName, A, B>>)
GEMM_EXAMPLE_FORM(stream_k_sum, tegula::reduce_partials<tegula::stream_k_gemm<plain_kernel<Inputs, TileName, A, B>>>)
/// C in the inputs' own 16 bits.
GEMM_EXAMPLE_FORM(
    narrow,
    typename kernel_by_order<
        tegula::gemm_kernels<tile_of<Inputs, TileName>, typename Inputs::type, tegula::epilogue::linear<>>, A, B>::type)
GEMM_EXAMPLE_FORM(grouped, tegula::grouped_gemm<plain_kernel<Inputs, TileName, A, B>>)

/// Scales per row, column and matrix, residual, a second output, activation, limits; C quantised to fp8.
template <class Target>
using quantized_output = examples::float8_flavour<Target, tegula::float8_e4m3, tegula::float8_e4m3_fnuz>;
using float_parts = tegula::epilogue::chain<tegula::epilogue::scale_rows<>, tegula::epilogue::scale_columns<>,
                                            tegula::epilogue::add_residual<float>, tegula::epilogue::store_copy<float>,
                                            tegula::epilogue::activate, tegula::epilogue::clamp,
                                            tegula::epilogue::scale_tensor<tegula::epilogue::scaling::divide>>;
/// The parts of an epilogue of integer products: dequantised, with a bias, and quantised to int8.
using integer_parts = tegula::epilogue::as_float<tegula::epilogue::scale_tensor<>, tegula::epilogue::scale_columns<>,
                                                 tegula::epilogue::add_bias<float>, tegula::epilogue::store_copy<float>,
                                                 tegula::epilogue::scale_rows<tegula::epilogue::scaling::divide>>;

template <class Inputs, class TileName>
using parts_kernels = std::conditional_t<
    std::is_integral_v<typename Inputs::type>,
    tegula::gemm_kernels<tile_of<Inputs, TileName>, std::int8_t, integer_parts>,
    tegula::gemm_kernels<tile_of<Inputs, TileName>, quantized_output<typename Inputs::target>, float_parts>>;
GEMM_EXAMPLE_FORM(epilogue, typename kernel_by_order<parts_kernels<Inputs, TileName>, A, B>::type)

template <class Inputs, class TileName, class Weights>
using quantized_weights_kernels_of =
    tegula::quantized_weights_kernels<tile_of<Inputs, TileName>, Weights, float,
                                      tegula::epilogue::chain<tegula::epilogue::scale_columns<>>>;
GEMM_EXAMPLE_FORM(int8_weights,
                  typename kernel_by_order<
                      quantized_weights_kernels_of<Inputs, TileName, tegula::quantized<std::int8_t>>, A, B>::type)
GEMM_EXAMPLE_FORM(
    int4_weights,
    typename kernel_by_order<quantized_weights_kernels_of<Inputs, TileName, tegula::quantized<tegula::int4x2, 64>>, A,
                             B>::type)

template <class Inputs, class TileName>
using block_scaled_tile =
    typename TileName::template of<tegula::block_scaled_tiles<typename Inputs::target, typename Inputs::type>>;
GEMM_EXAMPLE_FORM(
    block_scaled,
    typename kernel_by_order<
        tegula::block_scaled_kernels<block_scaled_tile<Inputs, TileName>, float, tegula::epilogue::none>, A, B>::type)
#undef GEMM_EXAMPLE_FORM

} // namespace gemm_example
