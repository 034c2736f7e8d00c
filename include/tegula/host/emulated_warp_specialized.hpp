#pragma once

#include <tegula/host/emulated_forms.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/kernel/gemm/warp_specialized/maps.hpp>

namespace tegula {

/// Runs a warp_specialized_gemm on the emulator, all addresses being the host's, as on a GPU of `multiprocessors`; with
/// its reduce_partials where clusters share the k of tiles. Counters are those of both.
///
/// Errors: those of fill_arguments and emulator::launch.
template <class Kernel>
emulator::launch_result emulate_warp_specialized(Kernel, const typename Kernel::product_type& product,
                                                 int multiprocessors = 132, emulator::launch_config config = {},
                                                 index_t splits = 1, gemm_workspace workspace = {})
{
    emulator::launch_result result;
    typename Kernel::arguments args;
    result.status = fill_arguments<Kernel>(args, product, multiprocessors, make_emulated_tensor_map, splits, workspace);
    if (!result.status)
        return result;
    config.chip = &chip_of<typename Kernel::target>;
    detail::add_product(config.memory, args.product);
    emulator::launch_config summing = config;
    config.kernel_name = "warp-specialised GEMM";
    config.grid = {static_cast<int>(Kernel::blocks(args)), 1, 1};
    config.cluster = {Kernel::cluster_blocks, 1, 1};
    config.block_threads = Kernel::block_threads;
    config.shared_bytes = Kernel::shared_bytes;
    if constexpr (!Kernel::has_partials) {
        return emulator::launch(config, [&args] { Kernel{}(args); });
    } else {
        using sum = reduce_partials<split_k_reduction<Kernel>>;
        const auto bytes = static_cast<std::size_t>(split_k_reduction<Kernel>::workspace_bytes(args.plan));
        config.memory.write(workspace.data, bytes, "workspace");
        result = emulator::launch(config, [&args] { Kernel{}(args); });
        if (!result.status || sum::blocks(args) == 0)
            return result;
        summing.memory.read(workspace.data, bytes, "workspace");
        summing.kernel_name = "reduce_partials";
        summing.grid = {static_cast<int>(sum::blocks(args)), 1, 1};
        summing.block_threads = sum::block_threads;
        emulator::launch_result summed = emulator::launch(summing, [&args] { sum{}(args); });
        summed.counters += result.counters;
        return summed;
    }
}

} // namespace tegula
