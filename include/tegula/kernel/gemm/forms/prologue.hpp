#pragma once

#include <tegula/kernel/gemm/c_view.hpp>
#include <tegula/kernel/gemm/dispatch.hpp>
#include <tegula/kernel/gemm/prologue/gated.hpp>
#include <tegula/kernel/gemm/prologue/operands.hpp>
#include <tegula/layout/transform/shift.hpp>

namespace tegula {

/// C[b] = epilogue(A[b] B[b]^T) of operands that need not be matrices in memory: rows found by index, elements made
/// from several tensors (kernel/gemm/prologue/operands.hpp). A is [m, k], B is [n, k], C is [m, n].
///
/// c_rows    if it is not null, row i of the product is row c_rows[i] of C, in every product of the batch; rows with
///           an index below 0 are not stored. No two rows may have the same index: they are not added up
/// c_height  rows of C; every index is below it. Not used without c_rows
template <class A, class B, class C, class Epilogue>
struct prologue_arguments
{
    using a_operand = A;
    using b_operand = B;
    using epilogue_type = Epilogue;

    long_index_t m = 0;
    long_index_t n = 0;
    long_index_t k = 0;
    long_index_t batch = 1;
    A a = {};
    B b = {};
    matrix_argument<C> c = {};
    Epilogue epilogue = {};
    const index_t* c_rows = nullptr;
    long_index_t c_height = 0;

    template <class Memory>
    void memory(Memory& memory) const
    {
        a.memory("A", m, k, batch, memory);
        b.memory("B", n, k, batch, memory);
        if (c_rows != nullptr)
            memory.read(c_rows, static_cast<std::size_t>(m) * sizeof(index_t), "rows of C");
        add_matrix(memory, c, c_rows != nullptr ? c_height : m, n, batch, "C");
    }
};

/// The checks of can_implement, without C.
template <class A, class B, class C, class Epilogue>
status check_operands(const prologue_arguments<A, B, C, Epilogue>& g)
{
    namespace checks = gemm_checks;
    if (status s = checks::check_sizes(g.m, g.n, g.k, g.batch); !s)
        return s;
    if (checks::product(checks::product(g.m, g.n), g.batch) < 0)
        return checks::invalid("a C of ") << g.m << " x " << g.n << " x " << g.batch << " elements passes 2^63";
    if (status s = g.a.check("A", g.m, g.k, g.batch); !s)
        return s;
    return g.b.check("B", g.n, g.k, g.batch);
}

namespace detail {

/// Whether the matrices of a batch are adjacent columns of one matrix, as for the groups of a convolution.
template <class C>
constexpr bool are_adjacent_columns(const matrix_argument<C>& c, long_index_t m, long_index_t n, long_index_t batch)
{
    return batch > 1 && m > 0 && n > 0 && c.column_stride == 1 && c.batch_stride >= n && c.batch_stride < INT32_MAX &&
           gemm_checks::absolute(c.row_stride) >= (batch - 1) * c.batch_stride + n;
}

} // namespace detail

/// Whether the arguments describe a product that can be computed; see can_implement of gemm_arguments. The C of a batch
/// may also be columns of one matrix. Indices are not read.
template <class A, class B, class C, class Epilogue>
status can_implement(const prologue_arguments<A, B, C, Epilogue>& g)
{
    if (status s = check_operands(g); !s)
        return s;
    if (g.c_rows == nullptr && detail::are_adjacent_columns(g.c, g.m, g.n, g.batch))
        return gemm_checks::check_output("C", g.c, g.m, (g.batch - 1) * g.c.batch_stride + g.n, 1);
    if (g.c_rows == nullptr)
        return gemm_checks::check_output("C", g.c, g.m, g.n, g.batch);
    if (status s = gemm_checks::check_size("the number of rows of C", g.c_height); !s)
        return s;
    return gemm_checks::check_output("C", g.c, g.c_height, g.n, g.batch);
}

template <class A, class B, class C, class Epilogue>
bool writes_vectors(const prologue_arguments<A, B, C, Epilogue>& g)
{
    return has_vector_rows(g.c, g.c_rows != nullptr ? g.c_height : g.m, g.n, g.batch) &&
           epilogue::part_suits_vectors(g.epilogue, epilogue::extents_of(g));
}

namespace detail {

/// Whether a kernel of this order can read the operand; those that are computed suit the orders that they allow.
template <operand_order Order, class Operand>
bool suits([[maybe_unused]] const Operand& x, long_index_t rows, long_index_t k, long_index_t batch)
{
    if constexpr (requires { x.template suits<Order>(rows, k, batch); })
        return x.template suits<Order>(rows, k, batch);
    else
        return true;
}

} // namespace detail

/// Rows of C in order, or by index.
enum class c_rows_order { as_they_are, by_index };

namespace detail {

/// The loop over k of a prologue_tile: that of its schedule if operands come by direct loads, else multistage_loop.
template <bool LoadsDirectly, class Tile, operand_order OrderA, operand_order OrderB>
struct prologue_loop
{
    using type = multistage_loop<Tile, OrderA, OrderB>;
};
template <class Tile, operand_order OrderA, operand_order OrderB>
struct prologue_loop<true, Tile, OrderA, OrderB>
{
    using type = typename Tile::schedule::template loop<Tile, OrderA, OrderB>;
};

/// The loader of an operand's Rows by direct loads, which not every operand has.
template <class Tile, class Operand, index_t Rows, operand_order Order, class Distribution>
struct direct_operand
{
    using type = typename Operand::template direct_loader<typename Tile::target, Rows, Tile::block_k, Tile::mma::waves,
                                                          Order, Distribution>;
};

} // namespace detail

/// Ok if direct loads, where the kernel has them, reach all of the operands.
template <class Kernel, class Arguments>
status check_reach([[maybe_unused]] const Arguments& g)
{
    if constexpr (requires { requires Kernel::loads_directly; }) {
        if constexpr (requires { g.a.check_reach("A", g.k); })
            if (status s = g.a.check_reach("A", g.k); !s)
                return s;
        if constexpr (requires { g.b.check_reach("B", g.k); })
            return g.b.check_reach("B", g.k);
    }
    return {};
}

/// A tile with the loaders that A and B name.
template <class Tile, class A, class B>
struct prologue_tile : Tile
{
    using mma = typename Tile::mma;

    template <operand_order Order>
    using a_loader = typename A::template loader<typename Tile::target, Tile::block_m, Tile::block_k, mma::waves, Order,
                                                 typename mma::a_distribution, mma::transposed ? 0 : Tile::atom::m>;
    template <operand_order Order>
    using b_loader = typename B::template loader<typename Tile::target, Tile::block_n, Tile::block_k, mma::waves, Order,
                                                 typename mma::b_distribution, mma::transposed ? 0 : Tile::atom::n>;
    template <operand_order Order>
    using direct_a_loader =
        typename detail::direct_operand<Tile, A, Tile::block_m, Order, typename mma::a_distribution>::type;
    template <operand_order Order>
    using direct_b_loader =
        typename detail::direct_operand<Tile, B, Tile::block_n, Order, typename mma::b_distribution>::type;

    /// Whether the tile's schedule loads directly, and both operands can.
    template <operand_order OrderA, operand_order OrderB>
    static constexpr bool loads_directly = requires {
        Tile::schedule::loads_directly;
    } && A::template loads_directly<Tile::block_m, OrderA> && B::template loads_directly<Tile::block_n, OrderB>;
    template <operand_order OrderA, operand_order OrderB>
    using loop = typename detail::prologue_loop<loads_directly<OrderA, OrderB>, prologue_tile, OrderA, OrderB>::type;

    /// As in gemm_tile, with these loaders.
    template <operand_order OrderA, operand_order OrderB>
    static consteval index_t shared_bytes()
    {
        constexpr index_t a = a_loader<OrderA>::tile_elements * static_cast<index_t>(sizeof(typename Tile::a_type));
        constexpr index_t b = b_loader<OrderB>::tile_elements * static_cast<index_t>(sizeof(typename Tile::b_type));
        return max(Tile::stages * (a + b), Tile::output::bytes);
    }

    /// True, or the compilation stops with the rule that the tile breaks.
    template <operand_order OrderA, operand_order OrderB>
    static consteval bool check()
    {
        constexpr long bytes = shared_bytes<OrderA, OrderB>();
        constexpr long limit = Tile::target::chip().shared_bytes;
        constexpr int conflicts = a_loader<OrderA>::shared::conflicts + b_loader<OrderB>::shared::conflicts;
        return sizeof(gemm_rules::stages_fit_shared_memory<(bytes <= limit), bytes, limit>) &&
               sizeof(gemm_rules::shared_memory_is_free_of_conflicts < conflicts == 0, conflicts >);
    }
};

/// GEMM with a prologue, by the loop of its prologue_tile. Further parameters as for gemm_kernel.
template <class Tile, class A, class B, operand_order OrderA, operand_order OrderB, class C, class Epilogue,
          output_access Access, c_rows_order Rows = c_rows_order::as_they_are>
struct prologue_gemm : product_protocol<prologue_arguments<A, B, C, Epilogue>>
{
    using plain = gemm_kernel<Tile, OrderA, OrderB, C, Epilogue, Access>;
    using tile = prologue_tile<Tile, A, B>;
    using target = typename Tile::target;
    using a_type = typename Tile::a_type;
    using b_type = typename Tile::b_type;
    using c_type = C;
    using arguments = prologue_arguments<A, B, C, Epilogue>;
    using mma = typename Tile::mma;

    static_assert(std::is_same_v<typename A::element_type, a_type> && std::is_same_v<typename B::element_type, b_type>,
                  "tegula: the operands have other element types than the tile");
    static_assert(A::template allows<OrderA> && B::template allows<OrderB>,
                  "tegula: the operand has no vectors along that dimension; take prologue_kernels, which knows");
    static_assert(tile::template check<OrderA, OrderB>());

    static constexpr operand_order order_a = OrderA;
    static constexpr operand_order order_b = OrderB;
    static constexpr bool vector_c = Access == output_access::vectors;
    static constexpr bool scatters = Rows == c_rows_order::by_index;
    static constexpr bool loads_directly = tile::template loads_directly<OrderA, OrderB>;
    static constexpr int block_threads = Tile::block_threads;
    static constexpr index_t gate_bytes = is_gated<B> ? gate_sums<Tile>::bytes : 0;
    static constexpr index_t shared_bytes = tile::template shared_bytes<OrderA, OrderB>() + gate_bytes;

    /// Errors: those of can_implement and check_epilogue; unsupported for operands or a C that do not lie in memory as
    /// the kernel reads and writes them; an operand that direct loads do not reach.
    static status check(const arguments& args)
    {
        if (status s = check_arguments(args); !s || args.m == 0 || args.n == 0 || args.batch == 0)
            return s;
        if (!detail::suits<OrderA>(args.a, args.m, args.k, args.batch))
            return internal::wrong_order<OrderA>("an A", "m");
        if (!detail::suits<OrderB>(args.b, args.n, args.k, args.batch))
            return internal::wrong_order<OrderB>("a B", "n");
        const status s = internal::check_vectors_of_c<prologue_gemm>(args);
        return s ? check_reach<prologue_gemm>(args) : s;
    }

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return plain::blocks(without_operands(args));
    }

    TEGULA_INLINE void operator()(const arguments& args) const { compute(args, position(args, target::block_id()[0])); }

    /// The whole work of a block: the tile at `at` of C.
    static TEGULA_INLINE void compute(const arguments& args, const tile_position& at)
    {
        typename mma::accumulators acc; // [block_m, block_n]
        acc.clear();
        const auto k = static_cast<index_t>(args.k);
        if constexpr (is_gated<B>) {
            multiply(acc, args, args.b.gate, at, 0, k);
            target::block_barrier(); // shared memory is used again
            const gate_sums<Tile> gate(acc, target::shared_memory() + shared_bytes - gate_bytes);
            acc.clear();
            multiply(acc, args, args.b.up, at, 0, k);
            gate.template multiply<target>(acc, args.b.function);
        } else {
            multiply(acc, args, at, 0, k);
        }
        finish(acc, args, at);
    }

    /// As in gemm_kernel.
    static TEGULA_INLINE tile_position position(const arguments& args, index_t number)
    {
        return plain::position(without_operands(args), number);
    }
    static TEGULA_INLINE void multiply(typename mma::accumulators& acc, const arguments& args, const tile_position& at,
                                       index_t first_k, index_t last_k)
    {
        static_assert(!is_gated<B>, "tegula: the gate of a product needs all of its k; do not share k among blocks");
        multiply(acc, args, args.b, at, first_k, last_k);
    }
    static TEGULA_INLINE void finish(const typename mma::accumulators& acc, const arguments& args,
                                     const tile_position& at)
    {
        const auto epilogue = [&]() -> const Epilogue& { return args.epilogue; };
        Tile::output::store_through(epilogue, acc, c_window(args, at, 0), at.batch, target::shared_memory());
    }
    template <class Distribution = typename plain::pass_distribution>
    static TEGULA_INLINE auto c_window(const arguments& args, const tile_position& at, index_t row)
    {
        if constexpr (scatters)
            return make_tile_window<Distribution>(make_scattered_c_view<target, vector_c>(args, at.batch),
                                                  {at.m * Tile::block_m + row, at.n * Tile::block_n});
        else
            return plain::template c_window<Distribution>(without_operands(args), at, row);
    }

private:
    template <class RowsOfB>
    static TEGULA_INLINE void multiply(typename mma::accumulators& acc, const arguments& args, const RowsOfB& b,
                                       const tile_position& at, index_t first_k, index_t last_k)
    {
        const auto part = [&](long_index_t rows, const char* name) {
            return operand_part{static_cast<index_t>(rows), first_k, last_k - first_k, at.batch, name};
        };
        tile::template loop<OrderA, OrderB>::run(acc, args.a.source(part(args.m, "A")), b.source(part(args.n, "B")),
                                                 at.m * Tile::block_m, at.n * Tile::block_n, target::shared_memory());
    }
    static constexpr TEGULA_HOST_DEVICE typename plain::arguments without_operands(const arguments& args)
    {
        return {args.m, args.n, args.k, args.batch, {}, {}, args.c, args.epilogue};
    }
};

/// The kernels of one tile for operands of these kinds; as gemm_kernels.
template <class Tile, class A, class B, class C, class Epilogue, c_rows_order Rows = c_rows_order::as_they_are,
          class... Orders>
struct prologue_kernels
    : kernel_picker<prologue_kernels<Tile, A, B, C, Epilogue, Rows, Orders...>, prologue_arguments<A, B, C, Epilogue>>
{
    using arguments = prologue_arguments<A, B, C, Epilogue>;

    struct orders
    {
        template <operand_order X, operand_order Y>
        static constexpr bool has =
            A::template allows<X> && B::template allows<Y> && order_list<Orders...>::template has<X, Y>;
    };

    template <operand_order X, operand_order Y>
    using aligned = prologue_gemm<Tile, A, B, X, Y, C, Epilogue, output_access::vectors, Rows>;
    using element_wise = prologue_gemm<typename Tile::element_wise_tile, A, B, operand_order::any, operand_order::any,
                                       C, Epilogue, output_access::elements, Rows>;

    /// Ok if direct loads reach the operands, where the kernel for their orders has them. Precondition: that of dispatch.
    static status reaches(const arguments& args)
    {
        return by_order(args, true, [&](auto kernel) { return check_reach<decltype(kernel)>(args); });
    }

    /// Calls launch(kernel{}) with the kernel that suits the arguments; the element-wise one if direct loads do not reach
    /// them. Precondition: can_implement(args) is ok, and args.c_rows is null exactly when Rows is as_they_are.
    template <class Launch>
    static auto dispatch(const arguments& args, Launch&& launch)
    {
        return by_order(args, reaches(args).ok(), launch);
    }

private:
    template <class Launch>
    static auto by_order(const arguments& args, bool reached, Launch&& launch)
    {
        return dispatch_by_order<prologue_kernels>(
            reached ? args.a.order(args.m, args.k, args.batch) : operand_order::any,
            args.b.order(args.n, args.k, args.batch), writes_vectors(args), launch);
    }
};

} // namespace tegula
