#pragma once

// Runs a level on the emulator.

#include "levels.hpp"

#include <tegula/host/emulated_device.hpp>

#include <vector>

struct problem
{
    std::vector<bfloat16> x = std::vector<bfloat16>(rows * in), w = std::vector<bfloat16>(in * out);
    std::vector<bfloat16> y = std::vector<bfloat16>(rows * out);
};

inline emulator::counters run_first_level(problem& p)
{
    emulated_device device;
    device.config.memory.read(p.x.data(), p.x.size() * sizeof(bfloat16), "X");
    device.config.memory.read(p.w.data(), p.w.size() * sizeof(bfloat16), "W");
    device.config.memory.write(p.y.data(), p.y.size() * sizeof(bfloat16), "Y");
    launch_config config;
    config.grid.x = rows * out / one_element_a_lane::block_threads;
    const one_element_a_lane::arguments arguments{p.x.data(), p.w.data(), p.y.data()};
    static_cast<void>(launch(device, config, one_element_a_lane{}, arguments));
    return device.result.counters;
}

template <class Tile>
emulator::counters run_level(problem& p)
{
    using kernel = perceptron<Tile>;
    const typename kernel::arguments arguments{rows,
                                               out,
                                               in,
                                               1,
                                               {p.x.data(), in, 1},
                                               {p.w.data(), out, 1},
                                               {p.y.data(), out, 1},
                                               epilogue::make_chain(epilogue::activate{activation::relu})};
    return emulate(kernel{}, arguments).counters;
}
