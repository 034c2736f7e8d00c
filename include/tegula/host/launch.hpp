#pragma once

#include <tegula/arch/target.hpp>
#include <tegula/core/status.hpp>
#include <tegula/kernel/protocol.hpp>

#include <vector>

/// The two launches, on every device:
///
///   launch(device, kernel, arguments)             a kernel of the library, or your own that follows kernel/protocol.hpp
///   launch(device, config, kernel, arguments...)  any function object with operator(); `config` has the grid
///
///   emulated_device.hpp  the emulator as a device
///   gpu_launch.hpp       the current GPU, by CUDA or HIP
///   cpu_device.hpp       this machine's CPU

namespace tegula {

/// A kernel that can be launched: a function object that names its target and the number of threads of its blocks.
///
///     struct my_kernel
///     {
///         using target = arch::gfx942;
///         static constexpr int block_threads = 256;
///         static constexpr index_t shared_bytes = 4096; // if it needs shared memory; or launch_config::shared_bytes
///         static constexpr int cluster_blocks = 2;      // along x, if it runs in clusters; or launch_config::cluster
///         static constexpr bool waits_for_previous = true; // if each block calls wait_for_previous_grid()
///         static constexpr bool takes_over_launches = true; // if running clusters take over others of the grid
///         static constexpr bool compiled_whole = true;  // for a CPU: its loops become vectors, see cpu_device.hpp
///         float factor;                                 // members are copied to the device
///         TEGULA_HOST_DEVICE void operator()(const my_arguments& arguments) const;
///     };
///
/// nvcc requires that the kernel's type and the types of its arguments are declared at namespace scope.
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
            "tegula: the kernel's operator() does not take the arguments of this launch; declare it const, with "
            "parameters of their types");
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

/// The needs of a launch, as a value. Checks and launches take it instead of the kernel's type, so that they are
/// compiled once for all kernels.
struct launch_needs
{
    const chip_info* chip;
    int block_threads;
    launch_config::extent cluster;
    long shared_bytes;
    long own_shared_bytes;    ///< the kernel's own constant
    bool waits_for_previous;  ///< it may start before the previous launch has ended, and waits for that end itself
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

/// Whether every device of the kernel's target can start it with this configuration. A grid of 0 blocks is allowed and
/// does nothing.
///
/// Errors: unsupported past the limits of the hardware; invalid_argument for a grid that is not whole clusters, and for
/// less shared memory than the kernel says.
template <launchable Kernel>
status check_launch(const launch_config& config)
{
    return detail::check_launch(detail::needs_of<Kernel>(config), config);
}

namespace detail {

/// A name of an NVIDIA architecture in parts: "sm_90a" is 90 and 'a'. Number 0: some other name.
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
/// A kernel for sm_80 runs on sm_80 and on every later GPU that the program was compiled for. One for sm_90a runs on
/// compute capability 9.0 alone ("Compute capabilities" of the CUDA programming guide: architecture-specific features).
/// An AMD kernel runs on its own architecture.
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

/// The device as a kernel's prepare() and launches() see it.
template <class Device>
class launcher
{
public:
    explicit launcher(Device& device) : device_(device) {}

    /// Starts a function object. Errors: those of the device's launch.
    template <class Kernel, class... Arguments>
    status operator()(const launch_config& config, const Kernel& kernel, const Arguments&... arguments)
    {
        return launch(device_, config, kernel, arguments...);
    }
    /// Starts what a kernel consists of. The arguments are checked, normalised and prepared.
    template <class Kernel>
    status run(const Kernel& kernel, const typename Kernel::arguments& arguments)
    {
        if constexpr (internal::has_launches<Kernel, launcher>) {
            return kernel.launches(arguments, *this);
        } else {
            launch_config config;
            config.grid.x = Kernel::blocks(arguments);
            config.name = Kernel::name;
            return (*this)(config, kernel, arguments);
        }
    }

    /// The kernel's prepare(), then run(): for a kernel that another one picks. Errors: those of both.
    template <class Kernel>
    status start(const Kernel& kernel, const typename Kernel::arguments& given)
    {
        auto arguments = given;
        const status s = prepare<Kernel>(arguments);
        return s ? run(kernel, arguments) : s;
    }
    /// The kernel's prepare(), if it has one.
    template <class Kernel>
    status prepare(typename Kernel::arguments& arguments)
    {
        if constexpr (requires { Kernel::prepare(arguments, *this); })
            return Kernel::prepare(arguments, *this);
        else
            return {};
    }

    /// Encodes a tensor map. Errors: unsupported if tensor copies cannot address the memory.
    template <class Map, class Parameters>
    status encode(Map& map, const Parameters& parameters) const
    {
        static_assert(
            requires { make_tensor_map(device_, map, parameters); },
            "tegula: the kernel copies by tensor maps, which the device makes by <tegula/host/tensor_map.hpp>; "
            "include it");
        return make_tensor_map(device_, map, parameters);
    }
    /// Multiprocessors (AMD: compute units) of the GPU. For a kernel in clusters, those that resident clusters fill.
    template <class Kernel>
    status count_multiprocessors(int& count) const
    {
        return find_multiprocessors<Kernel>(device_, count);
    }

    Device& device() const { return device_; }

private:
    Device& device_;
};

namespace detail {

/// Whether kernels of the device read the host's memory.
template <class Device>
inline constexpr bool has_host_memory = requires { requires Device::has_host_memory; };

/// Calls the kernel's check_indices, if it has one. A device with memory of its own copies the index arrays to the host
/// first if it `checks_arrays`, else nothing is checked.
///
/// Errors: those of the check and of copying.
template <class Kernel, class Device, class Arguments>
status check_indices_on(const Device& device, const Arguments& args)
{
    if constexpr (!requires { Kernel::check_indices(args); }) {
        return {};
    } else if constexpr (has_host_memory<Device>) {
        return Kernel::check_indices(args);
    } else {
        if (!device.checks_arrays)
            return {};
        Arguments readable = args;
        std::vector<std::vector<index_t>> copies;
        status s;
        Kernel::index_arrays(readable, [&](const index_t*& array, long_index_t first, long_index_t count) {
            if (!s || array == nullptr || count == 0)
                return;
            copies.emplace_back(static_cast<std::size_t>(count));
            s = device.copy_to_host(copies.back().data(), array + first, copies.back().size() * sizeof(index_t));
            array = copies.back().data() - first;
        });
        return s ? Kernel::check_indices(readable) : s;
    }
}

/// Runs the kernel's launches with the memory that they may touch.
template <class Device, class Kernel, class Arguments>
status run_launches(Device& device, const Kernel& kernel, const Arguments& args)
{
    const status s = device.with_memory([&](auto& memory) { Kernel::memory(args, memory); },
                                        [&] { return launcher<Device>(device).run(kernel, args); });
    return s ? s : device.refuse(s);
}

} // namespace detail

/// Makes arguments ready for launch_prepared: checks and normalises them and fills in what depends on the device. For a
/// kernel that is started again and again with the same arguments.
///
/// Errors: those of launch that are found before anything runs.
template <class Kernel, class Device>
status prepare(Device&& device, typename Kernel::arguments& args)
{
    using device_type = std::remove_reference_t<Device>;
    status s = Kernel::check(args);
    if (s)
        s = detail::check_indices_on<Kernel>(device, args);
    if (!s)
        return device.refuse(s);
    args = Kernel::normalize(args);
    s = launcher<device_type>(device).template prepare<Kernel>(args);
    return s ? s : device.refuse(s);
}

/// Starts a kernel with arguments as prepare() leaves them. Errors: those of the device's launch.
template <class Device, class Kernel>
status launch_prepared(Device&& device, const Kernel& kernel, const typename Kernel::arguments& args)
{
    return detail::run_launches(device, kernel, args);
}

/// Starts a kernel that follows kernel/protocol.hpp. On a gpu_device this returns before the kernel ends, on an
/// emulated_device or a cpu_device after it. All addresses in the arguments are the device's.
///
/// Errors before anything runs: those of the kernel's check and prepare, and those of its check_indices if the device
/// uses host memory or `checks_arrays`. Then those of the device's launch.
template <class Device, class Kernel>
    requires(!std::is_same_v<Kernel, launch_config>)
status launch(Device&& device, const Kernel& kernel, const typename internal::arguments_of<Kernel>::type& arguments)
{
    using device_type = std::remove_reference_t<Device>;
    static_assert(internal::check_protocol<Kernel, launcher<device_type>>());
    auto args = arguments;
    const status s = prepare<Kernel>(device, args);
    return s ? detail::run_launches<device_type>(device, kernel, args) : s;
}

/// Starts a kernel of a family for arguments of several types.
template <class Device, class Family, class Arguments>
    requires internal::takes_any_arguments<Family, Arguments>
status launch(Device&& device, const Family&, const Arguments& arguments)
{
    return launch(device, typename Family::template with_arguments<Arguments>{}, arguments);
}

} // namespace tegula
