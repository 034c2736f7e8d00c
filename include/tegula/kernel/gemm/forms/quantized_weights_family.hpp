#pragma once

#include <tegula/kernel/gemm/choose/choose_splits.hpp>
#include <tegula/kernel/gemm/choose/describe_weights.hpp>
#include <tegula/kernel/gemm/choose/tile_list.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>
#include <tegula/kernel/gemm/forms/weight_tiles.hpp>
#include <tegula/kernel/gemm/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/description.hpp>
#include <tegula/kernel/gemm/warp_specialized/made_dispatch.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace tegula {

/// The tiles of a target for products with quantised weights, and the choice among them.
///
/// | tiles                            | where                             | for
/// | ws256x128, ws128x128, ws64x128   | sm_90a, elements of 16 bits       | many rows, by wgmma
/// | those of weight_tiles            | CDNA 3 and 4, sm_80 to sm_90a, sm_120a; see below | few rows, weights stay packed
/// | t128x128, t64x64 of gemm_tiles   | all                               | what is left
/// | t32x128 of gemm_tiles            | if there are no packed ones       | few rows
///
/// Packed tiles need groups that are multiples of 32 k and divide 128, or that 128 and 256 divide.
///
///   Element  the type of A
///   Form     quantized<...>
template <class Target, class Element, class Form>
struct tiles_for_weights
{
private:
    static constexpr chip_family chip = Target::chip().family;
    static constexpr bool packs_on_chip = chip == chip_family::cdna_3 || chip == chip_family::cdna_4 ||
                                          chip == chip_family::ampere || chip == chip_family::ada ||
                                          chip == chip_family::hopper || chip == chip_family::blackwell_rtx;
    template <index_t K>
    static constexpr bool packs_k =
        packs_on_chip && sizeof(Element) == 2 &&
        (Form::group == 0 || (Form::group % 32 == 0 && (K % Form::group == 0 || Form::group % K == 0)));
    static constexpr bool is_amd = Target::vendor == vendor::amd;
    static constexpr bool is_hopper = chip == chip_family::hopper && sizeof(Element) == 2;
    using tiles = gemm_tiles<Target, Element>;
    using packed = weight_tiles<Target, Element>;
    using persistent = warp_specialized_tiles<Target, Element>;
    using of_warps = tile_list<typename tiles::t128x128, typename tiles::t64x64>::template and_if<
        !packs_k<128>, typename tiles::t32x128>::template and_if<packs_k<256>, typename packed::t16x64_packed>;
    // Sums of more rows would spill on NVIDIA, with zero points those of 32, too; see weight_tiles.
    using of_few_rows =
        typename of_warps::template and_if<packs_k<128>, typename packed::t16x128_packed>::template and_if<
            packs_k<128> && (is_amd || !Form::has_zero_points),
            typename packed::t32x128_packed>::template and_if<packs_k<128> && is_amd, typename packed::t64x128_packed>;

public:
    using list = typename of_few_rows::template and_if<is_hopper, typename persistent::ws256x128,
                                                       typename persistent::ws128x128, typename persistent::ws64x128>;

    /// A tile by its number in the list, and the clusters or blocks that share its k.
    struct choice
    {
        int number;
        int splits;
    };

    template <class Tile>
    static constexpr tile_description described()
    {
        return describe_weights<Tile, Form>(describe<Tile>("weights"));
    }

    /// The tile with the least estimate, and the splits if k may be shared. Tiles are given to takes() as
    /// std::type_identity; it is true for those that take the product. Precondition: one takes it.
    template <class Takes>
    static choice choose(const gemm_size& size, bool may_share, const Takes& takes)
    {
        const auto some = list::select([](auto tile) { return described<typename decltype(tile)::type>(); }, takes);
        const chip_info& on = Target::chip();
        const int whole = choose_tile(size, on, some.tiles, some.count).index;
        if (may_share)
            if (const split_choice s = choose_split_tile(size, on, some.tiles, some.count,
                                                         estimate_tile(size, some.tiles[whole], on).cycles))
                return {some.number[s.index], s.splits};
        return {some.number[whole], 1};
    }
};

/// Products with quantised weights by the tile of tiles_for_weights with the least estimate. Tiles by wgmma are left out if
/// tensor copies cannot address A, or if weights do not lie along k in vectors.
///
///     args.workspace = {memory, family::workspace_bytes(args.product)};
///     status s = launch(device, family{}, args);
///
/// Without a workspace no blocks share k, which few rows and few columns need. Kernels of every tile are compiled where
/// it is launched; Orders are those of quantized_weights_kernels, all four if none is named.
template <class Target, class Element, class Form, class C, class Epilogue, class... Orders>
struct quantized_weights_family
{
    using target = Target;
    using tiles = tiles_for_weights<Target, Element, Form>;
    using product_type = quantized_weights_arguments<Element, Form, C, Epilogue>;

    struct arguments
    {
        product_type product;
        gemm_workspace workspace = {}; ///< null, or of workspace_bytes(product) bytes
    };

    /// Bytes of workspace with which the best tile shares its k; 0 if it does without. Precondition: can_implement.
    static long_index_t workspace_bytes(const product_type& p)
    {
        const auto choice = choose(p, true);
        if (choice.splits == 1)
            return 0;
        long_index_t bytes = 0;
        with_kernel(p, choice.number, [&](auto kernel) {
            if constexpr (is_persistent<decltype(kernel)>)
                bytes = split_k_workspace_bytes<decltype(shared(kernel))>(
                    p, chip::speed_of(Target::chip()).compute_units, choice.splits);
            else
                bytes = split_k_gemm<decltype(kernel)>::workspace_bytes({p, choice.splits, {}});
            return status();
        });
        return bytes;
    }

    /// Errors: those of can_implement and check_epilogue; a workspace that is too small or not aligned.
    static status check(const arguments& args)
    {
        const status s = check_arguments(args.product);
        return s && args.workspace.data != nullptr
                   ? gemm_checks::check_workspace(args.workspace, workspace_bytes(args.product))
                   : s;
    }
    static arguments normalize(arguments args)
    {
        args.product = tegula::normalize(args.product);
        return args;
    }
    template <class Memory>
    static void memory(const arguments& args, Memory& memory)
    {
        add_product(args.product, memory);
        if (args.workspace.data != nullptr)
            memory.workspace(args.workspace.data, static_cast<std::size_t>(workspace_bytes(args.product)), "workspace");
    }
    template <class Launcher>
    status launches(const arguments& args, Launcher& launch) const
    {
        const product_type& p = args.product;
        const auto choice = choose(p, args.workspace.data != nullptr);
        return with_kernel(p, choice.number, [&](auto kernel) {
            if constexpr (is_persistent<decltype(kernel)>) {
                if (choice.splits == 1)
                    return launch.start(kernel, arguments_for(kernel, p));
                const auto sharing = shared(kernel);
                return launch.start(sharing, arguments_for(sharing, p, choice.splits, args.workspace));
            } else {
                using sharing = split_k_gemm<decltype(kernel)>;
                return choice.splits == 1 ? launch.start(kernel, p)
                                          : launch.start(sharing{}, {p, choice.splits, args.workspace});
            }
        });
    }

    /// The choice for a product, without the tiles that do not take it. Precondition: can_implement.
    static auto choose(const product_type& p, bool may_share)
    {
        return tiles::choose({p.m, p.n, p.k, p.batch}, may_share, [&](auto tile) {
            using type = typename decltype(tile)::type;
            if constexpr (is_persistent<type>)
                return p.m > 0 && p.n > 0 && p.k > 0 && p.batch > 0 &&
                       kernels<type>::dispatch(p, [](auto) { return true; }, [](const status&) { return false; });
            else
                return true;
        });
    }

private:
    template <class TileOrKernel>
    static constexpr bool is_persistent =
        requires { TileOrKernel::making_threads; } || requires { TileOrKernel::has_partials; };

    template <class Tile, bool Persistent = is_persistent<Tile>>
    struct kernels_of
    {
        using type = quantized_weights_kernels<Tile, Form, C, Epilogue, Orders...>;
    };
    template <class Tile>
    struct kernels_of<Tile, true>
    {
        using type = persistent_quantized_kernels<Tile, Form, C, Epilogue>;
    };
    template <class Tile>
    using kernels = typename kernels_of<Tile>::type;

    template <class Kernel>
    static auto shared(const Kernel& kernel)
    {
        return with_partition<work_partition::split_k>(kernel);
    }
    /// use(kernel{}), which returns a status, of tile `number`, which takes the product.
    template <class Use>
    static status with_kernel(const product_type& p, int number, const Use& use)
    {
        return tiles::list::with(number, [&](auto tile) {
            using type = typename decltype(tile)::type;
            if constexpr (is_persistent<type>)
                return kernels<type>::dispatch(p, use, [](const status& why) { return why; });
            else
                return kernels<type>::dispatch(p, use);
        });
    }
};

} // namespace tegula
