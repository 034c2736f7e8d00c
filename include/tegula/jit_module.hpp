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

/// Runs a launch: start(device, config, arguments...) is the kernel's way to be launched.
template <class Kernel, class Start>
status run(const module_launch& given, const Start& start)
{
    static_assert(std::is_empty_v<Kernel>,
                  "tegula: a kernel that is compiled on demand has no members; give operator() "
                  "parameters instead");
    using arguments = typename signature<decltype(&Kernel::operator())>::arguments;
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
    const status s = [&]<std::size_t... i>(std::index_sequence<i...>) {
        return start(device, *given.config,
                     *static_cast<const std::tuple_element_t<i, arguments>*>(given.arguments[i])...);
    }(std::make_index_sequence<std::tuple_size_v<arguments>>{});
#if !defined(TEGULA_JIT_ON_GPU) && !defined(TEGULA_JIT_ON_CPU)
    if (given.report != nullptr)
        *given.report = device.result.report;
    if (given.counters != nullptr)
        *given.counters += device.result.counters;
#endif
    return s;
}

/// The module's description; `parameters` lives as long as the module.
template <class Kernel, class Start>
module_interface describe(const std::string& parameters)
{
    return {module_interface::version, Kernel::target::chip().name, parameters.c_str(),
            static_cast<int>(Kernel::block_threads),
            [](const module_launch& given) { return run<Kernel>(given, Start{}); }};
}

} // namespace tegula::jit::wrapped
