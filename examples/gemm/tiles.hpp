#pragma once

// The table of kernels that a back end builds for a target.

#include "launch_plan.hpp"

namespace gemm_example {

/// Tiles of gemm_tiles for Inputs, as entries of the table; Run<Tile>::run runs a tile's kernels. They have no launch
/// plan.
template <class Inputs, template <class> class Run, class... TileNames>
std::vector<kernel_entry> make_entries(device where, type_list<TileNames...>)
{
    return {kernel_entry{
        Inputs::target::chip().name, Inputs::name, where, tegula::kind_of_type<typename Inputs::type>(),
        tegula::describe<tile_of<Inputs, TileNames>>(TileNames::name), &Run<tile_of<Inputs, TileNames>>::run, nullptr,
        nullptr, nullptr, Run<tile_of<Inputs, TileNames>>::shares_k}...};
}

/// Entries with launch plans, which are for AMD's code objects.
template <class Inputs, template <class> class Run, class... TileNames>
std::vector<kernel_entry> make_planned_entries(device where, type_list<TileNames...> names)
{
    std::vector<kernel_entry> entries = make_entries<Inputs, Run>(where, names);
    if constexpr (Inputs::target::chip().vendor == tegula::vendor::amd) {
        std::size_t i = 0;
        ((entries[i++].plan = &plan_launch<Inputs, TileNames>), ...);
    }
    return entries;
}

} // namespace gemm_example
