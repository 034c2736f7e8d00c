#pragma once

#include <tegula/arch/amd/targets.hpp>
#include <tegula/emulator/launch.hpp>

#include <array>

#if defined(ENGINE_IS_LINKED) && !defined(TEGULA_EMULATOR_ELSEWHERE)
#error "tegula::emulator brings the engine, and this source compiles it again"
#endif

/// Whether a wave on the emulator copies an array.
static bool copies()
{
    using target = tegula::arch::gfx942;
    std::array<float, target::wave_size> from, to{};
    for (int i = 0; i < target::wave_size; ++i)
        from[i] = static_cast<float>(i);
    constexpr tegula::chip_info chip = target::chip();
    tegula::emulator::run_config config;
    config.chip = &chip;
    config.grid = {1, 1, 1};
    config.block_threads = target::wave_size;
    config.memory.read(from.data(), sizeof(from), "from").write(to.data(), sizeof(to), "to");
    const auto result = tegula::emulator::launch(config, [&] {
        const int i = target::thread_id();
        target::store_global(&to[i], target::load_global(&from[i]));
    });
    return result.status.ok() && from == to;
}
