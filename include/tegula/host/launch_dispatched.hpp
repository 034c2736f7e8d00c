#pragma once

#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_memory.hpp>

namespace tegula {

namespace detail {

/// Launches what dispatch(f) calls f(kernel, plan) with; add(memory) says what memory it touches.
template <class Device, class Dispatch, class Add>
status launch_dispatched(Device& device, const char* name, const Dispatch& dispatch, const Add& add)
{
    bool started = false;
    const status s = dispatch([&](auto kernel, const auto& plan) {
        started = true;
        launch_config config;
        config.grid.x = plan.blocks;
        config.name = name;
        return device.with_memory(add, [&] { return launch(device, config, kernel, plan); });
    });
    return started ? s : device.refuse(s);
}

} // namespace detail

} // namespace tegula
