#pragma once

// Products other than those of bench_gemm, as operations of the library. C = A B^T in the words below: A is [m, k] and B
// [n, k], packed, with contiguous k. C is packed.
//
//   block_scaled  sizes     m, n, k
//                 pointers  A, B of fp8, C of 16 bits, scales of A [k / 128, m] and of B [n / 128, k / 128], in float
//   cluster_split sizes     m, n, k
//                 pointers  A, B, C
//   weights       sizes     m, n, k
//                 pointers  A, packets of B, C, scales [k / group, n], workspace; B is [n, k] or [k, n], as the operation's
//                          name says
//   list          sizes     count, n, k, and m of each product
//                 pointers  A of all products, B [count, n, k], C of all products
//   moe           sizes     tokens, width, hidden, experts, k
//                 pointers  x, W1 [experts, width, hidden], W2 [experts, hidden, width], logits (float), out, workspace
//   moe_gated     the same  with W1_up, like W1, before the workspace

#include "library/on_stream.hpp"

#include <tegula/gemm.hpp>
#include <tegula/host/product_list.hpp>
#include <tegula/kernel/gemm/choose/choose_splits.hpp>
#include <tegula/kernel/gemm/choose/describe_weights.hpp>
#include <tegula/kernel/gemm/forms/weight_tiles.hpp>
#include <tegula/moe.hpp>

#include <memory>

namespace gpu_library {

inline constexpr auto along_k = tegula::operand_order::k_contiguous;
inline constexpr auto along_rows = tegula::operand_order::row_contiguous;

/// m, n and k of sizes.
template <class Arguments>
Arguments product_of(const long* sizes)
{
    Arguments g{};
    g.m = sizes[0], g.n = sizes[1], g.k = sizes[2], g.batch = 1;
    return g;
}

/// A warp_specialized_tile, or a warp_specialized_scaled_tile, whose operation takes scales, too.
template <class Tile, class C>
bool add_product(const char* name)
{
    using namespace tegula;
    return add({name, &no_workspace, [](const long* sizes, void* const* pointers, starter& start) {
                    using A = typename Tile::a_type;
                    using B = typename Tile::b_type;
                    using kernel = warp_specialized_gemm<Tile, along_k, along_k, C, epilogue::none,
                                                         output_store::tensor_copies, work_partition::tiles>;
                    auto g = product_of<typename kernel::product_type>(sizes);
                    g.a = {static_cast<const A*>(pointers[0]), g.k, 1, 0};
                    g.b = {static_cast<const B*>(pointers[1]), 1, g.k, 0};
                    g.c = {static_cast<C*>(pointers[2]), g.n, 1, 0};
                    if constexpr (requires { g.a_scales; }) {
                        g.a_scales = {static_cast<const float*>(pointers[3]), 1, g.m, 0};
                        g.b_scales = {static_cast<const float*>(pointers[4]), 1, g.groups_k(), 0};
                    }
                    start = on_stream(
                        [g](const gpu_device& device) { return launch(device, kernel{}, arguments_for(kernel{}, g)); });
                    return status();
                }});
}

/// Weights as Form says, for a gemm_tile of A's type; where there are few tiles, blocks share k.
template <class Tile, class Form, tegula::operand_order Order>
bool add_weights(const char* name)
{
    using namespace tegula;
    using T = typename Tile::a_type;
    using kernel = typename quantized_weights_kernels<Tile, Form, T, epilogue::none>::template aligned<along_k, Order>;
    using split = split_k_gemm<kernel>;
    static constexpr auto product_in_parts = [](const long* sizes) {
        const auto g = product_of<typename kernel::arguments>(sizes);
        const gemm_size size{g.m, g.n, g.k, 1};
        const int splits =
            choose_splits(size, describe_weights<Tile, Form>(describe<Tile>("weights")), Tile::target::chip());
        return typename split::arguments{g, splits, {}};
    };
    return add({name,
                [](const long* sizes) {
                    const auto parts = product_in_parts(sizes);
                    return parts.splits > 1 ? static_cast<long>(split::workspace_bytes(parts)) : 0L;
                },
                [](const long* sizes, void* const* pointers, starter& start) {
                    auto parts = product_in_parts(sizes);
                    auto& g = parts.product;
                    g.a = {static_cast<const T*>(pointers[0]), g.k, 1, 0};
                    const bool by_k = Order == along_k;
                    g.b = {static_cast<const typename Form::packet*>(pointers[1]), by_k ? 1 : g.n,
                           by_k ? g.packets_k() : 1, 0};
                    g.c = {static_cast<T*>(pointers[2]), g.n, 1, 0};
                    g.scales = {static_cast<const typename Form::scale*>(pointers[3]), g.n, 1, 0};
                    parts.workspace = {pointers[4], split::workspace_bytes(parts)};
                    start = on_stream([parts](const gpu_device& device) {
                        return parts.splits > 1 ? launch(device, split{}, parts)
                                                : launch(device, kernel{}, parts.product);
                    });
                    return status();
                }});
}

/// The same weights [n, k] by a warp_specialized_tile, whose producing warpgroup widens them.
template <class Tile, class Form>
bool add_persistent_weights(const char* name)
{
    using namespace tegula;
    using T = typename Tile::a_type;
    using kernel = typename persistent_quantized_kernels<Tile, Form, T, epilogue::none>::template kernel<
        true, along_k, output_store::tensor_copies>;
    using split = decltype(with_partition<work_partition::split_k>(kernel{}));
    static constexpr auto splits_of = [](const typename kernel::product_type& g) {
        return choose_splits({g.m, g.n, g.k, 1}, describe_weights<Tile, Form>(describe<Tile>("weights")),
                             Tile::target::chip());
    };
    static constexpr auto workspace_of = [](const typename kernel::product_type& g) {
        const index_t splits = splits_of(g);
        return splits > 1
                   ? split_k_workspace_bytes<split>(g, chip::speed_of(Tile::target::chip()).compute_units, splits)
                   : 0;
    };
    return add({name,
                [](const long* sizes) {
                    return static_cast<long>(workspace_of(product_of<typename kernel::product_type>(sizes)));
                },
                [](const long* sizes, void* const* pointers, starter& start) {
                    auto g = product_of<typename kernel::product_type>(sizes);
                    g.a = {static_cast<const T*>(pointers[0]), g.k, 1, 0};
                    g.b = {static_cast<const typename Form::packet*>(pointers[1]), 1, g.packets_k(), 0};
                    g.c = {static_cast<T*>(pointers[2]), g.n, 1, 0};
                    g.scales = {static_cast<const typename Form::scale*>(pointers[3]), g.n, 1, 0};
                    const gemm_workspace workspace{pointers[4], workspace_of(g)};
                    start = on_stream([g, workspace](const gpu_device& device) {
                        const index_t splits = splits_of(g);
                        return splits > 1 ? launch(device, split{}, arguments_for(split{}, g, splits, workspace))
                                          : launch(device, kernel{}, arguments_for(kernel{}, g));
                    });
                    return status();
                }});
}

/// A warp_specialized_tile.
template <class Tile, class C>
bool add_list(const char* name)
{
    using namespace tegula;
    return add({name, &no_workspace, [](const long* sizes, void* const* pointers, starter& start) {
                    using T = typename Tile::a_type;
                    using kernel = warp_specialized_gemm<Tile, along_k, along_k, C, epilogue::none,
                                                         output_store::tensor_copies, work_partition::list>;
                    const long n = sizes[1], k = sizes[2];
                    std::vector<typename kernel::product_type> products;
                    const T *a = static_cast<const T*>(pointers[0]), *b = static_cast<const T*>(pointers[1]);
                    C* c = static_cast<C*>(pointers[2]);
                    for (long i = 0; i < sizes[0]; ++i) {
                        const long one[] = {sizes[3 + i], n, k};
                        auto g = product_of<typename kernel::product_type>(one);
                        g.a = {a, k, 1, 0}, g.b = {b, 1, k, 0}, g.c = {c, n, 1, 0};
                        a += g.m * k, b += n * k, c += g.m * n;
                        products.push_back(g);
                    }
                    const auto list = std::make_shared<prepared_list<kernel, gpu_device>>();
                    gpu_device device;
                    const status s = list->prepare(device, products.data(), static_cast<index_t>(products.size()));
                    start = on_stream([list](const gpu_device& on) {
                        gpu_device same = on;
                        return list->start(same);
                    });
                    return s;
                }});
}

/// A layer whose products have this tile. Gated: W1_up is in the place of the workspace, which follows it.
template <class Tile, bool Gated = false>
bool add_moe(const char* name)
{
    using namespace tegula;
    using T = typename Tile::a_type;
    static constexpr auto layer = [](const long* sizes) {
        moe_arguments<T, T> g;
        g.tokens = sizes[0], g.width = g.x_stride = g.out_stride = sizes[1], g.hidden = sizes[2];
        g.experts = static_cast<index_t>(sizes[3]), g.k = static_cast<index_t>(sizes[4]);
        return g;
    };
    return add({name, [](const long* sizes) { return static_cast<long>(moe_workspace_bytes(layer(sizes))); },
                [](const long* sizes, void* const* pointers, starter& start) {
                    auto g = layer(sizes);
                    g.x = static_cast<const T*>(pointers[0]);
                    g.w1 = static_cast<const T*>(pointers[1]), g.w2 = static_cast<const T*>(pointers[2]);
                    g.logits = static_cast<const float*>(pointers[3]);
                    g.out = static_cast<T*>(pointers[4]);
                    g.w1_up = Gated ? static_cast<const T*>(pointers[5]) : nullptr;
                    g.workspace = {pointers[Gated ? 6 : 5], moe_workspace_bytes(g)};
                    start = on_stream(
                        [g](const gpu_device& device) { return launch(device, moe_kernels<Tile, Gated>{}, g); });
                    return status();
                }});
}

} // namespace gpu_library
