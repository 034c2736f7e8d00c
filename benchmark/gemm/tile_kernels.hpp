#pragma once

// The GPU's kernels of gemm_tile, as entries of the table: one line of a kernels_*.gpu.cpp adds a tile.

#include "gpu.hpp"

#include <tegula/gemm.hpp>
#include <tegula/host/gpu_runtime.hpp>

#include <type_traits>

namespace gemm_benchmark {

template <class T>
using output_type_of = std::conditional_t<sizeof(T) == 1, tegula::bfloat16, T>;

/// The library's arguments for inputs of type T.
template <class T>
auto make_arguments(const gpu_problem& p)
{
    const auto [m, n, k] = p.shape;
    using output = output_type_of<T>;
    tegula::gemm_arguments<T, T, output, tegula::epilogue::none> args;
    args.m = m;
    args.n = n;
    args.k = k;
    args.a = {static_cast<const T*>(p.a), a_by_rows(p.layout) ? k : 1, a_by_rows(p.layout) ? 1 : m, 0};
    args.b = {static_cast<const T*>(p.b), b_by_rows(p.layout) ? n : 1, b_by_rows(p.layout) ? 1 : k, 0};
    args.c = {static_cast<output*>(p.d), n, 1, 0};
    return args;
}

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

template <class Tile, tegula::operand_order A, tegula::operand_order B>
struct tile_kernel
{
    using input = typename Tile::a_type;
    using kernel = tegula::gemm_kernel<Tile, A, B, output_type_of<input>, tegula::epilogue::none, true>;

    static bool suits(const gpu_problem& p)
    {
        const auto args = make_arguments<input>(p);
        return tegula::find_order(args.a, args.a.row_stride, args.a.column_stride, args.m, args.k, 1) == A &&
               tegula::find_order(args.b, args.b.column_stride, args.b.row_stride, args.n, args.k, 1) == B &&
               tegula::writes_vectors(args);
    }
    static tegula::status prepare(const gpu_problem& p, launcher& launch)
    {
        const auto args = make_arguments<input>(p);
        launch = [args] { return tegula::launch_on_gpu(kernel{}, args, kernel::blocks(args)); };
        return tegula::check_gemm(args);
    }
};

/// Adds a tile's kernels for the layouts named.
template <class Tile, layout... Layouts>
bool add_tile(const char* name)
{
    using target = typename Tile::target;
    using enum tegula::operand_order;
    const auto add = [&]<layout L>() {
        using run = tile_kernel<Tile, a_by_rows(L) ? k_contiguous : row_contiguous,
                                b_by_rows(L) ? row_contiguous : k_contiguous>;
        add_kernel({target::chip().name, tegula::kind_of_type<typename Tile::a_type>(), tegula::describe<Tile>(name),
                    &tegula::chip_of<target>, &run::suits, &run::prepare});
    };
    (add.template operator()<Layouts>(), ...);
    return true;
}

/// Adds every tile of a gemm_tiles for the layouts named.
template <class Tiles, layout... Layouts>
bool add_all_tiles()
{
    if constexpr (Tiles::has_huge)
        add_tile<typename Tiles::huge, Layouts...>("huge");
    if constexpr (Tiles::has_wide)
        add_tile<typename Tiles::wide, Layouts...>("wide");
    add_tile<typename Tiles::large, Layouts...>("large");
    add_tile<typename Tiles::medium, Layouts...>("medium");
    return add_tile<typename Tiles::flat, Layouts...>("flat");
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace gemm_benchmark
