#pragma once

#include <tegula/host/attention_memory.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_map.hpp>
#include <tegula/kernel/attention/warp_specialized/maps.hpp>

#include <utility>

namespace tegula {

/// Starts a warp_specialized_attention on a gpu_device or an emulated_device. On a GPU it does not wait; on the emulator
/// it is done.
///
/// Errors: those of check_warp_specialized and of make_tensor_map, with which nothing ran, and of launch.
template <class Device, launchable Kernel>
status launch_warp_specialized_attention(Device&& device, Kernel kernel, const typename Kernel::problem_type& problem)
{
    typename Kernel::arguments args{problem, {}, {}, {}};
    attention_maps maps;
    if (const status s = check_warp_specialized<Kernel>(problem, maps); !s)
        return device.refuse(s);
    if (Kernel::blocks(args) > 0)
        for (auto [map, parameters] :
             {std::pair{&args.q, &maps.q}, std::pair{&args.k, &maps.k}, std::pair{&args.v, &maps.v}})
            if (const status s = make_tensor_map(device, *map, *parameters); !s)
                return device.refuse(s);
    launch_config config;
    config.grid.x = Kernel::blocks(args);
    config.name = "warp-specialised attention";
    return device.with_memory([&](auto& memory) { add_attention<typename Kernel::variant>(memory, problem); },
                              [&] { return launch(device, config, kernel, args); });
}

} // namespace tegula
