#pragma once

#include <tegula/core/activation.hpp>
#include <tegula/kernel/gemm/forms/partials.hpp>
#include <tegula/kernel/gemm/prologue/tiles.hpp>
#include <tegula/kernel/moe/combine.hpp>
#include <tegula/kernel/moe/expert_gemm.hpp>
#include <tegula/kernel/moe/route.hpp>
#include <tegula/kernel/moe/sort.hpp>

namespace tegula {

/// A mixture of experts: each token goes to the k experts of its largest logits, through two matrices of each with an
/// activation between, and the results are added with the softmax of those logits as weights.
///
///   out[t] = sum over its experts e of weight[t, e] * f(x[t] W1[e]) W2[e]
///
/// With a second weight W1_up the experts are gated: f(x[t] W1[e]) * (x[t] W1_up[e]) takes the place of f(x[t] W1[e]).
///
/// All matrices have rows of neighbours; strides in elements.
template <class T, class Out>
struct moe_arguments
{
    long_index_t tokens = 0;
    long_index_t width = 0;  ///< d, columns of x and of out
    long_index_t hidden = 0; ///< h, columns between the two matrices
    index_t experts = 0;
    index_t k = 1;
    const T* x = nullptr; ///< [tokens, width]
    long_index_t x_stride = 0;
    const T* w1 = nullptr;         ///< [experts, width, hidden], packed
    const T* w2 = nullptr;         ///< [experts, hidden, width], packed
    const float* logits = nullptr; ///< [tokens, experts], packed
    Out* out = nullptr;            ///< [tokens, width]
    long_index_t out_stride = 0;
    activation function = activation::silu;
    gemm_workspace workspace = {}; ///< moe_workspace_bytes
    const T* w1_up = nullptr;      ///< as w1, of gated experts; their kernels are moe_kernels<Tile, true>
};

/// Where the steps between keep what they pass on, in bytes from the start of the workspace; each part starts at a
/// multiple of 16 bytes.
struct moe_workspace
{
    long_index_t chosen = 0;        ///< index_t [tokens, k]
    long_index_t weights = 0;       ///< float [tokens, k]
    long_index_t first_row = 0;     ///< index_t [experts + 1]
    long_index_t slot_of_row = 0;   ///< index_t [tokens * k]
    long_index_t token_of_row = 0;  ///< index_t [tokens * k]
    long_index_t weight_of_row = 0; ///< float [tokens * k]
    long_index_t between = 0;       ///< T [tokens * k, hidden]
    long_index_t parts = 0;         ///< float [tokens * k, width]
    long_index_t bytes = 0;         ///< of all
};

/// Precondition: check_moe_sizes is ok.
template <class T, class Out>
constexpr moe_workspace make_moe_workspace(const moe_arguments<T, Out>& g)
{
    moe_workspace w;
    const long_index_t slots = g.tokens * g.k;
    const auto take = [&](long_index_t& at, long_index_t bytes) {
        at = w.bytes;
        w.bytes += ceil_div(bytes, 16) * 16;
    };
    take(w.chosen, slots * 4);
    take(w.weights, slots * 4);
    take(w.first_row, (g.experts + long_index_t{1}) * 4);
    take(w.slot_of_row, slots * 4);
    take(w.token_of_row, slots * 4);
    take(w.weight_of_row, slots * 4);
    take(w.between, slots * g.hidden * static_cast<long_index_t>(sizeof(T)));
    take(w.parts, slots * g.width * 4);
    return w;
}

/// Whether sizes are in range, and the workspace's too.
template <class T, class Out>
status check_moe_sizes(const moe_arguments<T, Out>& g)
{
    const char* const names[] = {"tokens", "width", "hidden", "experts"};
    const long_index_t sizes[] = {g.tokens, g.width, g.hidden, g.experts};
    for (int i = 0; i < 4; ++i)
        if (status s = gemm_checks::check_size(names[i], sizes[i]); !s)
            return s;
    if (g.experts < 1 || g.experts > 1024)
        return status(status_code::unsupported, "experts is ") << g.experts << "; the kernels take 1 to 1024";
    if (g.k < 1 || g.k > g.experts)
        return gemm_checks::invalid("a token goes to ")
               << g.k << " of " << g.experts << " experts; it must be 1 of them to all";
    return gemm_checks::check_size("the number of tokens times their experts", g.tokens * g.k);
}

/// Bytes of workspace; 0 if the sizes are wrong.
template <class T, class Out>
long_index_t moe_workspace_bytes(const moe_arguments<T, Out>& g)
{
    return check_moe_sizes(g) ? make_moe_workspace(g).bytes : 0;
}

/// Whether the arguments describe a layer that can be computed: sizes, pointers, strides, workspace.
template <class T, class Out>
status can_implement(const moe_arguments<T, Out>& g)
{
    namespace checks = gemm_checks;
    if (status s = check_moe_sizes(g); !s)
        return s;
    if (status s = checks::check_input("x", matrix_argument<const T>{g.x, g.x_stride, 1, 0}, g.tokens, g.width, 1); !s)
        return s;
    const long_index_t matrix = g.width * g.hidden;
    const long_index_t rows = g.tokens > 0 ? 1 : 0;
    if (status s = checks::check_input("w1", matrix_argument<const T>{g.w1, g.hidden, 1, matrix}, rows * g.width,
                                       g.hidden, g.experts);
        !s)
        return s;
    if (g.w1_up != nullptr)
        if (status s = checks::check_input("w1_up", matrix_argument<const T>{g.w1_up, g.hidden, 1, matrix},
                                           rows * g.width, g.hidden, g.experts);
            !s)
            return s;
    if (status s = checks::check_input("w2", matrix_argument<const T>{g.w2, g.width, 1, matrix}, rows * g.hidden,
                                       g.width, g.experts);
        !s)
        return s;
    if (status s = checks::check_input("the matrix of logits", matrix_argument<const float>{g.logits, g.experts, 1, 0},
                                       g.tokens, g.experts, 1);
        !s)
        return s;
    if (status s = checks::check_output("out", matrix_argument<Out>{g.out, g.out_stride, 1, 0}, g.tokens, g.width, 1);
        !s)
        return s;
    return checks::check_workspace(g.workspace, g.tokens > 0 ? make_moe_workspace(g).bytes : 0);
}

/// The kernels of the two products of a layer, on one tile: rows gathered and activated, rows weighted and scattered.
///
///   Gated  the experts have a second weight w1_up
template <class Tile, bool Gated = false>
struct moe_kernels
{
    static constexpr bool gated = Gated;
    using tile = Tile;
    using target = typename Tile::target;
    using element_type = typename Tile::a_type;
    using orders = operand_orders<operand_order::k_contiguous, operand_order::row_contiguous>;
    using first_weight = std::conditional_t<Gated, gated_rows<element_type>, strided_rows<element_type>>;
    using first_epilogue = std::conditional_t<Gated, epilogue::none, epilogue::chain<epilogue::activate>>;
    using first = prologue_kernels<Tile, gathered_rows<element_type>, first_weight, element_type, first_epilogue,
                                   c_rows_order::as_they_are, orders>;
    using second = prologue_kernels<Tile, strided_rows<element_type>, strided_rows<element_type>, float,
                                    epilogue::chain<epilogue::scale_rows<>>, c_rows_order::by_index, orders>;
};

} // namespace tegula
