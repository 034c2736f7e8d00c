#pragma once

// The table of kernels that a back end builds for one target.

#include "kernels.hpp"

namespace gemm_example {

/// What --type means on Target; nothing where the target cannot convert to it. A target without a matrix instruction
/// for tf32 multiplies f32.
template <class Target>
struct types_of
{
    static constexpr bool has_fp8_fnuz = tegula::has_matrix_instruction<Target, tegula::float8_e4m3_fnuz>;
    static constexpr bool has_fp8 = has_fp8_fnuz || tegula::has_matrix_instruction<Target, tegula::float8_e4m3>;
    static constexpr bool has_tf32 = tegula::has_matrix_instruction<Target, tegula::tfloat32>;
    using fp8 = std::conditional_t<has_fp8_fnuz, tegula::float8_e4m3_fnuz, tegula::float8_e4m3>;
    using tf32 = std::conditional_t<has_tf32, tegula::tfloat32, float>;
};

/// The shipped tiles of one type, as entries of the table. Run<Tile>::run is what runs a tile's kernels.
template <class Target, class T, template <class> class Run>
std::vector<kernel_entry> make_entries(device where, const char* type, element kind)
{
    using tiles = tegula::multistage_tiles<Target, T>;
    const auto entry = [&](auto tag, const char* name) {
        using tile = typename decltype(tag)::type;
        return kernel_entry{Target::chip().name, type,          name,          where,          kind,
                            tile::block_m,       tile::block_n, tile::block_k, &Run<tile>::run};
    };
    return {entry(element_tag<typename tiles::large>{}, "large"),
            entry(element_tag<typename tiles::medium>{}, "medium"), entry(element_tag<typename tiles::flat>{}, "flat")};
}

} // namespace gemm_example
