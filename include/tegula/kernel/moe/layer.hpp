#pragma once

#include <tegula/core/activation.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/forms/partials.hpp>
#include <tegula/kernel/gemm/prologue/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/made_dispatch.hpp>
#include <tegula/kernel/moe/combine.hpp>
#include <tegula/kernel/moe/expert_gemm.hpp>
#include <tegula/kernel/moe/route.hpp>
#include <tegula/kernel/moe/sort.hpp>
#include <tegula/kernel/protocol.hpp>
#include <tegula/kernel/tensor_protocol.hpp>

namespace tegula {

/// A mixture-of-experts layer. Each token goes to the k experts of its largest logits. An expert multiplies by two
/// matrices, with an activation f between them. The weights of the sum are the softmax over the k logits.
///
///   out[t] = sum over its experts e of weight[t, e] * f(x[t] W1[e]) W2[e]
///
/// With a second weight W1_up the experts are gated: f(x[t] W1[e]) * (x[t] W1_up[e]) takes the place of f(x[t] W1[e]).
///
/// In all matrices the elements of a row are adjacent. Strides are from row to row, in elements.
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
    gemm_workspace workspace = {}; ///< of moe_workspace_bytes(args) bytes
    const T* w1_up = nullptr;      ///< like w1, for gated experts; take moe_kernels<Tile, true>
};

/// The parts of the workspace, through which one step passes its results to the next. Members are offsets in bytes,
/// multiples of 16.
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
    long_index_t bytes = 0;         ///< size of the workspace
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

/// Whether the sizes, the number of slots, tokens * k, and the workspace are in range.
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
    const long_index_t slots = g.tokens * g.k, columns = max(g.width, g.hidden);
    if (status s = gemm_checks::check_size("the number of tokens times their experts", slots); !s)
        return s;
    constexpr long_index_t most = long_index_t{1} << 58; // so that the workspace's bytes fit 64 bits
    if (slots > 0 && columns > most / slots)
        return status(status_code::unsupported, "the workspace has ")
               << slots << " rows of " << columns << " elements; the limit is " << most
               << " elements: take fewer tokens at a time";
    return {};
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

namespace detail {

/// The launches of a layer, one after the other.
///
///   Kernels  a moe_kernels
template <class Kernels, class Launcher>
struct moe_steps
{
    using arguments = typename Kernels::arguments;
    using T = typename Kernels::element_type;
    using target = typename Kernels::target;

    const arguments& g;
    Launcher& launch;
    moe_workspace w = make_moe_workspace(g);

    template <class Element>
    Element* at(long_index_t place) const
    {
        return reinterpret_cast<Element*>(static_cast<std::byte*>(g.workspace.data) + place);
    }
    long_index_t slots() const { return g.tokens * g.k; }

    template <class Kernel>
    status run(const Kernel& kernel, const typename Kernel::arguments& args)
    {
        const status s = Kernel::check(args);
        return s ? launch.run(kernel, Kernel::normalize(args)) : s;
    }

    template <index_t Experts>
    status route()
    {
        return run(moe_route<target, Experts>{},
                   {g.tokens, g.experts, g.k, g.logits, at<index_t>(w.chosen), at<float>(w.weights)});
    }
    status route() { return g.experts <= 128 ? route<128>() : route<1024>(); }

    status sort()
    {
        return run(moe_sort<target>{},
                   {slots(), g.k, g.experts, at<index_t>(w.chosen), at<float>(w.weights), at<index_t>(w.first_row),
                    at<index_t>(w.slot_of_row), at<index_t>(w.token_of_row), at<float>(w.weight_of_row)});
    }

    /// The product of all rows of the experts.
    template <class Products>
    status multiply(const typename Products::arguments& all, const char* name)
    {
        if constexpr (Kernels::persistent) {
            return dispatch_persistent<Products>(all, [&](auto kernel, const auto& product) {
                typename decltype(kernel)::arguments args{};
                args.product = product;
                args.first_row = at<index_t>(w.first_row);
                args.experts = g.experts;
                return launch.start(kernel, args);
            });
        } else {
            return multiply_by_blocks<Products>(all, name);
        }
    }
    /// Calls start(kernel{}, product) with the kernel of persistent clusters for the product; ok without elements.
    template <class Products, class Start>
    static status dispatch_persistent(typename Products::arguments product, const Start& start)
    {
        if (product.m == 0 || product.n == 0)
            return {};
        product.b.set_batch_stride(product.k * product.n);
        return Products::dispatch(
            product, [&](auto kernel) { return start(kernel, product); }, [](const status& why) { return why; });
    }
    template <class Products>
    status multiply_by_blocks(const typename Products::arguments& all, const char* name)
    {
        return Products::dispatch(all, [&](auto kernel) {
            using grouped = expert_gemm<decltype(kernel)>;
            const typename grouped::arguments args{all, at<index_t>(w.first_row), g.experts, all.k * all.n};
            if (status s = grouped::check(args); !s)
                return s;
            launch_config config;
            config.grid.x = grouped::blocks(args);
            config.name = name;
            return launch(config, grouped{}, grouped::normalize(args));
        });
    }

    typename Kernels::first::arguments first_product() const
    {
        typename Kernels::first::arguments p{slots(), g.hidden, g.width, 1};
        p.a = {g.x, g.x_stride, 1, 0, at<index_t>(w.token_of_row), 0, g.tokens};
        const strided_rows<T> w1{g.w1, 1, g.hidden, 0};
        p.c = {at<T>(w.between), g.hidden, 1, 0};
        if constexpr (Kernels::gated) {
            p.b = {w1, {g.w1_up, 1, g.hidden, 0}, g.function};
        } else {
            p.b = w1;
            p.epilogue = epilogue::make_chain(epilogue::activate{g.function});
        }
        return p;
    }
    typename Kernels::second::arguments second_product() const
    {
        typename Kernels::second::arguments p{slots(), g.width, g.hidden, 1};
        p.a = {at<T>(w.between), g.hidden, 1, 0};
        p.b = {g.w2, 1, g.width, 0};
        p.c = {at<float>(w.parts), g.width, 1, 0};
        p.epilogue = epilogue::make_chain(epilogue::scale_rows<>{at<float>(w.weight_of_row), 1});
        p.c_rows = at<index_t>(w.slot_of_row);
        p.c_height = slots();
        return p;
    }
    status multiply_first() { return multiply<typename Kernels::first>(first_product(), "moe, first product"); }
    status multiply_second() { return multiply<typename Kernels::second>(second_product(), "moe, second product"); }

    /// Whether there is a kernel of persistent clusters for both products.
    status find_persistent() const
    {
        const auto found = [](auto, const auto&) { return status(); };
        const status s = dispatch_persistent<typename Kernels::first>(first_product(), found);
        return s ? dispatch_persistent<typename Kernels::second>(second_product(), found) : s;
    }

    /// Combines in the longest vectors that suit, of at most `Vector` columns.
    template <int Vector>
    status combine()
    {
        using kernel = moe_combine<target, typename Kernels::out_type, Vector>;
        const typename kernel::arguments args{g.tokens, g.width, g.k, at<float>(w.parts), g.out, g.out_stride};
        if constexpr (Vector > 1)
            if (!kernel::suits(args))
                return combine<(Vector > 4 ? 4 : 1)>();
        return run(kernel{}, args);
    }
    /// 16 bytes are 8 columns of 16 bits, or 4 of 32.
    status combine() { return combine<(sizeof(typename Kernels::out_type) < 4 ? 8 : 4)>(); }
};

} // namespace detail

/// The kernels of a layer. Both products take the same tile: the first gathers rows and applies the activation, the
/// second weights rows and scatters them.
///
///     status s = launch(device, moe_kernels<Tile>{}, args);
///
///   Arguments  a moe_arguments of the tile's element type
///   Gated      the experts have a second weight w1_up
template <class Tile, bool Gated = false, class Arguments = any_arguments>
struct moe_kernels;

template <class Tile, bool Gated>
struct moe_kernels<Tile, Gated, any_arguments>
{
    template <class Arguments>
    using with_arguments = moe_kernels<Tile, Gated, Arguments>;
};

template <class Tile, class T, class Out, bool Gated>
struct moe_kernels<Tile, Gated, moe_arguments<T, Out>> : tensor_protocol<moe_arguments<T, Out>>
{
    static_assert(std::is_same_v<T, typename Tile::a_type>, "tegula: the layer has another element type than the tile");

    static constexpr bool gated = Gated;
    using arguments = moe_arguments<T, Out>;
    using tile = Tile;
    using target = typename Tile::target;
    using element_type = T;
    using out_type = Out;
    using orders = operand_orders<operand_order::k_contiguous, operand_order::row_contiguous>;
    using first_weight = std::conditional_t<Gated, gated_rows<T>, strided_rows<T>>;
    using first_epilogue = std::conditional_t<Gated, epilogue::none, epilogue::chain<epilogue::activate>>;
    /// Whether the tile is a warp_specialized_tile, whose clusters go from expert to expert.
    static constexpr bool persistent = requires { Tile::making_threads; };

private:
    template <class A, class B, class C, class Epilogue, c_rows_order Rows>
    static auto find_products()
    {
        if constexpr (persistent)
            return persistent_prologue_kernels<Tile, A, B, C, Epilogue, Rows, work_partition::experts>{};
        else
            return prologue_kernels<Tile, A, B, C, Epilogue, Rows, orders>{};
    }

public:
    using first =
        decltype(find_products<gathered_rows<T>, first_weight, T, first_epilogue, c_rows_order::as_they_are>());
    using second = decltype(find_products<strided_rows<T>, strided_rows<T>, float,
                                          epilogue::chain<epilogue::scale_rows<>>, c_rows_order::by_index>());

    /// Errors: those of can_implement; a w1_up that the kernels do not take, or that is missing.
    static status check(const arguments& args)
    {
        if (status s = can_implement(args); !s)
            return s;
        if (Gated == (args.w1_up != nullptr))
            return {};
        return Gated ? gemm_checks::invalid("w1_up is a null pointer; gated experts have it, others take "
                                            "moe_kernels<Tile>")
                     : gemm_checks::invalid("w1_up is given; experts with it take moe_kernels<Tile, true>");
    }
    /// Ok if the kernels take the layer; else why not, as a launch does. Precondition: check(args) is ok.
    static status can_take(const arguments& args)
    {
        struct
        {
        } none;
        const detail::moe_steps<moe_kernels, decltype(none)> steps{args, none};
        if constexpr (persistent)
            return steps.find_persistent();
        else
            return first::reaches(steps.first_product());
    }
    template <class Memory>
    static void memory(const arguments& g, Memory& memory)
    {
        const auto experts = [&](const T* data, long_index_t rows, long_index_t columns, const char* name) {
            const matrix_argument<const T> matrices{data, columns, 1, rows * columns};
            add_matrix(memory, matrices, rows, columns, g.experts, name);
        };
        add_matrix(memory, matrix_argument<const T>{g.x, g.x_stride, 1, 0}, g.tokens, g.width, 1, "x");
        experts(g.w1, g.width, g.hidden, "w1");
        experts(g.w1_up, g.width, g.hidden, "w1_up");
        experts(g.w2, g.hidden, g.width, "w2");
        add_array(memory, g.logits, g.tokens * g.experts, "logits");
        add_matrix(memory, matrix_argument<Out>{g.out, g.out_stride, 1, 0}, g.tokens, g.width, 1, "out");
        memory.write(g.workspace.data, static_cast<std::size_t>(make_moe_workspace(g).bytes), "workspace");
    }
    /// Errors: those of the steps.
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        if (args.tokens == 0 || args.width == 0)
            return {};
        detail::moe_steps<moe_kernels, Launcher> steps{args, launch};
        status s = steps.route();
        if (s)
            s = steps.sort();
        if (s)
            s = steps.multiply_first();
        if (s)
            s = steps.multiply_second();
        return s ? steps.combine() : s;
    }
};

} // namespace tegula
