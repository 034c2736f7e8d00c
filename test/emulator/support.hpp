#pragma once

#include <tegula/emulator.hpp>

#include "test/catch.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// Short ways to run a kernel and to look at what the emulator said.

namespace emu = tegula::emulator;

/// gfx942 (wave 64), one block of two waves, 4 KiB of shared memory, checks on.
inline emu::run_config two_waves()
{
    emu::run_config config;
    config.chip = &tegula::chip::gfx942;
    config.kernel_name = "test_kernel";
    config.block_threads = 128;
    config.shared_bytes = 4096;
    config.cpu_threads = 1;
    return config;
}

template <class Kernel>
emu::launch_result run(const emu::run_config& config, const Kernel& kernel)
{
    return emu::launch(config, kernel);
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The launch stopped, and its report holds all of `parts`.
inline void expect_misuse(const emu::launch_result& result, const std::vector<std::string>& parts)
{
    INFO(result.report);
    CHECK(result.status.code() == tegula::status_code::device_error);
    CHECK(contains(result.report, "kernel test_kernel on "));
    CHECK(contains(result.report, "remedy: "));
    for (const std::string& part : parts) {
        INFO("expected: " << part);
        CHECK(contains(result.report, part));
    }
}

inline void expect_fine(const emu::launch_result& result)
{
    INFO(result.report << result.status.message());
    CHECK(result.status.ok());
    CHECK(result.report.empty());
}

/// Shared memory as an array.
template <class T>
T* shared(int index = 0)
{
    return reinterpret_cast<T*>(emu::shared_memory()) + index;
}
template <class T>
void put(int index, T value)
{
    emu::store_shared<sizeof(T)>(shared<T>(index), &value);
}
template <class T>
T take(int index)
{
    T value;
    emu::load_shared<sizeof(T)>(&value, shared<T>(index));
    return value;
}

struct float4
{
    float x[4];
};
