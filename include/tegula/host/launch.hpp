#pragma once

#include <tegula/arch/target.hpp>
#include <tegula/core/status.hpp>

/// The parts that every launch needs, on a GPU and on the emulator: launch(device, config, kernel, arguments...).
///
///   emulated_device.hpp  the emulator as a device
///   gpu_launch.hpp       the current GPU, by CUDA or HIP
///   launch_gemm.hpp      GEMM kernels on either, with checks of their arguments

namespace tegula {

/// How a kernel is started.
struct launch_config
{
    /// Numbers of blocks, x fastest.
    struct extent
    {
        long_index_t x = 1;
        long_index_t y = 1;
        long_index_t z = 1;
        constexpr long_index_t volume() const { return x * y * z; }
    };

    extent grid{};
    extent cluster{0, 0, 0};     ///< blocks of a cluster, which divide the grid; x = 0: what the kernel says, else none
    long shared_bytes = 0;       ///< of a block, not less than the kernel says; 0: what it says, else none
    const char* name = "kernel"; ///< by which messages and reports call it
};

/// A kernel that can be launched: a function object that says for which GPU it is and how many threads its blocks have.
///
///     struct my_kernel
///     {
///         using target = arch::gfx942;
///         static constexpr int block_threads = 256;
///         static constexpr index_t shared_bytes = 4096; // if it needs shared memory; or launch_config::shared_bytes
///         static constexpr int cluster_blocks = 2;      // along x, if it runs in clusters; or launch_config::cluster
///         static constexpr bool waits_for_previous = true; // if each block calls wait_for_previous_grid()
///         float factor;                                 // members are copied to the device
///         TEGULA_HOST_DEVICE void operator()(const my_arguments& arguments) const;
///     };
///
/// nvcc asks that the type, and those of the arguments, are named at namespace scope.
template <class Kernel>
concept launchable = requires {
    typename Kernel::target;
    { Kernel::block_threads + 0 };
} && gpu_target<typename Kernel::target>;

namespace detail {

/// Fails with the reason if kernel(arguments...) cannot be launched.
template <class Kernel, class... Arguments>
consteval bool check_kernel()
{
    static_assert(launchable<Kernel>,
                  "tegula: a kernel is a function object with a type 'target' (arch::...) and a constant int "
                  "'block_threads' (host/launch.hpp)");
    if constexpr (launchable<Kernel>)
        static_assert(
            std::is_invocable_v<const Kernel&, const Arguments&...>,
            "tegula: the kernel's operator() does not take the arguments of this launch; it is const, and its "
            "parameters are of their types");
    return true;
}

template <class Kernel>
constexpr long own_shared_bytes()
{
    if constexpr (requires { Kernel::shared_bytes; })
        return static_cast<long>(Kernel::shared_bytes);
    else
        return 0;
}

template <class Kernel>
constexpr long shared_bytes_of(const launch_config& config)
{
    return config.shared_bytes != 0 ? config.shared_bytes : own_shared_bytes<Kernel>();
}

template <class Kernel>
constexpr launch_config::extent cluster_of(const launch_config& config)
{
    if (config.cluster.x > 0)
        return config.cluster;
    if constexpr (requires { Kernel::cluster_blocks; })
        return {Kernel::cluster_blocks, 1, 1};
    else
        return {};
}

/// A launch's needs of the device. Checks and launches take it instead of the kernel's type, so that they are compiled
/// once for all kernels.
struct launch_needs
{
    const chip_info* chip;
    int block_threads;
    launch_config::extent cluster;
    long shared_bytes;
    long own_shared_bytes;    ///< what the kernel itself says
    bool waits_for_previous;  ///< it may start before the launch before it has ended, and waits for that end itself
    bool takes_over_launches; ///< running clusters take over others of the grid, by cluster launch control
};

template <class Kernel>
constexpr bool waits_for_previous()
{
    if constexpr (requires { Kernel::waits_for_previous; })
        return Kernel::waits_for_previous;
    else
        return false;
}

template <class Kernel>
constexpr bool takes_over_launches()
{
    if constexpr (requires { Kernel::takes_over_launches; })
        return Kernel::takes_over_launches;
    else
        return false;
}

template <class Kernel>
constexpr launch_needs needs_of(const launch_config& config)
{
    return {&chip_of<typename Kernel::target>, static_cast<int>(Kernel::block_threads),
            cluster_of<Kernel>(config),        shared_bytes_of<Kernel>(config),
            own_shared_bytes<Kernel>(),        waits_for_previous<Kernel>(),
            takes_over_launches<Kernel>()};
}

inline status check_grid(const launch_needs& needs, const launch_config& config)
{
    const bool amd = needs.chip->vendor == vendor::amd;
    const char* const names[] = {"x", "y", "z"};
    const long_index_t blocks[] = {config.grid.x, config.grid.y, config.grid.z};
    // CUDA counts blocks along y and z in 16 bits, HIP all threads along a dimension in 32.
    const long_index_t across = amd ? 0xffffffff / needs.block_threads : INT32_MAX;
    const long_index_t limits[] = {across < INT32_MAX ? across : INT32_MAX, 65535, 65535};
    for (int i = 0; i < 3; ++i) {
        if (blocks[i] < 0)
            return status(status_code::invalid_argument, config.name)
                   << ": a grid of " << blocks[i] << " blocks along " << names[i] << "; counts start at 0";
        if (blocks[i] > limits[i])
            return status(status_code::unsupported, config.name)
                   << ": " << blocks[i] << " blocks of " << needs.block_threads << " threads along " << names[i]
                   << "; the limit is " << limits[i] << " blocks, use a larger tile";
    }
    return {};
}

inline status check_cluster(const launch_needs& needs, const launch_config& config)
{
    const char* const names[] = {"x", "y", "z"};
    const long_index_t blocks[] = {config.grid.x, config.grid.y, config.grid.z};
    const long_index_t members[] = {needs.cluster.x, needs.cluster.y, needs.cluster.z};
    for (int i = 0; i < 3; ++i) {
        if (members[i] < 1)
            return status(status_code::invalid_argument, config.name)
                   << ": a cluster of " << members[i] << " blocks along " << names[i] << "; it has at least 1";
        if (blocks[i] % members[i] != 0)
            return status(status_code::invalid_argument, config.name)
                   << ": a grid of " << blocks[i] << " blocks along " << names[i]
                   << " is not a whole number of clusters of " << members[i] << "; round it up";
    }
    // 8 on every GPU that has clusters; more only if a kernel asks for it, which none here does.
    const long_index_t most = needs.chip->runs_clusters() ? 8 : 1;
    if (needs.cluster.volume() > most)
        return status(status_code::unsupported, config.name)
               << ": a cluster of " << needs.cluster.volume() << " blocks; " << needs.chip->name << " has at most "
               << most;
    return {};
}

/// Whether blocks can have so much shared memory on the device.
///
/// Errors: unsupported, with both numbers.
inline status check_shared_memory(const char* kernel, const char* device, long shared_bytes, long most)
{
    if (shared_bytes <= most)
        return {};
    return status(status_code::unsupported, kernel)
           << ": " << shared_bytes << " bytes of shared memory a block; " << device << " has " << most
           << ", use a smaller tile or fewer stages";
}

inline status check_launch(const launch_needs& needs, const launch_config& config)
{
    if (const status s = check_grid(needs, config); !s)
        return s;
    if (const status s = check_cluster(needs, config); !s)
        return s;
    if (needs.shared_bytes < needs.own_shared_bytes)
        return status(status_code::invalid_argument, config.name)
               << ": launch_config::shared_bytes is " << needs.shared_bytes << ", and the kernel uses "
               << needs.own_shared_bytes << "; give at least these, or 0 for the kernel's own";
    return check_shared_memory(config.name, needs.chip->name, needs.shared_bytes, needs.chip->shared_bytes);
}

} // namespace detail

/// Whether the kernel can be started so on any device of its target. A grid of 0 blocks can: nothing is done.
///
/// Errors: unsupported past the limits of the hardware; invalid_argument for a grid that is not whole clusters, and for
/// less shared memory than the kernel says.
template <launchable Kernel>
status check_launch(const launch_config& config)
{
    return detail::check_launch(detail::needs_of<Kernel>(config), config);
}

namespace detail {

/// A name of an NVIDIA architecture in parts: "sm_90a" is 90 and 'a'. Number 0: it is none.
struct nvidia_architecture
{
    int number = 0;
    char suffix = '\0'; ///< 'a': this version alone; 'f': its family, later versions of the same major number
};

constexpr nvidia_architecture read_nvidia_architecture(const char* name)
{
    nvidia_architecture a;
    if (name[0] != 's' || name[1] != 'm' || name[2] != '_')
        return a;
    for (name += 3; *name >= '0' && *name <= '9'; ++name)
        a.number = 10 * a.number + (*name - '0');
    a.suffix = *name;
    return a;
}

/// Whether the texts are the same up to a colon: "gfx942" and "gfx942:sramecc+:xnack-".
constexpr bool same_up_to_colon(const char* name, const char* with_features)
{
    while (*name != '\0' && *name == *with_features) {
        ++name;
        ++with_features;
    }
    return *name == '\0' && (*with_features == '\0' || *with_features == ':');
}

} // namespace detail

/// Whether a GPU runs kernels of a target.
///
/// kernel  the name of the kernel's target: "sm_80", "sm_90a", "gfx942"
/// device  what the runtime calls the GPU: "sm_86" for compute capability 8.6, or HIP's gcnArchName
///
/// A kernel for sm_80 runs on sm_80 and on every later GPU that the program was compiled for. One for sm_90a runs on compute
/// capability 9.0 alone ("Compute capabilities" of the CUDA programming guide: architecture-specific features). An AMD
/// kernel runs on its own architecture.
///
/// Errors: unsupported, which names both.
constexpr status check_architecture(const char* kernel, const char* device)
{
    const auto k = detail::read_nvidia_architecture(kernel);
    const auto d = detail::read_nvidia_architecture(device);
    bool runs = false;
    if (k.number == 0 || d.number == 0)
        runs = k.number == d.number && detail::same_up_to_colon(kernel, device);
    else if (k.suffix == 'a')
        runs = d.number == k.number;
    else if (k.suffix == 'f')
        runs = d.number / 10 == k.number / 10 && d.number >= k.number;
    else
        runs = d.number >= k.number;
    if (runs)
        return {};
    return status(status_code::unsupported, "the kernel is for ")
           << kernel << ", and this GPU is " << device << "; take a kernel whose target is the GPU's";
}

} // namespace tegula
