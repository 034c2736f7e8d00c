#pragma once

#include "emulated.hpp"
#include "warp_specialized.hpp"

#include <tegula/host/emulated_warp_specialized.hpp>

namespace gemm_example {

template <class Tile>
struct emulated_warp_specialized
{
    using input = typename Tile::a_type;

    static run_result run(const problem& p, const run_options& options)
    {
        return run_emulated<input>(p, options, [](const auto& args, const auto& config) {
            constexpr int multiprocessors = tegula::chip::speed_of(Tile::target::chip()).compute_units;
            return warp_specialized_kernels_of<Tile>::dispatch(
                args,
                [&](auto kernel) { return tegula::emulate_warp_specialized(kernel, args, multiprocessors, config); },
                [](const tegula::status& why) {
                    tegula::emulator::launch_result result;
                    result.status = why;
                    return result;
                });
        });
    }
};

/// Adds the emulator's warp-specialised kernels of Target for one --type and these tiles.
template <class Target, template <class> class Inputs, class... TileNames>
bool add_emulated_warp_specialized()
{
    return add_kernels(make_warp_specialized_entries<Inputs<Target>, emulated_warp_specialized>(
        device::emulator, type_list<TileNames...>{}));
}

} // namespace gemm_example
