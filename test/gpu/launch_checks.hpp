#pragma once

/// Function objects on a device, a GPU or the emulator.

#include <tegula/host/launch.hpp>
#include <tegula/reference/registry.hpp>
#include <tegula/tensor.hpp>

#include "test/gpu/kernel_check.hpp"

#include <vector>

namespace tegula::test {

/// Each thread writes where it is and what it was given. A member of the user's own: `factor`.
template <class Target>
struct numbering
{
    using target = Target;
    static constexpr int block_threads = 64;

    std::int32_t factor;

    TEGULA_HOST_DEVICE void operator()(std::int32_t* out, array<index_t, 3> grid, std::int32_t offset) const
    {
        const auto block = target::block_id();
        const index_t at = ((block[2] * grid[1] + block[1]) * grid[0] + block[0]) * block_threads + target::thread_id();
        out[at] = factor * at + offset;
    }
};

/// Shared memory of the size that the launch gives: thread t gets what thread 63 - t has left.
template <class Target>
struct reversing
{
    using target = Target;
    static constexpr int block_threads = 64;

    std::int32_t* out;

    TEGULA_HOST_DEVICE void operator()() const
    {
        auto* const shared = reinterpret_cast<std::int32_t*>(target::shared_memory());
        const int t = target::thread_id();
        target::store_shared(shared + t, std::int32_t{1000 * target::block_id()[0] + t});
        target::block_barrier();
        out[target::block_id()[0] * block_threads + t] = target::load_shared(shared + block_threads - 1 - t);
    }
};

/// Returns what is wrong, or an empty string.
template <class Target, class Device>
std::string check_function_objects(Device& device, std::uint64_t seed)
{
    const array<index_t, 3> grid{3, 2, 5};
    constexpr int threads = numbering<Target>::block_threads;
    std::vector<std::int32_t> found(static_cast<std::size_t>(grid[0] * grid[1] * grid[2] * threads));
    const std::size_t bytes = found.size() * sizeof(found[0]);
    typename Device::memory memory;
    if (status s = memory.copy_from(found.data(), bytes); !s)
        return s.message();
    auto* const out = static_cast<std::int32_t*>(memory.data());
    const auto run = [&](const launch_config& config, const auto& kernel, const auto&... arguments) {
        status s = launch(device, config, kernel, arguments...);
        s = s ? wait_for(device) : s;
        return s ? memory.copy_to(found.data(), bytes) : s;
    };

    const auto factor = static_cast<std::int32_t>(seed) + 3;
    launch_config config;
    config.name = "numbering";
    config.grid = {grid[0], grid[1], grid[2]};
    if (status s = run(config, numbering<Target>{factor}, out, grid, std::int32_t{-7}); !s)
        return s.message();
    for (std::size_t i = 0; i < found.size(); ++i)
        if (found[i] != factor * static_cast<std::int32_t>(i) - 7)
            return "thread " + std::to_string(i) + " of all wrote " + std::to_string(found[i]);

    config = {};
    config.name = "reversing";
    config.grid.x = 7;
    config.shared_bytes = threads * static_cast<long>(sizeof(std::int32_t));
    if (status s = run(config, reversing<Target>{out}); !s)
        return s.message();
    for (std::int32_t i = 0; i < 7 * threads; ++i)
        if (found[static_cast<std::size_t>(i)] != 1000 * (i / threads) + threads - 1 - i % threads)
            return "thread " + std::to_string(i) + " of all got " + std::to_string(found[static_cast<std::size_t>(i)]);

    // No block: nothing is written.
    config.grid.x = 0;
    if (status s = run(config, reversing<Target>{out}); !s)
        return s.message();
    config.grid = {1, 70000, 1};
    if (launch(device, config, reversing<Target>{out}))
        return "a grid of 70000 blocks along y was started";
    return {};
}

} // namespace tegula::test
