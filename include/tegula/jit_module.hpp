#pragma once

/// For the source that jit::compile() writes around a kernel; programs do not include it. The source may define
/// TEGULA_JIT_ON_GPU or TEGULA_JIT_ON_CPU; without them the kernel runs on the emulator.

#include <tegula/jit/module.hpp>

#include <tuple>
#include <utility>

#if defined(TEGULA_JIT_ON_GPU)
#include <tegula/host/gpu_launch.hpp>
#elif defined(TEGULA_JIT_ON_CPU)
#include <tegula/host/cpu_device.hpp>
#else
#include <tegula/host/emulated_device.hpp>
#endif

namespace tegula::jit::wrapped {

template <class Kernel>
concept follows_protocol = requires(const typename Kernel::arguments& a) { Kernel::check(a); };

template <class Function>
struct signature
{
    static_assert(!sizeof(Function*), "tegula: a kernel that is compiled on demand has one operator(), which is const "
                                      "and no template");
};
template <class Kernel, class... P>
struct signature<void (Kernel::*)(P...) const>
{
    using arguments = std::tuple<std::remove_cvref_t<P>...>;
    static std::string codes() { return codes_of<std::remove_cvref_t<P>...>(); }
};
template <class Kernel, class... P>
struct signature<void (Kernel::*)(P...) const noexcept> : signature<void (Kernel::*)(P...) const>
{};

template <class Kernel>
struct parameters_of : signature<decltype(&Kernel::operator())>
{};
template <follows_protocol Kernel>
struct parameters_of<Kernel>
{
    using arguments = std::tuple<typename Kernel::arguments>;
    static std::string codes() { return codes_of<typename Kernel::arguments>(); }
};

/// Calls f with the values of a launch.
template <class Kernel, class F>
auto with_values(const module_launch& given, const F& f)
{
    using arguments = typename parameters_of<Kernel>::arguments;
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return f(*static_cast<const std::tuple_element_t<i, arguments>*>(given.arguments[i])...);
    }(std::make_index_sequence<std::tuple_size_v<arguments>>{});
}

template <class Kernel>
status run(const module_launch& given)
{
    static_assert(std::is_empty_v<Kernel>,
                  "tegula: a kernel that is compiled on demand has no members; give operator() "
                  "parameters instead");
#if defined(TEGULA_JIT_ON_GPU)
    gpu_device device;
    device.stream = static_cast<decltype(device.stream)>(given.stream);
#elif defined(TEGULA_JIT_ON_CPU)
    cpu_device device;
#else
    emulated_device device;
    device.config.checks = given.checks;
    device.config.order = given.order;
    for (int i = 0; i < given.memory_entries; ++i) {
        const memory_entry& e = given.memory[i];
        if (e.how == memory_entry::access::workspace)
            device.config.memory.workspace(const_cast<void*>(e.begin), e.bytes, e.name);
        else
            device.config.memory.add(e.begin, e.bytes, e.name, e.how == memory_entry::access::writes);
    }
#endif
    const status s = with_values<Kernel>(given, [&](const auto&... values) {
        if constexpr (follows_protocol<Kernel>)
            return tegula::launch(device, Kernel{}, values...);
        else
            return tegula::launch(device, *given.config, Kernel{}, values...);
    });
#if !defined(TEGULA_JIT_ON_GPU) && !defined(TEGULA_JIT_ON_CPU)
    if (given.report != nullptr)
        *given.report = device.result.report;
    if (given.counters != nullptr)
        *given.counters += device.result.counters;
#endif
    return s;
}

template <class Kernel>
status check(const module_launch& given)
{
    if constexpr (follows_protocol<Kernel>)
        return with_values<Kernel>(given, [](const auto& arguments) { return Kernel::check(arguments); });
    else
        return check_launch<Kernel>(*given.config);
}

template <class Kernel>
long_index_t blocks(const module_launch& given)
{
    if constexpr (!follows_protocol<Kernel>)
        return given.config->grid.volume();
    else
        return with_values<Kernel>(given, [](const auto& arguments) -> long_index_t {
            // prepare() may change the number, launches() may start several kernels.
            if constexpr (requires(launch_config& any) { Kernel{}.launches(arguments, any); })
                return -1;
            else
                return Kernel::check(arguments) ? Kernel::blocks(Kernel::normalize(arguments)) : 0;
        });
}

/// The module's description; `parameters` lives as long as the module.
template <class Kernel, class Target>
module_interface describe(const std::string& parameters)
{
    int threads = 0;
    if constexpr (requires { Kernel::block_threads; })
        threads = static_cast<int>(Kernel::block_threads);
    return {module_interface::version,
            Target::chip().name,
            parameters.c_str(),
            threads,
            &run<Kernel>,
            &check<Kernel>,
            &blocks<Kernel>};
}

/// Whether the kernel is for the target; a family of CPU kernels need not name one.
template <class Kernel, class Target>
consteval bool is_for()
{
    if constexpr (requires { typename Kernel::target; })
        return std::is_same_v<typename Kernel::target, Target>;
    else
        return true;
}

} // namespace tegula::jit::wrapped
