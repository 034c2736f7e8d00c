#pragma once

#include <tegula/kernel/gemm/cpu/tiles.hpp>
#include <tegula/kernel/gemm/forms/prologue.hpp>
#include <tegula/kernel/gemm/prologue/tiles.hpp>

/// prologue_gemm on CPUs: elements that are found or computed are staged in the block's buffer before they are packed.

namespace tegula {

/// A tile of a CPU, which has no loaders: its k loop takes every kind of operand.
template <class Tile, class A, class B>
    requires requires { typename Tile::operations; }
struct prologue_tile<Tile, A, B> : Tile
{
    template <operand_order, operand_order>
    static constexpr bool loads_directly = false;
    template <operand_order OrderA, operand_order OrderB>
    static consteval index_t shared_bytes()
    {
        return Tile::template shared_bytes<OrderA, OrderB>() + Tile::template loop<OrderA, OrderB>::stage_bytes;
    }
    template <operand_order, operand_order>
    static consteval bool check()
    {
        return true;
    }
};

/// Operands may have any order on a CPU, so two kernels are enough: C in vectors or element by element.
template <class Tile, class A, class B, class C, class Epilogue, c_rows_order Rows, class... Orders>
    requires requires { typename Tile::operations; }
struct prologue_kernels<Tile, A, B, C, Epilogue, Rows, Orders...>
    : kernel_picker<prologue_kernels<Tile, A, B, C, Epilogue, Rows, Orders...>, prologue_arguments<A, B, C, Epilogue>>
{
    using arguments = prologue_arguments<A, B, C, Epilogue>;
    template <output_access Access>
    using kernel = prologue_gemm<Tile, A, B, operand_order::any, operand_order::any, C, Epilogue, Access, Rows>;
    template <operand_order, operand_order>
    using aligned = kernel<output_access::vectors>; ///< a CPU stages operands of any order
    using element_wise = kernel<output_access::elements>;

    /// Calls launch(kernel{}) with the kernel that suits the arguments. Precondition: can_implement(args) is ok.
    template <class Launch>
    static auto dispatch(const arguments& args, Launch&& launch)
    {
        return writes_vectors(args) ? launch(kernel<output_access::vectors>{}) : launch(element_wise{});
    }
};

namespace detail {

template <class List>
struct last_instruction;
template <class Last>
struct last_instruction<instruction_list<Last>>
{
    using type = Last;
};
template <class First, class... Rest>
struct last_instruction<instruction_list<First, Rest...>> : last_instruction<instruction_list<Rest...>>
{};

} // namespace detail

/// The instruction for the type that every machine with the target has.
template <class Target, class Element>
using cpu_basic_instruction = typename detail::last_instruction<typename cpu_instructions<Target, Element>::type>::type;

/// The two tiles of a CPU for products with a prologue, on its basic instruction.
template <class Target, class Element>
    requires(Target::vendor == vendor::x86)
struct prologue_tiles<Target, Element>
{
    using tiles = cpu_gemm_tiles<Target, Element, cpu_basic_instruction<Target, Element>>;
    using small = typename tiles::t84x256;
    using large = typename tiles::t1050x512;

    /// Large tiles convert an element of A once for 512 columns; small ones leave fewer threads idle.
    static constexpr bool prefers_large(const gemm_size& size) { return size.m >= 4 * large::block_m; }
};

/// As on GPUs; each tile takes every product.
template <class Target, class Element>
    requires(Target::vendor == vendor::x86)
struct prologue_choice<Target, Element>
{
    using tiles = prologue_tiles<Target, Element>;
    using with_rows = tile_list<typename tiles::large, typename tiles::small>;
    using with_filters = with_rows;
    using with_taps = with_rows;
    using experts = with_rows;
    using gated_experts = with_rows;

    template <class List, class Takes, class Use>
    static auto choose(const gemm_size& size, bool, const Takes&, const Use& use)
    {
        return List::with(tiles::prefers_large(size) ? 0 : 1, use);
    }
};

} // namespace tegula
