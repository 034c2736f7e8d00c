#pragma once

#include <tegula/core/config.hpp>
#include <tegula/core/status.hpp>

#include <cstddef>
#include <type_traits>

/// The members of a kernel that launch(device, kernel, arguments) of host/launch.hpp starts on every device.
///
///     struct my_kernel
///     {
///         struct arguments { ... };                                    // as the user fills them in
///         static status check(const arguments&);                       // before anything runs: one sentence, or ok
///         static arguments normalize(const arguments&);                // checked ones; equal problems become equal values
///         template <class Memory>
///         static void memory(const arguments&, Memory&);               // reads, writes and workspaces, for the emulator
///         ...
///     };
///
/// A kernel of one launch also has what every function object for a device has (launchable in host/launch.hpp) and
///
///         static constexpr const char* name = "my kernel";             // in messages and reports
///         static long_index_t blocks(const arguments&);
///         void operator()(const arguments&) const;                     // a block's work
///
/// A kernel of several launches, or one that picks its launch by the arguments, has in their place
///
///         template <class Launcher>
///         status launches(const arguments&, Launcher& launch) const;   // launch(config, kernel, values...) or
///                                                                      // launch.run(kernel, arguments), in order
///
/// Two members are for those that need them:
///
///         template <class Launcher>                                    // fills in what depends on the device: tensor maps,
///         static status prepare(arguments&, Launcher& device);         // shares of multiprocessors; of normalised arguments
///         static status check_indices(const arguments&);               // index arrays, read where the host can read them
///         template <class Visit>
///         static void index_arrays(arguments&, const Visit&);          // visit(array, first, count) of each: `count`
///                                                                      // elements from index `first` on

namespace tegula {

/// How a function object is started.
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
    long shared_bytes = 0;       ///< bytes of a block, not less than the kernel says; 0: what it says, else none
    const char* name = "kernel"; ///< in messages and reports
};

/// The Arguments of a family of kernels for arguments of several types, until a launch says which: family<...> has
/// `template <class Arguments> using with_arguments = family<..., Arguments>`.
struct any_arguments
{};

/// The base of family<First, any_arguments>.
template <template <class, class> class Family, class First>
struct deduces_arguments
{
    template <class Arguments>
    using with_arguments = Family<First, Arguments>;
};

namespace internal {

template <class Family, class Arguments>
concept takes_any_arguments = requires { typename Family::template with_arguments<Arguments>; };

/// Takes anything that memory() may call.
struct any_memory
{
    void read(const void*, std::size_t, const char*) {}
    void write(void*, std::size_t, const char*) {}
    void workspace(void*, std::size_t, const char*) {}
    void add(const void*, std::size_t, const char*, bool) {}
};

/// The arguments of a kernel that does not say what they are.
struct unknown_arguments
{
    template <class T>
    constexpr unknown_arguments(const T&)
    {}
};
template <class Kernel>
struct arguments_of
{
    using type = unknown_arguments;
};
template <class Kernel>
    requires requires { typename Kernel::arguments; }
struct arguments_of<Kernel>
{
    using type = typename Kernel::arguments;
};

template <class Kernel, class Launcher>
concept has_launches = requires(const Kernel& kernel, const typename Kernel::arguments& arguments, Launcher& launcher) {
    kernel.launches(arguments, launcher);
};

/// Fails with a sentence for the first member that the kernel lacks.
template <class Kernel, class Launcher>
consteval bool check_protocol()
{
    constexpr bool has_arguments = requires { typename Kernel::arguments; };
    static_assert(has_arguments,
                  "tegula: launch(device, kernel, arguments) takes a kernel that has a type 'arguments'; a "
                  "function object without it takes launch(device, config, kernel, arguments...) "
                  "(kernel/protocol.hpp)");
    if constexpr (has_arguments) {
        using arguments = typename Kernel::arguments;
        static_assert(
            requires(const arguments& a) { requires std::is_same_v<decltype(Kernel::check(a)), status>; },
            "tegula: the kernel needs 'static status check(const arguments&)', which says in a sentence what is wrong "
            "(kernel/protocol.hpp)");
        static_assert(
            requires(const arguments& a) { requires std::is_convertible_v<decltype(Kernel::normalize(a)), arguments>; },
            "tegula: the kernel needs 'static arguments normalize(const arguments&)'; return them as they are if they "
            "need no change (kernel/protocol.hpp)");
        static_assert(
            requires(const arguments& a, any_memory& m) { Kernel::memory(a, m); },
            "tegula: the kernel needs 'template <class Memory> static void memory(const arguments&, Memory&)', which "
            "says what it reads and writes (kernel/protocol.hpp)");
        static_assert(
            has_launches<Kernel, Launcher> ||
                requires(const arguments& a) {
                    { Kernel::blocks(a) + 0 };
                    static_cast<const char*>(Kernel::name);
                },
            "tegula: the kernel needs 'blocks(const arguments&)' and a 'name' if it is one launch, else "
            "'launches(const "
            "arguments&, Launcher&)' (kernel/protocol.hpp)");
    }
    return true;
}

} // namespace internal

} // namespace tegula
