#pragma once

#include <tegula/block/tensor_operand.hpp>
#include <tegula/core/math.hpp>
#include <tegula/kernel/gemm/can_implement.hpp>
#include <tegula/kernel/gemm/product_protocol.hpp>
#include <tegula/kernel/gemm/warp_specialized/split_k_reduction.hpp>

/// The host's preparation for warp_specialized_gemm and tcgen05_gemm: the tensor maps of the operands and the plan of
/// the work.

namespace tegula {

namespace detail {

/// A matrix whose contiguous dimension runs along its rows or columns, as lines.
template <class T>
constexpr tensor_lines lines_of(const matrix_argument<T>& x, long_index_t rows, long_index_t columns,
                                long_index_t batch, bool along_columns)
{
    return along_columns ? tensor_lines{x.data, columns, rows, x.row_stride, batch, x.batch_stride}
                         : tensor_lines{x.data, rows, columns, x.column_stride, batch, x.batch_stride};
}

/// Whether tensor copies can address the lines, see check_tensor_address; messages name the matrix.
inline status check_lines(const char* name, const tensor_lines& x, long_index_t step, const tensor_map_parameters& map)
{
    if (x.length > 1 && step != 1)
        return status(status_code::unsupported, name)
               << " has stride " << step << " along its contiguous dimension; tensor copies need 1, take a multistage "
               << "kernel";
    if (x.lines > 1 && x.line_stride <= 0)
        return status(status_code::unsupported, name)
               << " has a leading stride of " << x.line_stride << "; tensor copies need one above 0, take a multistage "
               << "kernel";
    if (x.batch > 1 && x.batch_stride < 0)
        return status(status_code::unsupported, name)
               << " has a batch stride of " << x.batch_stride << "; tensor copies need 0 or more, take a multistage "
               << "kernel";
    status s = check_tensor_address(map);
    if (!s)
        return status(status_code::unsupported, name) << ": " << s.message();
    return s;
}

/// Whether tensor copies write the lines of C and nothing after them. The hardware writes whole chunks of 16 bytes,
/// even past the end of a line (seen on an H200; triton-lang/triton#11583 and #11893 report it for H100 and B200).
template <class C>
status check_stored_lines(const tensor_lines& c)
{
    constexpr long_index_t chunk = 16 / static_cast<long_index_t>(sizeof(C));
    if (c.length % chunk == 0)
        return {};
    return status(status_code::unsupported, "C has ")
           << c.length << " columns; tensor copies write " << chunk
           << " at a time and would write behind each row, take output_store::direct or a multistage kernel";
}

} // namespace detail

/// The maps of a kernel's operands and of C.
struct gemm_maps
{
    tensor_map_parameters left;
    tensor_map_parameters right;
    tensor_map_parameters c;
    tensor_map_parameters left_scales; ///< for block-scaled operands
    tensor_map_parameters right_scales;
    tensor_map_parameters source; ///< C0, if the kernel prefetches it; else base is null
    tensor_map_parameters up;     ///< the second weight of a gated product
};

namespace detail {

/// Whether producers of the kernel prefetch C0.
template <class Kernel>
inline constexpr bool prefetches_source = false;
template <class Kernel>
    requires requires { typename Kernel::source; }
inline constexpr bool prefetches_source<Kernel> = Kernel::source::fit;

/// The map of C0 if it is added. Errors: unsupported if vectors cannot read an epilogue's matrix, or tensor copies C0.
template <class Kernel>
status describe_source(const typename Kernel::product_type& p, gemm_maps& maps)
{
    if (!epilogue::part_suits_vectors(p.epilogue, epilogue::extents_of(p)))
        return {status_code::unsupported,
                "the epilogue reads C0 in vectors, and its columns are not neighbours or its rows "
                "do not start at multiples of 16 bytes; take a multistage kernel"};
    if constexpr (prefetches_source<Kernel>)
        if (const auto& part = p.epilogue.template prefetch_consumer<epilogue::prefetched_source>();
            !part.leaves_unchanged()) {
            const tensor_lines lines = lines_of(part.source, p.m, p.n, p.batch, true);
            maps.source = Kernel::source::chunk::parameters(lines);
            return check_lines("C0", lines, part.source.column_stride, maps.source);
        }
    return {};
}

/// k as the tensor copies of the operands count it.
template <class Tile>
constexpr long_index_t copied_k(long_index_t k)
{
    if constexpr (Tile::block_scaled)
        return Tile::copied_k(k);
    else
        return k;
}

/// An operand as a matrix, A [m, k] or B [k, n]: a matrix of the arguments, or a strided operand of a prologue.
template <class T>
constexpr matrix_argument<T> a_matrix(const matrix_argument<T>& x)
{
    return x;
}
template <class T>
constexpr matrix_argument<T> b_matrix(const matrix_argument<T>& x)
{
    return x;
}
template <class Operand>
constexpr auto a_matrix(const Operand& x)
{
    return x.matrix();
}
template <class Operand>
constexpr auto b_matrix(const Operand& x)
{
    auto b = x.matrix();
    const long_index_t rows = b.row_stride;
    b.row_stride = b.column_stride;
    b.column_stride = rows;
    return b;
}

/// The lines of B. An operand of several slices along k, which copies address as a batch, has lines of its own.
template <class Operand>
constexpr tensor_lines b_lines(const Operand& b, long_index_t k, long_index_t n, long_index_t batch, bool along_columns)
{
    if constexpr (requires { b.slice_k; })
        return lines_of(b_matrix(b), b.slice_k, n, b.slices, along_columns);
    else
        return lines_of(b_matrix(b), k, n, batch, along_columns);
}

template <class Operands, bool Left>
constexpr tensor_map_parameters operand_parameters(const tensor_lines& x)
{
    if constexpr (Left)
        return Operands::left_loads::parameters(x);
    else
        return Operands::right_loads::parameters(x);
}

/// The maps of the scales, and the element types with which packed operands are copied.
template <class Kernel>
status describe_scales(const typename Kernel::product_type& p, gemm_maps& maps)
{
    using tile = typename Kernel::tile;
    using operands = typename Kernel::operands;
    maps.left.type = tile::a_tensor_element;
    maps.right.type = tile::b_tensor_element;
    maps.left_scales = operands::template scale_parameters<typename Kernel::product_type::a_format>(
        p.a_scales, p.m, p.k, p.batch, p.a_scales_stride, operands::a_row_blocks);
    maps.right_scales = operands::template scale_parameters<typename Kernel::product_type::b_format>(
        p.b_scales, p.n, p.k, p.batch, p.b_scales_stride, operands::b_row_blocks);
    const tensor_map_parameters* const all[] = {&maps.left_scales, &maps.right_scales};
    for (int i = 0; i < 2; ++i)
        if (status s = check_tensor_address(*all[i]); !s)
            return status(status_code::unsupported, i == 0 ? "the scales of A: " : "the scales of B: ") << s.message();
    return {};
}

} // namespace detail

/// The parameters of the tensor maps, for addresses of the host or of the GPU.
///
/// Errors: unsupported if tensor copies cannot address an operand, because its base or a stride is not a multiple of 16
/// bytes, or k is 0. Also unsupported if the rows of C do not end at a multiple of 16 bytes, or if tensor copies cannot
/// address C0. Take a multistage kernel for such products.
template <class Kernel>
status describe_maps(const typename Kernel::product_type& p, gemm_maps& maps)
{
    using operands = typename Kernel::operands;
    constexpr bool swapped = Kernel::tile::transposed;
    constexpr bool a_by_rows = (swapped ? operands::right_order : operands::left_order) ==
                               operand_order::k_contiguous; // a row of A is contiguous
    constexpr bool b_by_columns =
        (swapped ? operands::left_order : operands::right_order) == operand_order::k_contiguous;
    // Block-scaled products have no multistage kernel, and some products of a list may be without k.
    constexpr bool takes_no_k = Kernel::tile::block_scaled || Kernel::sharing == work_partition::list;
    if (p.m == 0 || p.n == 0 || (p.k == 0 && !takes_no_k) || p.batch == 0)
        return {status_code::unsupported, "a product without elements or without k has nothing to copy; take a "
                                          "multistage kernel"};
    const long_index_t k = detail::copied_k<typename Kernel::tile>(p.k);
    const tensor_lines c = detail::lines_of(p.c, p.m, p.n, p.batch, true);
    maps.c = Kernel::output::parameters(c);
    constexpr bool copies_a = swapped ? operands::copies_right : operands::copies_left;
    constexpr bool copies_b = swapped ? operands::copies_left : operands::copies_right;
    tensor_map_parameters& a_map = swapped ? maps.right : maps.left;
    tensor_map_parameters& b_map = swapped ? maps.left : maps.right;
    [[maybe_unused]] tensor_lines a, b;
    if constexpr (copies_a) {
        a = detail::lines_of(detail::a_matrix(p.a), p.m, k, p.batch, a_by_rows);
        a_map = detail::operand_parameters<operands, !swapped>(a);
    }
    if constexpr (copies_b) {
        b = detail::b_lines(first_weight(p.b), k, p.n, p.batch, !b_by_columns);
        b_map = detail::operand_parameters<operands, swapped>(b);
    }
    if constexpr (Kernel::tile::gates) {
        const tensor_lines up = detail::b_lines(p.b.up, k, p.n, p.batch, !b_by_columns);
        maps.up = detail::operand_parameters<operands, swapped>(up);
        const auto matrix = detail::b_matrix(p.b.up);
        if (status s = detail::check_lines("the second weight", up,
                                           b_by_columns ? matrix.row_stride : matrix.column_stride, maps.up);
            !s)
            return s;
    }
    if (p.k > 0) {
        if constexpr (Kernel::tile::block_scaled)
            if (status s = detail::describe_scales<Kernel>(p, maps); !s)
                return s;
        if constexpr (copies_a) {
            const auto matrix = detail::a_matrix(p.a);
            if (status s = detail::check_lines("A", a, a_by_rows ? matrix.column_stride : matrix.row_stride, a_map); !s)
                return s;
        }
        if constexpr (copies_b) {
            const auto matrix = detail::b_matrix(first_weight(p.b));
            if (status s = detail::check_lines("B", b, b_by_columns ? matrix.row_stride : matrix.column_stride, b_map);
                !s)
                return s;
        }
    }
    if constexpr (Kernel::tensor_c) {
        if (status s = detail::check_lines("C", c, p.c.column_stride, maps.c); !s)
            return s;
        if (status s = detail::describe_source<Kernel>(p, maps); !s)
            return s;
        if constexpr (Kernel::sharing != work_partition::split_k) // split_k_reduction writes its C
            return detail::check_stored_lines<std::remove_const_t<std::remove_pointer_t<decltype(p.c.data)>>>(c);
    }
    return {};
}

namespace detail {

/// Encodes the maps of a product of `steps` steps into `to`, the arguments of a kernel or a product of a list.
template <class Kernel, class Maps, class MakeMap>
status make_maps(Maps& to, const gemm_maps& maps, index_t steps, const MakeMap& make_map)
{
    if constexpr (Kernel::tensor_c)
        if (status s = make_map(to.c, maps.c); !s)
            return s;
    if constexpr (prefetches_source<Kernel>)
        if (maps.source.base != nullptr)
            if (status s = make_map(to.source, maps.source); !s)
                return s;
    if (steps == 0)
        return {};
    if constexpr (Kernel::tile::gates)
        if (status s = make_map(to.up, maps.up); !s)
            return s;
    if constexpr (Kernel::operands::copies_left)
        if (status s = make_map(to.left, maps.left); !s)
            return s;
    if constexpr (Kernel::operands::copies_right)
        if (status s = make_map(to.right, maps.right); !s)
            return s;
    if constexpr (Kernel::tile::block_scaled) {
        if (status s = make_map(to.left_scales, maps.left_scales); !s)
            return s;
        return make_map(to.right_scales, maps.right_scales);
    } else {
        return {};
    }
}

/// Errors: unsupported if the steps of k of all tiles exceed 32-bit numbers.
inline status check_steps(long_index_t tiles, long_index_t steps)
{
    const long_index_t pieces = gemm_checks::product(tiles, steps);
    return pieces >= 0 && pieces <= INT32_MAX ? status()
                                              : status(status_code::unsupported, "the product takes ")
                                                    << pieces << " steps of k over all tiles; the limit is "
                                                    << INT32_MAX << ", use a larger tile";
}

template <class Kernel>
status check_splits(index_t splits)
{
    if (splits < 1)
        return gemm_checks::invalid("splits is ") << splits << "; k is shared by at least 1 cluster";
    if (splits > 1 && Kernel::sharing != work_partition::split_k)
        return gemm_checks::invalid("splits is ")
               << splits << ", and this kernel does not split the k of tiles; give 1, or take with_partition<split_k>";
    return {};
}

} // namespace detail

/// Cluster tiles, steps and clusters of a launch on a GPU with `multiprocessors`, which run one block each. `splits`:
/// parts of a tile's k, by split_k.
template <class Kernel>
work_plan make_work_plan(const typename Kernel::product_type& p, int multiprocessors, index_t splits = 1)
{
    work_plan plan;
    plan.tiles = Kernel::cluster_tiles_m(p) * Kernel::cluster_tiles_n(p) * static_cast<index_t>(p.batch);
    plan.steps = static_cast<index_t>(ceil_div(p.k, Kernel::tile::block_k));
    plan.splits = splits <= plan.steps || plan.steps == 0 ? splits : plan.steps;
    const index_t room = multiprocessors / Kernel::cluster_blocks > 0 ? multiprocessors / Kernel::cluster_blocks : 1;
    const long_index_t pieces =
        static_cast<long_index_t>(plan.tiles) * (Kernel::sharing == work_partition::stream ? plan.steps : plan.splits);
    plan.clusters = pieces < room || !Kernel::persistent ? static_cast<index_t>(pieces) : room;
    return plan;
}

/// Bytes of workspace that a kernel whose clusters share k, and its reduce_partials, need on a GPU with
/// `multiprocessors`.
template <class Kernel>
long_index_t split_k_workspace_bytes(const typename Kernel::product_type& p, int multiprocessors, index_t splits = 1)
{
    return split_k_reduction<Kernel>::workspace_bytes(make_work_plan<Kernel>(normalize(p), multiprocessors, splits));
}

/// The arguments of a launch on a GPU with `multiprocessors`.
///
/// make_map(map, parameters) encodes a tensor map, for the emulator or for the GPU. `splits` is 1 except for kernels
/// of work_partition::split_k. Kernels that share the k of tiles need `workspace`, split_k_reduction::workspace_bytes.
///
/// Errors: those of can_implement, check_epilogue, describe_maps and make_map; splits that the kernel does not take; a
/// workspace that is too small; more tiles than 32-bit numbers count.
template <class Kernel, class MakeMap>
status fill_arguments(typename Kernel::arguments& args, const typename Kernel::product_type& product,
                      int multiprocessors, const MakeMap& make_map, index_t splits = 1, gemm_workspace workspace = {})
{
    if (status s = check_arguments(product); !s)
        return s;
    args = {};
    args.product = normalize(product);
    gemm_maps maps;
    if (status s = describe_maps<Kernel>(args.product, maps); !s)
        return s;
    if (status s = detail::check_splits<Kernel>(splits); !s)
        return s;
    const long_index_t tiles =
        static_cast<long_index_t>(Kernel::cluster_tiles_m(product)) * Kernel::cluster_tiles_n(product) * product.batch;
    const long_index_t steps = ceil_div(product.k, Kernel::tile::block_k);
    if (status s = detail::check_steps(tiles, steps); !s)
        return s;
    args.plan = make_work_plan<Kernel>(args.product, multiprocessors, splits);
    if (Kernel::sharing == work_partition::stream && args.plan.steps == 0 && tiles > 0)
        return status(status_code::unsupported,
                      "k or alpha is 0, which leaves stream-K no steps of k to share; take a kernel of "
                      "work_partition::tiles");
    if (status s = detail::make_maps<Kernel>(args, maps, args.plan.steps, make_map); !s)
        return s;
    if constexpr (Kernel::has_partials) {
        using sum = split_k_reduction<Kernel>;
        args.workspace = workspace;
        if (status s = gemm_checks::check_workspace(workspace, sum::workspace_bytes(args.plan)); !s)
            return s;
        const long_index_t slots = sum::workspace_bytes(args.plan) / sum::parts::bytes;
        if (status s =
                make_map(args.parts, Kernel::part_output::parameters({workspace.data, sum::block_n, sum::block_m,
                                                                      sum::block_n, slots, sum::parts::elements}));
            !s)
            return s;
    }
    return {};
}

/// Arguments for a launch of the kernel on the product. With split_k, `splits` clusters share the k of a tile. Kernels
/// that share k need a workspace of split_k_workspace_bytes.
template <class Kernel>
typename Kernel::arguments arguments_for(const Kernel&, const typename Kernel::product_type& product,
                                         index_t splits = 1, gemm_workspace workspace = {})
{
    typename Kernel::arguments args{};
    args.product = product;
    args.plan.splits = splits;
    if constexpr (Kernel::has_partials)
        args.workspace = workspace;
    return args;
}

/// The protocol of a family of persistent kernels, which picks one by the product: Kernels::dispatch(product, launch,
/// otherwise). A product without elements starts none.
template <class Kernels, class Product>
struct persistent_picker : product_protocol<Product>
{
    template <class Launcher>
    status launches(const Product& product, Launcher& launch) const
    {
        if (product.m == 0 || product.n == 0 || product.batch == 0)
            return {};
        return Kernels::dispatch(
            product, [&](auto kernel) { return launch.start(kernel, arguments_for(kernel, product)); },
            [](const status& why) { return why; });
    }
};

} // namespace tegula
