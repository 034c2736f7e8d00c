#pragma once

// The table of kernels that a back end builds for a target.

#include "examples/common/float8.hpp"
#include "kernels.hpp"

#include <tegula/attention.hpp>

#include <utility>

namespace attention_example {

/// T, or the FNUZ flavour of an 8-bit type where Target multiplies that one.
template <class Target, class T>
struct input_of
{
    using type = T;
};
template <class Target>
struct input_of<Target, tegula::float8_e4m3>
{
    using type = examples::float8_flavour<Target, tegula::float8_e4m3, tegula::float8_e4m3_fnuz>;
};
template <class Target>
struct input_of<Target, tegula::float8_e5m2>
{
    using type = examples::float8_flavour<Target, tegula::float8_e5m2, tegula::float8_e5m2_fnuz>;
};

template <class Target, class T, index_t Columns>
using tile_of = tegula::attention_tile_for<Target, typename input_of<Target, T>::type, Columns>;

/// The tile of the latent form of multi-head latent attention: Columns of K, of which the first 512 are V.
template <class Target, class T, index_t Columns>
using latent_tile = tegula::attention_tile_for<Target, T, Columns, 512>;

/// The tile that runs in place of Tile where scores are changed.
template <class Tile>
using changing_tile =
    tegula::attention_tile_for<typename Tile::target, typename Tile::element, Tile::head_dim, Tile::value_dim,
                               changing_variant, tegula::soft_cap<typename Tile::target>>;

template <class Tile>
kernel_entry make_entry(const char* type, device where, run_result (*run)(const problem&, const run_options&))
{
    constexpr bool latent = Tile::head_dim == tegula::latent_head_dim;
    kernel_entry e{Tile::target::chip().name,
                   type,
                   where,
                   tegula::kind_of_type<typename Tile::element>(),
                   Tile::head_dim,
                   Tile::queries,
                   Tile::keys,
                   run,
                   latent ? tegula::attention_form::latent : tegula::attention_form::multistage};
    if constexpr (!latent) {
        e.changing_queries = changing_tile<Tile>::queries;
        e.changing_keys = changing_tile<Tile>::keys;
    }
    return e;
}

/// The kernels for few queries.
template <class Target, class T, index_t Columns>
using decoding_kernel =
    tegula::attention_split_kernel<tegula::decoding_tile_for<Target, typename input_of<Target, T>::type, Columns>,
                                   float, decoding_variant>;

template <class Kernel>
kernel_entry make_decoding_entry(const char* type, device where, run_result (*run)(const problem&, const run_options&))
{
    kernel_entry e = make_entry<typename Kernel::tile>(type, where, run);
    e.form = tegula::attention_form::few_queries;
    return e;
}

/// The kernel of a feature.
template <class Target, class T, index_t Columns, class Variant>
using feature_kernel =
    tegula::attention_kernel<tegula::attention_tile_for<Target, typename input_of<Target, T>::type, Columns, Columns,
                                                        Variant, tegula::soft_cap<Target>>,
                             float, Variant, tegula::soft_cap<Target>>;

template <class Kernel>
kernel_entry make_feature_entry(const char* type, device where, run_result (*run)(const problem&, const run_options&))
{
    kernel_entry e = make_entry<typename Kernel::tile>(type, where, run);
    e.changing_queries = e.changing_keys = 0;
    e.feature = feature_of<typename Kernel::variant>();
    return e;
}

/// The library's arguments for a kernel of a feature.
template <class Kernel>
auto make_feature_arguments(const problem& p)
{
    using tile = typename Kernel::tile;
    return make_arguments<typename tile::element, float, tegula::soft_cap<typename tile::target>>(p);
}

/// The kernels by tensor copies and warps of different tasks, of targets that have them, for problems without bias and
/// soft cap.
template <class Target, class T, index_t Columns, class Variant, tegula::attention_sequences Sequences>
struct warp_specialized_choice
{
    using type = tegula::warp_specialized_attention<
        tegula::warp_specialized_attention_tile_for<Target, T, Columns, Columns, Variant>, float, Variant,
        tegula::unchanged_score, Sequences>;
};
template <class Target, class T, index_t Columns>
using warp_specialized_kernel = typename warp_specialized_choice<Target, T, Columns, plain_variant,
                                                                 tegula::attention_sequences::of_one_length>::type;
template <class Target, class T, index_t Columns>
using warp_specialized_pages_kernel =
    typename warp_specialized_choice<Target, T, Columns, copied_pages_variant,
                                     tegula::attention_sequences::of_any_length>::type;

template <class Kernel>
kernel_entry make_warp_specialized_entry(const char* type, device where,
                                         run_result (*run)(const problem&, const run_options&))
{
    kernel_entry e = make_entry<typename Kernel::tile>(type, where, run);
    e.form = tegula::attention_form::warp_specialized;
    e.feature = feature_of<typename Kernel::variant>();
    e.page_multiple = e.feature == feature::pages ? tegula::tensor_copy_page_keys : 1;
    e.takes = [](const problem& p) {
        const auto args = make_arguments<typename Kernel::element, float, tegula::unchanged_score>(p);
        return !p.changes_scores() && Kernel::check({args}).ok();
    };
    return e;
}

/// launch(args) with a workspace in the memory of Device; an error where there is none.
template <class Kernel, class Device, class Launch>
tegula::status with_workspace(const problem& p, const Launch& launch)
{
    typename Kernel::arguments args{
        make_arguments<typename Kernel::element, float, tegula::unchanged_score>(p), p.splits, {}};
    typename Device::memory workspace;
    args.workspace.size = args.workspace_size();
    const auto bytes = static_cast<std::size_t>(args.workspace.size) * sizeof(float);
    if (tegula::status s = workspace.allocate(bytes); !s)
        return s;
    args.workspace.data = static_cast<float*>(workspace.data());
    return launch(args);
}

/// run(kernel, arguments) with the tile's kernel that the problem needs.
template <class Tile, class Run>
run_result dispatch(const problem& p, const Run& run)
{
    using namespace tegula;
    using element = typename Tile::element;
    using cap = soft_cap<typename Tile::target>;
    if (p.changes_scores()) {
        return run(attention_kernel<changing_tile<Tile>, float, changing_variant, cap>{},
                   make_arguments<element, float, cap>(p));
    }
    return run(attention_kernel<Tile, float, plain_variant>{}, make_arguments<element, float, unchanged_score>(p));
}

/// run(kernel, arguments) with the tile's kernel of the latent form, which does not change scores.
template <class Tile, class Run>
run_result dispatch_latent(const problem& p, const Run& run)
{
    using namespace tegula;
    run_result refused;
    if (p.changes_scores()) {
        refused.status = status(status_code::unsupported, "head_dim is ")
                         << p.plain.head_dim << " and value_dim " << p.plain.value_dim
                         << "; past 256 the program has no kernels with --bias and --softcap";
        return refused;
    }
    return run(attention_kernel<Tile, float, plain_variant>{},
               make_arguments<typename Tile::element, float, unchanged_score>(p));
}

} // namespace attention_example
