#pragma once

// The GPU's kernels of gemm_tile, as entries of the table. cmake/kernels.py writes the lines that add tiles.

#include "gpu.hpp"

#include <tegula/gemm.hpp>
#include <tegula/host/gpu_launch.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/kernel/gemm/forms/split_k.hpp>
#include <tegula/kernel/gemm/forms/stream_k.hpp>

#include "library/kernels.hpp"

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

/// Prepares a kernel by the library's C interface. Launches keep `workspace`. Errors: those of tegula_prepare_kernel.
template <class Kernel>
tegula::status prepare_kernel(const typename Kernel::arguments& args, launcher& launch,
                              const std::shared_ptr<tegula::device_memory>& workspace = {})
{
    const auto status_of = [](int code) {
        return code == 0 ? tegula::status() : tegula::status(static_cast<tegula::status_code>(code), tegula_message());
    };
    void* handle = nullptr;
    const std::string& name = gpu_library::entry_of<Kernel>::get().name;
    if (const int code = tegula_prepare_kernel(name.c_str(), &args, sizeof args, &handle); code != 0)
        return status_of(code);
    const std::shared_ptr<void> prepared(handle, &tegula_release);
    launch = [prepared, workspace, status_of] {
        return status_of(tegula_start(prepared.get(), TEGULA_RUNTIME(StreamPerThread)));
    };
    return {};
}

template <class Tile, tegula::operand_order A, tegula::operand_order B>
struct tile_kernel
{
    using input = typename Tile::a_type;
    using kernel =
        tegula::gemm_kernel<Tile, A, B, output_type_of<input>, tegula::epilogue::none, tegula::output_access::vectors>;

    static bool suits(const gpu_problem& p)
    {
        const auto args = make_arguments<input>(p);
        return tegula::find_order(args.a, args.a.row_stride, args.a.column_stride, args.m, args.k, 1) == A &&
               tegula::find_order(args.b, args.b.column_stride, args.b.row_stride, args.n, args.k, 1) == B &&
               tegula::writes_vectors(args);
    }
    static tegula::status prepare(const gpu_problem& p, launcher& launch)
    {
        return prepare_kernel<kernel>(make_arguments<input>(p), launch);
    }
};

/// As tile_kernel, with its k shared among blocks. Form: split_k_gemm or stream_k_gemm.
template <template <class> class Form, class Tile, tegula::operand_order A, tegula::operand_order B>
struct split_k_kernel
{
    using whole = tile_kernel<Tile, A, B>;
    using kernel = Form<typename whole::kernel>;

    static bool suits(const gpu_problem& p) { return whole::suits(p); }
    static tegula::status prepare(const gpu_problem& p, launcher& launch)
    {
        typename kernel::arguments args{make_arguments<typename Tile::a_type>(p)};
        if constexpr (requires { args.splits; })
            args.splits = tegula::choose_splits(p.shape.size(), tegula::describe<Tile>(""),
                                                tegula::chip_of<typename Tile::target>);
        else if (tegula::status s = tegula::find_resident_blocks<kernel>(tegula::gpu_device{}, args.workers); !s)
            return s;
        const long_index_t bytes = kernel::workspace_bytes(args);
        const auto workspace = std::make_shared<tegula::device_memory>();
        if (tegula::status s = workspace->allocate(static_cast<std::size_t>(bytes)); !s)
            return s;
        args.workspace = {workspace->data(), bytes};
        return prepare_kernel<kernel>(args, launch, workspace);
    }
};

template <class Target, class T>
tegula::status compare_with_plain(const gpu_problem& p, double allowed, tegula::product_differences& found)
{
    const auto args = make_arguments<T>(p);
    tegula::product_to_check<T, T, output_type_of<T>> product;
    product.m = args.m, product.n = args.n, product.k = args.k;
    product.a = args.a, product.b = args.b;
    product.c = {args.c.data, args.c.row_stride, args.c.column_stride, 0};
    product.allowed = allowed;
    return tegula::check_product<Target>(tegula::gpu_device{}, product, found);
}

/// Adds a kernel of a tile. The library names it by its layout, as it has no epilogue: "sm_90a bf16 ws128x256 TN".
template <class Tile, class Run>
void add_entry(const tegula::tile_description& tile, layout l, k_form form = k_form::whole)
{
    using target = typename Tile::target;
    const std::string type = tegula::number_traits<typename Tile::a_type>::name();
    gpu_library::add_kernel<target, typename Run::kernel>(type + " " + tile.name + " " + name_of(l));
    add_kernel({target::chip().name, tegula::kind_of_type<typename Tile::a_type>(), tile, &tegula::chip_of<target>,
                &Run::suits, &Run::prepare, &compare_with_plain<target, typename Tile::a_type>, form});
}

constexpr tegula::operand_order order_of_a(layout l)
{
    return a_by_rows(l) ? tegula::operand_order::k_contiguous : tegula::operand_order::row_contiguous;
}
constexpr tegula::operand_order order_of_b(layout l)
{
    return b_by_rows(l) ? tegula::operand_order::row_contiguous : tegula::operand_order::k_contiguous;
}

/// Adds a tile's kernels for the layouts named.
template <class Tile, layout... Layouts>
bool add_tile(const char* name)
{
    (add_entry<Tile, tile_kernel<Tile, order_of_a(Layouts), order_of_b(Layouts)>>(tegula::describe<Tile>(name),
                                                                                  Layouts),
     ...);
    return true;
}

/// Adds a tile's split-K and stream-K for the layouts named, under these names.
template <class Tile, layout... Layouts>
bool add_split_k(const char* split_k, const char* stream_k)
{
    using tegula::split_k_gemm, tegula::stream_k_gemm;
    (add_entry<Tile, split_k_kernel<split_k_gemm, Tile, order_of_a(Layouts), order_of_b(Layouts)>>(
         tegula::describe<Tile>(split_k), Layouts, k_form::split_k),
     ...);
    (add_entry<Tile, split_k_kernel<stream_k_gemm, Tile, order_of_a(Layouts), order_of_b(Layouts)>>(
         tegula::describe<Tile>(stream_k), Layouts, k_form::stream_k),
     ...);
    return true;
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace gemm_benchmark
