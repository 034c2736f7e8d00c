#pragma once

#include <tegula/block/operand_maker.hpp>
#include <tegula/kernel/gemm/forms/prologue.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>

/// Tiles of warp_specialized_gemm and tcgen05_gemm for operands that no tensor copy can load. A warpgroup makes them while
/// others multiply and finish tiles.

namespace tegula {

namespace detail {

/// The maker of an operand, for the tile whose first row is row `row`.
template <class Target, class Operand, class Source, bool Whole>
TEGULA_INLINE auto make_operand(const Source& source, index_t row)
{
    return operand_maker<Target, Operand, Source, Whole>(source, row);
}

/// Whether tensor copies load the operand.
template <class Operand>
inline constexpr bool is_copied = requires(const Operand& x) { x.matrix(); };

/// How tensor copies load the right operand: of a gated product each weight is half of it.
template <class Operands, bool Halves>
struct right_half
{
    using right = typename Operands::right;
    using type = tensor_operand<
        wgmma_operand<typename right::element_type, right::mn / 2, right::k, right::order, right::swizzle>, 1>;
};
template <class Operands>
struct right_half<Operands, false>
{
    using type = typename Operands::right_loads;
};
template <class Operands, bool Halves>
using loads_of = typename right_half<Operands, Halves>::type;

/// Operands of a stage, some of them made.
template <class Operands, bool MakesLeft, bool MakesRight>
struct made_operands : Operands
{
    using base = Operands;
    static constexpr bool copies_left = !MakesLeft;
    static constexpr bool copies_right = !MakesRight;
    static constexpr index_t copied_bytes =
        (MakesLeft ? 0 : Operands::left::bytes) + (MakesRight ? 0 : Operands::right::bytes);
};

} // namespace detail

/// The tile of a product with quantised weights. A comes by tensor copies; packets of B are converted to A's type.
///
///   Tile   a warp_specialized_tile without a cluster, or a tcgen05_tile
///   Form   quantized<...>
///   Whole  packets of a column are contiguous and read in vectors that give 16 bytes of A's type; else they are read
///          one by one, with any strides
template <class Tile, class Form, bool Whole>
struct persistent_quantized_tile : Tile
{
    using target = typename Tile::target;
    using a_type = typename Tile::a_type;
    static_assert(std::is_same_v<a_type, typename Tile::b_type>);
    template <class C, class Epilogue>
    using product_type = quantized_weights_arguments<a_type, Form, C, Epilogue>;

    static constexpr bool makes_operands = true;
    static constexpr int block_threads = Tile::making_threads;

    template <operand_order OrderA, operand_order OrderB>
    struct operands
        : detail::made_operands<typename Tile::template operands<OrderA, OrderB>, Tile::transposed, !Tile::transposed>
    {
        /// The maker of the left or right operand, whose first row or column in C is `first`.
        template <bool Left, class Product>
        static TEGULA_INLINE auto maker(const Product& p, long_index_t batch, index_t first)
        {
            using operand = std::conditional_t<Left, typename operands::left, typename operands::right>;
            if constexpr (Left != Tile::transposed)
                return no_operand_maker{};
            else
                return detail::make_operand<target, operand, quantized_source<Form>, Whole>(
                    make_quantized_source(p, batch), first);
        }
    };
};

/// The tile of a product with a prologue (forms/prologue.hpp). Operands that are strided_rows, gated_rows or
/// filters_by_tap come by tensor copies.
///
///   A, B   operands
///   Whole  the operands of other kinds are read in vectors of 16 bytes along k
///   Rows   by_index: rows of C go where c_rows says; C is written directly then
template <class Tile, class A, class B, bool Whole, c_rows_order Rows = c_rows_order::as_they_are>
struct persistent_prologue_tile : Tile
{
    using target = typename Tile::target;
    template <class C, class Epilogue>
    using product_type = prologue_arguments<A, B, C, Epilogue>;

private:
    static constexpr bool makes_a = !detail::is_copied<A>, makes_b = !detail::is_copied<B> && !is_gated<B>;
    static_assert(!is_gated<B> || (requires { Tile::consumers; } && !Tile::transposed),
                  "tegula: gated products by persistent clusters are for a warp_specialized_tile whose rows are C's");

public:
    static constexpr bool makes_operands = makes_a || makes_b;
    static constexpr int block_threads = makes_operands ? Tile::making_threads : Tile::block_threads;
    /// The columns of a gated product's tile are half of the instruction's, which has both weights.
    static constexpr bool gates = is_gated<B>;
    static constexpr index_t block_n = gates ? Tile::block_n / 2 : Tile::block_n;

private:
    template <bool Makes, class Operand, class X>
    static TEGULA_INLINE auto make(const X& x, const operand_part& part, index_t row)
    {
        if constexpr (Makes)
            return detail::make_operand<target, Operand, decltype(x.source(part)), Whole>(x.source(part), row);
        else
            return no_operand_maker{};
    }

public:
    template <operand_order OrderA, operand_order OrderB>
    struct operands : detail::made_operands<typename Tile::template operands<OrderA, OrderB>,
                                            Tile::transposed ? makes_b : makes_a, Tile::transposed ? makes_a : makes_b>
    {
        using right_loads = detail::loads_of<typename operands::base, gates>;

        /// The maker of the left or right operand, whose first row or column in C is `first`.
        template <bool Left, class Product>
        static TEGULA_INLINE auto maker(const Product& p, long_index_t batch, index_t first)
        {
            using operand = std::conditional_t<Left, typename operands::left, typename operands::right>;
            const auto part = [&](long_index_t rows, const char* name) {
                return operand_part{static_cast<index_t>(rows), 0, static_cast<index_t>(p.k), batch, name};
            };
            if constexpr (Left != Tile::transposed)
                return make<makes_a, operand>(p.a, part(p.m, "A"), first);
            else
                return make<makes_b, operand>(p.b, part(p.n, "B"), first);
        }
    };
};

/// The tile of a product with a prologue and rows of C by index.
template <class Tile, class A, class B, bool Whole>
struct persistent_prologue_tile<Tile, A, B, Whole, c_rows_order::by_index> : persistent_prologue_tile<Tile, A, B, Whole>
{
    static constexpr bool scatters = true;
};

} // namespace tegula
