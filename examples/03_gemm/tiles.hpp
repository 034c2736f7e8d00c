#pragma once

// The table of kernels that a back end builds for a target.

#include "launch_plan.hpp"

namespace gemm_example {

/// The shipped tiles for Inputs, as entries of the table; Run<Tile>::run runs a tile's kernels.
template <class Inputs, template <class> class Run, class... TileNames>
std::vector<kernel_entry> make_entries(device where, type_list<TileNames...>)
{
    return {kernel_entry{Inputs::target::chip().name, Inputs::name, where,
                         tegula::kind_of_type<typename Inputs::type>(),
                         tegula::describe<tile_of<Inputs, TileNames>>(TileNames::name),
                         &Run<tile_of<Inputs, TileNames>>::run, &plan_launch<Inputs, TileNames>}...};
}

} // namespace gemm_example
