#pragma once

// The warp-specialised kernels of sm_90a and sm_100a, as entries of the table.

#include "tiles.hpp"

#include <tegula/kernel/gemm/tcgen05/description.hpp>
#include <tegula/kernel/gemm/tcgen05/dispatch.hpp>
#include <tegula/kernel/gemm/tcgen05/tiles.hpp>
#include <tegula/kernel/gemm/warp_specialized/description.hpp>
#include <tegula/kernel/gemm/warp_specialized/dispatch.hpp>
#include <tegula/kernel/gemm/warp_specialized/tiles.hpp>

namespace gemm_example {

template <class Target>
inline constexpr bool has_tensor_memory = Target::chip().tensor_columns > 0;

/// By wgmma, or, where there is tensor memory, by tcgen05.mma. Those that share k write any C; the others by tensor copies,
/// and leave what these cannot write to the multistage kernels.
template <class Tile, bool SharesK, class C = tegula::accumulator_of<typename Tile::a_type>,
          class Epilogue = epilogue_of<typename Tile::a_type>,
          tegula::output_store Store = SharesK ? tegula::output_store::direct : tegula::output_store::tensor_copies>
using warp_specialized_kernels_of =
    std::conditional_t<has_tensor_memory<typename Tile::target>,
                       tegula::tcgen05_kernels<Tile, C, Epilogue, tegula::work_partition::tiles, Store>,
                       tegula::warp_specialized_kernels<Tile, C, Epilogue, Store>>;

template <class Target, class Element>
using warp_specialized_tiles_of = std::conditional_t<has_tensor_memory<Target>, tegula::tcgen05_tiles<Target, Element>,
                                                     tegula::warp_specialized_tiles<Target, Element>>;

template <class Tile, bool SharesK>
tegula::status takes_product(const problem& p)
{
    const auto args = make_arguments<typename Tile::a_type>(p);
    if (tegula::status s = tegula::can_implement(args); !s)
        return s;
    return warp_specialized_kernels_of<Tile, SharesK>::can_take(args);
}

/// Tiles for Inputs, as entries of the table; Run<Tile>::run runs a tile's kernels. They have no launch plan.
template <class Inputs, template <class> class Run, class... TileNames>
std::vector<kernel_entry> make_warp_specialized_entries(device where, type_list<TileNames...>)
{
    using tiles = warp_specialized_tiles_of<typename Inputs::target, typename Inputs::type>;
    return {kernel_entry{
        Inputs::target::chip().name, Inputs::name, where, tegula::kind_of_type<typename Inputs::type>(),
        tegula::describe<typename TileNames::template of<tiles>>(TileNames::name),
        &Run<typename TileNames::template of<tiles>>::run, nullptr,
        &takes_product<typename TileNames::template of<tiles>, Run<typename TileNames::template of<tiles>>::shares_k>,
        nullptr, Run<typename TileNames::template of<tiles>>::shares_k}...};
}

} // namespace gemm_example
