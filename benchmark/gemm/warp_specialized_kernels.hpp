#pragma once

// The warp-specialised kernels of sm_90a as entries of the table: one line of a kernels_*.gpu.cpp adds a tile. Compiled
// by nvcc.

#include "tile_kernels.hpp"

#include <tegula/host/gpu_warp_specialized.hpp>
#include <tegula/kernel/gemm/warp_specialized/description.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace gemm_benchmark {

inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class Tile, tegula::operand_major A, tegula::operand_major B>
struct warp_specialized_kernel
{
    using input = typename Tile::a_type;
    using kernel =
        tegula::warp_specialized_gemm<Tile, A, B, output_type_of<input>, tegula::epilogue::none, /* TensorC */ true>;

    static bool suits(const gpu_problem& p)
    {
        tegula::gemm_maps maps;
        return tegula::describe_maps<kernel>(tegula::normalize(make_arguments<input>(p)), maps).ok();
    }
    /// The tensor maps are encoded here, once, and not at every launch.
    static tegula::status prepare(const gpu_problem& p, launcher& launch)
    {
        int multiprocessors = 0;
        typename kernel::arguments args;
        if (tegula::status s = tegula::find_multiprocessors<kernel>(multiprocessors); !s)
            return s;
        if (tegula::status s = tegula::fill_arguments<kernel>(args, make_arguments<input>(p), multiprocessors,
                                                              tegula::encode_tensor_map);
            !s)
            return s;
        launch = [args] { return tegula::launch_on_gpu(kernel{}, args, kernel::blocks(args)); };
        return {};
    }
};

/// Adds a tile's kernels for the layouts named.
template <class Tile, layout... Layouts>
bool add_warp_specialized(const char* name)
{
    using enum tegula::operand_major;
    const auto add = [&]<layout L>() {
        using run = warp_specialized_kernel<Tile, a_by_rows(L) ? k : mn, b_by_rows(L) ? mn : k>;
        using target = typename Tile::target;
        add_kernel({target::chip().name, tegula::kind_of_type<typename Tile::a_type>(), tegula::describe<Tile>(name),
                    &tegula::chip_of<target>, &run::suits, &run::prepare});
    };
    (add.template operator()<Layouts>(), ...);
    return true;
}

/// Adds every tile of a warp_specialized_tiles for the layouts named.
template <class Tiles, layout... Layouts>
bool add_all_warp_specialized()
{
    add_warp_specialized<typename Tiles::pair_wide, Layouts...>("pair_wide");
    add_warp_specialized<typename Tiles::pair_tall, Layouts...>("pair_tall");
    add_warp_specialized<typename Tiles::pair_square, Layouts...>("pair_square");
    add_warp_specialized<typename Tiles::pair_low, Layouts...>("pair_low");
    add_warp_specialized<typename Tiles::single, Layouts...>("single");
    add_warp_specialized<typename Tiles::rows_16, Layouts...>("rows_16");
    add_warp_specialized<typename Tiles::rows_32, Layouts...>("rows_32");
    add_warp_specialized<typename Tiles::rows_64, Layouts...>("rows_64");
    add_warp_specialized<typename Tiles::rows_128, Layouts...>("rows_128");
    if constexpr (Tiles::has_promoted)
        add_warp_specialized<typename Tiles::promoted, Layouts...>("promoted");
    return true;
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace gemm_benchmark
