#pragma once

#include <tegula/kernel/gemm/warp_specialized/kernel.hpp>

/// Lists of products of different sizes in one launch of a warp_specialized_gemm or a tcgen05_gemm:
/// with_partition<work_partition::list>(kernel).

namespace tegula {

/// Fills the arrays that the kernel of a list reads: products with their maps, and the number of tiles before each
/// product. For a GPU, copy both arrays to its memory then.
///
///   products       [count], of any sizes, even 0; if k or alpha is 0, the epilogue works on zeros
///   list           [count], written
///   first_tile     [count + 1], written
///   make_map(map, parameters) encodes a tensor map, for the emulator or for the GPU
///
/// Errors, which name the product by its index: those of can_implement, check_epilogue, describe_maps and make_map;
/// more tiles than 32-bit numbers count.
template <class Kernel, class MakeMap>
status fill_list(typename Kernel::listed_product* list, index_t* first_tile,
                 const typename Kernel::product_type* products, index_t count, const MakeMap& make_map)
{
    static_assert(Kernel::takes_lists, "tegula: this kernel computes one product; take with_partition<list>(kernel)");
    const auto fill = [&](typename Kernel::listed_product& one, const typename Kernel::product_type& product,
                          long_index_t& tiles) {
        if (status s = check_arguments(product); !s)
            return s;
        one = {};
        one.product = normalize(product);
        if (product.m == 0 || product.n == 0 || product.batch == 0)
            return status();
        gemm_maps maps;
        if (status s = describe_maps<Kernel>(one.product, maps); !s)
            return s;
        tiles = static_cast<long_index_t>(Kernel::cluster_tiles_m(product)) * Kernel::cluster_tiles_n(product) *
                product.batch;
        const long_index_t steps = ceil_div(one.product.k, Kernel::tile::block_k);
        if (status s = detail::check_steps(tiles, steps); !s)
            return s;
        one.steps = static_cast<index_t>(steps);
        return detail::make_maps<Kernel>(one, maps, one.steps, make_map);
    };
    long_index_t total = 0;
    first_tile[0] = 0;
    for (index_t i = 0; i < count; ++i) {
        long_index_t tiles = 0;
        if (status s = fill(list[i], products[i], tiles); !s)
            return status(s.code(), "product ") << i << ": " << s.message();
        total += tiles;
        if (total > INT32_MAX)
            return status(status_code::unsupported, "products 0 to ")
                   << i << " take " << total << " tiles; the limit is " << INT32_MAX << ", use a larger tile";
        first_tile[i + 1] = static_cast<index_t>(total);
    }
    return {};
}

/// The plan for a list of `tiles` cluster tiles on a GPU with `multiprocessors`.
template <class Kernel>
work_plan make_list_plan(index_t tiles, int multiprocessors)
{
    work_plan plan;
    plan.tiles = tiles;
    plan.steps = 0; // each product has its own
    plan.clusters = min(tiles, max(multiprocessors / Kernel::cluster_blocks, 1));
    return plan;
}

namespace detail {

/// Whether tensor maps can address every product of a list.
template <class Kernel>
bool reaches_all(const typename Kernel::product_type* products, index_t count)
{
    gemm_maps maps;
    for (index_t i = 0; i < count; ++i)
        if (const auto& p = products[i]; p.m > 0 && p.n > 0 && p.batch > 0)
            if (!describe_maps<Kernel>(normalize(p), maps).ok())
                return false;
    return true;
}

} // namespace detail

/// Calls launch(kernel{}) with the kernel that suits the product with the largest k; the operands of all products must
/// have that one's order. Kernels is warp_specialized_kernels, tcgen05_kernels or tcgen05_scaled_kernels. Calls
/// otherwise(why) if there is no kernel for that product; for lists that tensor copies cannot address, take
/// grouped_kernels. With tcgen05_scaled_kernels, C goes from registers if tensor copies cannot write every product's C.
///
/// Preconditions: can_implement is ok for each product; one of them has elements.
template <class Kernels, class Launch, class Otherwise>
auto dispatch_list(const typename Kernels::arguments* products, index_t count, const Launch& launch,
                   const Otherwise& otherwise)
{
    const typename Kernels::arguments* widest = nullptr;
    for (index_t i = 0; i < count; ++i)
        if (const auto& p = products[i]; p.m > 0 && p.n > 0 && p.batch > 0)
            if (widest == nullptr || normalize(p).k > normalize(*widest).k)
                widest = &p;
    const auto launch_listed = [&](auto kernel) {
        using listed = decltype(with_partition<work_partition::list>(kernel));
        if constexpr (Kernels::chooses_store)
            if (!detail::reaches_all<listed>(products, count))
                return launch(
                    with_partition<work_partition::list>(typename Kernels::template kernel<output_store::direct>{}));
        return launch(listed{});
    };
    return Kernels::dispatch(*widest, launch_listed, otherwise);
}

} // namespace tegula
