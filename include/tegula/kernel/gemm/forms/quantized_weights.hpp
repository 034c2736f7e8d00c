#pragma once

#include <tegula/arch/reload_arguments.hpp>
#include <tegula/block/group_scaled_accumulators.hpp>
#include <tegula/block/packet_loader.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/dispatch.hpp>
#include <tegula/kernel/gemm/forms/packed_weights_tile.hpp>

namespace tegula {

/// C[b] = epilogue(A[b] W[b]) with quantised weights W [k, n], stored as Form says.
///
/// b       the packets: [k, n] of 8-bit integers, or [(k + 1) / 2, n] of pairs; if k is odd, the last element of each
///         column is ignored. Strides in packets.
/// scales  [(k + group - 1) / group, n], any strides (0 repeats a scale); not used if the form has no groups
/// zeros   the zero points, [(k + group - 1) / group, n], any strides; not used if the form has none
template <class A, class Form, class C, class Epilogue>
struct quantized_weights_arguments : gemm_arguments<A, typename Form::packet, C, Epilogue>
{
    using form = Form;
    matrix_argument<const typename Form::scale> scales = {};
    matrix_argument<const typename Form::zero> zeros = {};

    constexpr TEGULA_HOST_DEVICE long_index_t packets_k() const { return ceil_div(this->k, Form::packing); }
    constexpr TEGULA_HOST_DEVICE long_index_t groups() const
    {
        if constexpr (Form::group == 0)
            return 0;
        else
            return ceil_div(this->k, Form::group);
    }

    template <class Memory>
    void memory(Memory& memory) const
    {
        add_matrix(memory, this->a, this->m, this->k, this->batch, "A");
        add_matrix(memory, this->b, packets_k(), this->n, this->batch, "B");
        add_matrix(memory, this->c, this->m, this->n, this->batch, "C");
        add_matrix(memory, scales, groups(), this->n, this->batch, "scales");
        if constexpr (Form::has_zero_points)
            add_matrix(memory, zeros, groups(), this->n, this->batch, "zero points");
    }
};

/// Whether the arguments describe a product that can be computed; see can_implement of gemm_arguments.
template <class A, class Form, class C, class Epilogue>
status can_implement(const quantized_weights_arguments<A, Form, C, Epilogue>& g)
{
    namespace checks = gemm_checks;
    if (status s = checks::check_size("k", g.k); !s)
        return s;
    // k is the number of B's packets here; A has more k than that and is checked again.
    gemm_arguments<A, typename Form::packet, C, Epilogue> packets = g;
    packets.k = g.packets_k();
    if (status s = can_implement(packets); !s)
        return s;
    if (status s = checks::check_input("A", g.a, g.m, g.k, g.batch); !s)
        return s;
    if (Form::group == 0)
        return {};
    const long_index_t groups = g.m > 0 ? g.groups() : 0;
    if (status s = checks::check_input("the scale matrix of the weights", g.scales, groups, g.n, g.batch); !s)
        return s;
    if (!Form::has_zero_points)
        return {};
    return checks::check_input("the matrix of zero points of the weights", g.zeros, groups, g.n, g.batch);
}

/// The loader's source of the weights of product `batch`.
template <class A, class Form, class C, class Epilogue>
TEGULA_INLINE quantized_source<Form> make_quantized_source(const quantized_weights_arguments<A, Form, C, Epilogue>& g,
                                                           long_index_t batch)
{
    quantized_source<Form> s;
    s.data = g.b.data + batch * g.b.batch_stride;
    s.rows = static_cast<index_t>(g.n);
    s.k = static_cast<index_t>(g.packets_k());
    s.row_stride = g.b.column_stride;
    s.k_stride = g.b.row_stride;
    s.name = "B";
    s.scales = g.scales.data + batch * g.scales.batch_stride;
    s.scale_row_stride = g.scales.column_stride;
    s.scale_group_stride = g.scales.row_stride;
    s.groups = static_cast<index_t>(g.groups());
    if constexpr (Form::has_zero_points) {
        s.zeros = g.zeros.data + batch * g.zeros.batch_stride;
        s.zero_row_stride = g.zeros.column_stride;
        s.zero_group_stride = g.zeros.row_stride;
    }
    return s;
}

/// A tile whose B is stored as Form. It is converted to the instruction's type on the way to shared memory, or, in a
/// packed_weights_tile, on the way from there.
template <class Tile, class Form>
struct quantized_weights_tile : Tile
{
    using mma = typename Tile::mma;

    static constexpr bool packs_weights = requires { Tile::packs_weights; };
    /// Waves of 64 lanes read 4 or 8 bytes of 16 rows of packets at once. Rows start at 16 bytes, so that two of them
    /// share banks, and a read takes twice the cycles: those of half the wide type's bytes, or of all of them.
    static constexpr bool rows_share_banks = packs_weights && Tile::target::wave_size == 64;
    /// Whether scales and zero points are applied to the sums of groups, in float, instead of to the weights.
    static constexpr bool scales_sums = packs_weights && Form::group != 0;

private:
    template <bool Packed, operand_order Order>
    struct loaders // of weights that are converted before; k is packed for the instruction, so A must have it too
    {
        using a = operand_loader<typename Tile::target, typename Tile::a_type, Tile::block_m, Tile::block_k, mma::waves,
                                 Order, typename mma::a_distribution>;
        using b = dequantizing_loader<typename Tile::target, typename Tile::b_type, Form, Tile::block_n, Tile::block_k,
                                      mma::waves, Order, typename mma::b_distribution>;
    };
    template <operand_order Order>
    struct loaders<true, Order>
    {
        using a = internal::loader_of_slices<typename Tile::target, typename Tile::a_type, Tile::block_m, Tile::block_k,
                                             mma::waves, Order, typename mma::a_distribution>;
        using b = packet_loader<typename Tile::target, typename Tile::b_type, Form, Tile::block_n, Tile::block_k,
                                mma::waves, Order, typename mma::b_distribution>;
    };

public:
    template <operand_order Order>
    using a_loader = typename loaders<packs_weights, Order>::a;
    template <operand_order Order>
    using b_loader = typename loaders<packs_weights, Order>::b;
    template <operand_order OrderA, operand_order OrderB>
    using loop = multistage_loop<quantized_weights_tile, OrderA, OrderB>;

    /// Shared memory of a block for operands of these orders, in bytes.
    template <operand_order OrderA, operand_order OrderB>
    static consteval index_t shared_bytes()
    {
        constexpr index_t elements = a_loader<OrderA>::tile_elements + b_loader<OrderB>::tile_elements;
        constexpr long bytes =
            max(Tile::stages * elements * static_cast<index_t>(sizeof(typename Tile::a_type)), Tile::output::bytes);
        constexpr long limit = Tile::target::chip().shared_bytes;
        constexpr int conflicts =
            rows_share_banks ? 0 : a_loader<OrderA>::shared::conflicts + b_loader<OrderB>::shared::conflicts;
        static_assert(sizeof(gemm_rules::stages_fit_shared_memory<(bytes <= limit), bytes, limit>) > 0);
        static_assert(sizeof(gemm_rules::shared_memory_is_free_of_conflicts < conflicts == 0, conflicts >) > 0);
        return static_cast<index_t>(bytes);
    }
};

/// GEMM with quantised weights, on the multistage schedule. Parameters as for gemm_kernel, whose Tile is that of the
/// product in A's type, or a packed_weights_tile for few rows of A. Where there are few tiles, take split_k_gemm of it.
template <class Tile, class Form, operand_order OrderA, operand_order OrderB, class C, class Epilogue,
          output_access Access>
struct quantized_weights_gemm : product_protocol<quantized_weights_arguments<typename Tile::a_type, Form, C, Epilogue>>
{
    using plain = gemm_kernel<Tile, OrderA, OrderB, C, Epilogue, Access>;
    using tile = quantized_weights_tile<Tile, Form>;
    using target = typename Tile::target;
    using arguments = quantized_weights_arguments<typename Tile::a_type, Form, C, Epilogue>;

    using c_type = C;

    static constexpr bool scales_sums = tile::scales_sums;
    static constexpr operand_order order_a = OrderA;
    static constexpr operand_order order_b = OrderB;
    static constexpr int block_threads = plain::block_threads;
    static constexpr index_t shared_bytes = tile::template shared_bytes<OrderA, OrderB>();
    static_assert(shared_bytes > 0); // here, so that a device pass checks it, too
    /// Blocks that share k take multiples of it: whole groups.
    static constexpr index_t step_k =
        Form::group == 0 ? Tile::block_k : Tile::block_k / gcd(Tile::block_k, Form::group) * Form::group;

    /// Blocks to launch.
    static constexpr TEGULA_HOST_DEVICE long_index_t blocks(const arguments& args)
    {
        return plain::blocks(without_weights(args));
    }

    /// Errors: those of can_implement and check_epilogue; unsupported for operands or a C that do not lie in memory as
    /// the kernel takes them.
    static status check(const arguments& args)
    {
        const status s = check_arguments(args);
        return s ? internal::check_orders<plain>(args, args.packets_k()) : s;
    }

    TEGULA_INLINE void operator()(const arguments& args) const
    {
        internal::check_reload(args, [](const arguments& a) { return a.c.data; });
        const tile_position at = position(args, target::block_id()[0]);
        typename Tile::mma::accumulators acc; // [block_m, block_n]
        acc.clear();
        multiply(acc, args, at, 0, static_cast<index_t>(args.k));
        plain::finish(acc, without_weights(internal::reload_arguments(args)), at);
    }

    /// As in gemm_kernel; first_k is a multiple of step_k.
    static TEGULA_INLINE tile_position position(const arguments& args, index_t number)
    {
        return plain::position(without_weights(args), number);
    }
    static TEGULA_INLINE void multiply(typename Tile::mma::accumulators& acc, const arguments& args,
                                       const tile_position& at, index_t first_k, index_t last_k)
    {
        auto a = plain::a_source(without_weights(args), at.batch);
        a.data += first_k * a.k_stride;
        a.k = last_k - first_k;
        auto b = make_quantized_source(args, at.batch);
        b.data += first_k / Form::packing * b.k_stride;
        b.k = ceil_div(last_k - first_k, index_t{Form::packing});
        if constexpr (Form::group != 0) {
            b.scales += first_k / Form::group * b.scale_group_stride;
            b.groups = ceil_div(last_k - first_k, Form::group);
            if constexpr (Form::has_zero_points)
                b.zeros += first_k / Form::group * b.zero_group_stride;
        }
        const index_t m0 = at.m * Tile::block_m, n0 = at.n * Tile::block_n;
        if constexpr (tile::scales_sums) {
            if (last_k <= first_k) // there is no scale to load
                return;
            group_scaled_accumulators<typename Tile::mma, Tile::block_k, Form> sums(acc, b, n0);
            tile::template loop<OrderA, OrderB>::run(sums, a, b, m0, n0, target::shared_memory());
        } else {
            tile::template loop<OrderA, OrderB>::run(acc, a, b, m0, n0, target::shared_memory());
        }
    }
    template <class Distribution = typename plain::pass_distribution>
    static TEGULA_INLINE auto c_window(const arguments& args, const tile_position& at, index_t row)
    {
        return plain::template c_window<Distribution>(without_weights(args), at, row);
    }

private:
    static constexpr TEGULA_HOST_DEVICE typename plain::arguments without_weights(const arguments& args)
    {
        return {args.m, args.n, args.k, args.batch, args.a, {}, args.c, args.epilogue};
    }
};

/// The kernels of one tile for weights of one form; as gemm_kernels.
template <class Tile, class Form, class C, class Epilogue, class... Orders>
struct quantized_weights_kernels : kernel_picker<quantized_weights_kernels<Tile, Form, C, Epilogue, Orders...>,
                                                 quantized_weights_arguments<typename Tile::a_type, Form, C, Epilogue>>
{
    using arguments = quantized_weights_arguments<typename Tile::a_type, Form, C, Epilogue>;
    using orders = order_list<Orders...>;

    template <operand_order A, operand_order B>
    using aligned = quantized_weights_gemm<Tile, Form, A, B, C, Epilogue, output_access::vectors>;
    using element_wise = quantized_weights_gemm<Tile, Form, operand_order::any, operand_order::any, C, Epilogue,
                                                output_access::elements>;

    template <class Launch>
    static auto dispatch(const arguments& args, Launch&& launch)
    {
        return dispatch_by_order<quantized_weights_kernels>(args, args.packets_k(), launch);
    }
};

} // namespace tegula
