#pragma once

// The table of kernels that a back end builds for a target.

#include "launch_plan.hpp"

namespace gemm_example {

template <class T>
inline constexpr element element_of = element::f32;
template <>
inline constexpr element element_of<tegula::half> = element::f16;
template <>
inline constexpr element element_of<tegula::bfloat16> = element::bf16;
template <>
inline constexpr element element_of<tegula::tfloat32> = element::tf32;
template <>
inline constexpr element element_of<tegula::float8_e4m3> = element::fp8_e4m3;
template <>
inline constexpr element element_of<tegula::float8_e4m3_fnuz> = element::fp8_e4m3_fnuz;
template <>
inline constexpr element element_of<std::int8_t> = element::int8;

/// The shipped tiles for Inputs, as entries of the table; Run<Tile>::run runs a tile's kernels.
template <class Inputs, template <class> class Run, class... TileNames>
std::vector<kernel_entry> make_entries(device where, type_list<TileNames...>)
{
    return {kernel_entry{Inputs::target::chip().name, Inputs::name, where, element_of<typename Inputs::type>,
                         tegula::describe<tile_of<Inputs, TileNames>>(TileNames::name),
                         &Run<tile_of<Inputs, TileNames>>::run, &plan_launch<Inputs, TileNames>}...};
}

} // namespace gemm_example
