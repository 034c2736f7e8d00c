#pragma once

#include <tegula/chip/chip_speed.hpp>
#include <tegula/core/host_missing.hpp>
#include <tegula/emulator/launch.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_map.hpp>

#include <cstring>
#include <memory>
#include <utility>

namespace tegula {

/// Memory of the emulator, as device_memory is of a GPU; its start is a multiple of 256 bytes.
///
/// It has 64 KiB of guard space on each side, so that the emulator reports an access past its ends. Arrays of the host
/// may be adjacent. Between those it reports only accesses that name their tensor (emulator::set_element), as views do.
class emulated_memory
{
public:
    static constexpr std::size_t guard = 64 * 1024;

    status allocate(std::size_t bytes)
    {
        bytes_.reset(bytes > 0 ? new piece[(bytes + sizeof(piece) - 1) / sizeof(piece) + 2 * guard / sizeof(piece)]
                               : nullptr); // the guards are never touched, so that they take no memory
        if (bytes > 0)
            std::memset(data(), 0, bytes);
        return {};
    }
    status copy_from(const void* host, std::size_t bytes)
    {
        status s = allocate(bytes);
        if (s && bytes > 0)
            std::memcpy(data(), host, bytes);
        return s;
    }
    status copy_to(void* host, std::size_t bytes) const
    {
        if (bytes > 0)
            std::memcpy(host, data(), bytes);
        return {};
    }
    void* data() const { return bytes_ == nullptr ? nullptr : bytes_.get() + guard / sizeof(piece); }

private:
    struct alignas(256) piece
    {
        std::byte bytes[256];
    };
    std::unique_ptr<piece[]> bytes_;
};

/// emulated_device, the emulator as a device for launch(). Addresses are the host's. A launch is done when it returns.
template <>
struct emulated_device_of<void>
{
    using memory = emulated_memory;
    /// Kernels read the host's memory.
    static constexpr bool has_host_memory = true;

    /// The settings that a launch does not give: checks, CPU threads, the memory that kernels may touch.
    emulator::run_config config{};
    /// Status and report of the last launch, counters of all launches.
    emulator::launch_result result{};
    /// Multiprocessors or compute units of the GPU; 0: those of the kernel's chip.
    int multiprocessors = 0;
    /// Kernels with `waits_for_previous` may start before the launch before them on this device has ended.
    bool overlaps_launches = false;
    /// The memory that the last launch was given.
    emulator::memory_ranges previous{};

    /// Records why a launch is refused.
    status refuse(const status& why)
    {
        result.status = why;
        return why;
    }

    /// Calls launch() with more memory that its kernels may touch, which add(memory_ranges&) names. A workspace holds
    /// nothing before the first of its kernels; the further ones may read it.
    template <class Add, class Launch>
    status with_memory(const Add& add, const Launch& launch)
    {
        const emulator::memory_ranges before = config.memory;
        const bool was_inside = std::exchange(is_inside, true);
        add(config.memory);
        const status s = launch();
        config.memory = before;
        is_inside = was_inside;
        return s;
    }

    /// Whether a launch is one of several with the same memory.
    bool is_inside = false;
};

namespace detail {

/// Clusters that the GPU runs at a time if its multiprocessors have a block each.
inline int resident_clusters(const emulated_device& device, const launch_needs& needs)
{
    const int multiprocessors =
        device.multiprocessors > 0 ? device.multiprocessors : chip::speed_of(*needs.chip).compute_units;
    const auto blocks = static_cast<int>(needs.cluster.volume());
    return multiprocessors > blocks ? multiprocessors / blocks : 1;
}

/// launch() of any kernel: run(object) is the kernel with its arguments.
inline status launch_emulated(emulated_device& device, const launch_config& config, const launch_needs& needs,
                              void (*run)(const void* object), const void* object)
{
    if (status s = check_launch(needs, config); !s)
        return device.refuse(s);
    device.result.status = {};
    device.result.report.clear();
    if (config.grid.volume() == 0)
        return {};
    const auto extent = [](const launch_config::extent& e) {
        return emulator::extent3{static_cast<int>(e.x), static_cast<int>(e.y), static_cast<int>(e.z)};
    };
    emulator::run_config all = device.config;
    all.chip = needs.chip;
    all.kernel_name = config.name;
    all.grid = extent(config.grid);
    all.cluster = extent(needs.cluster);
    all.block_threads = needs.block_threads;
    all.shared_bytes = needs.shared_bytes;
    if (needs.takes_over_launches && all.resident == 0)
        all.resident = resident_clusters(device, needs);
    all.overlaps_previous = device.overlaps_launches && needs.waits_for_previous;
    all.previous = std::exchange(device.previous, all.memory);
    emulator::launch_result ran = emulator::launch(all, [&] { run(object); });
    ran.counters += device.result.counters;
    device.result = std::move(ran);
    if (device.is_inside)
        device.config.memory.fill_workspaces();
    return device.result.status;
}

} // namespace detail

/// Runs kernel(arguments...) in every thread on the emulator, with the checks and the memory of the device's `config`;
/// on a GPU, see gpu_launch.hpp.
///
/// Errors: those of check_launch and of emulator::launch; the report is the device's `result`.
template <class Kernel, class... Arguments>
status launch(emulated_device& device, const launch_config& config, const Kernel& kernel, const Arguments&... arguments)
{
    static_assert(detail::check_kernel<Kernel, Arguments...>());
    const auto call = [&] { kernel(arguments...); };
    return detail::launch_emulated(
        device, config, detail::needs_of<Kernel>(config),
        [](const void* object) { (*static_cast<const decltype(call)*>(object))(); }, &call);
}

/// The result of the last launch.
inline status wait_for(const emulated_device& device) { return device.result.status; }

/// Multiprocessors (AMD: compute units) of the GPU.
template <launchable Kernel>
status find_multiprocessors(const emulated_device& device, int& multiprocessors)
{
    multiprocessors =
        device.multiprocessors > 0 ? device.multiprocessors : chip::speed_of(Kernel::target::chip()).compute_units;
    return {};
}

/// Blocks of the kernel that the GPU runs at a time: one on each multiprocessor.
template <launchable Kernel>
status find_resident_blocks(const emulated_device& device, int& blocks)
{
    return find_multiprocessors<Kernel>(device, blocks);
}

inline status make_tensor_map(const emulated_device&, tensor_map& map, const tensor_map_parameters& parameters)
{
    return make_emulated_tensor_map(map, parameters);
}

/// launch() on a new emulated_device; returns its status, counters and report. `config` sets what the kernel does not:
/// checks, CPU threads, further memory. `multiprocessors`: how many the GPU has; 0: as many as the chip.
template <class Kernel>
emulator::launch_result emulate(const Kernel& kernel, const typename internal::arguments_of<Kernel>::type& arguments,
                                emulator::run_config config = {}, int multiprocessors = 0)
{
    emulated_device device{std::move(config), {}, multiprocessors};
    static_cast<void>(launch(device, kernel, arguments));
    return device.result;
}

/// emulate() of a family for arguments of several types.
template <class Family, class Arguments>
    requires internal::takes_any_arguments<Family, Arguments>
emulator::launch_result emulate(const Family&, const Arguments& arguments, emulator::run_config config = {},
                                int multiprocessors = 0)
{
    return emulate(typename Family::template with_arguments<Arguments>{}, arguments, std::move(config),
                   multiprocessors);
}

} // namespace tegula
