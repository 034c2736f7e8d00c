#pragma once

/// Kernels as entries of the library, and a device that launches by the library's C interface.

#include <tegula/host/launch.hpp>

#include "library/members.hpp"
#include "library/on_stream.hpp"
#include "library/tegula_library.h"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <typeinfo>

namespace gpu_library {

/// The name of a type in C++.
template <class T>
std::string type_name()
{
    int failed = 0;
    const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(typeid(T).name(), nullptr, nullptr, &failed),
                                                      &std::free);
    return failed == 0 ? name.get() : typeid(T).name();
}

// A program may contain CUDA's and HIP's.
inline namespace TEGULA_RUNTIME_NAMESPACE {

/// The entry of a Kernel, which is there before main begins.
template <class Kernel>
struct entry_of
{
    using arguments = typename Kernel::arguments;

    static tegula::status prepare(const void* given, starter& start)
    {
        tegula::gpu_device device;
        device.checks_arrays = true;
        arguments args;
        std::memcpy(static_cast<void*>(&args), given, sizeof args); // of any alignment
        if (tegula::status s = tegula::prepare<Kernel>(device, args); !s)
            return s;
        start = on_stream([args](const tegula::gpu_device& on) { return tegula::launch_prepared(on, Kernel{}, args); });
        return {};
    }

    static kernel& get()
    {
        static kernel one{type_name<Kernel>(), type_name<Kernel>(),    type_name<arguments>(),
                          sizeof(arguments),   &members_of<arguments>, &prepare};
        static const bool added = (tegula::registered<kernel*>().push_back(&one), true);
        static_cast<void>(added);
        return one;
    }
    static inline const bool is_there = (get(), true);
};

/// Names a kernel, behind its target; a name that another one has gets a number. The result is there to initialise a
/// variable with.
template <class Target, class Kernel>
bool add_kernel(const std::string& name)
{
    const std::string plain = std::string(Target::chip().name) + " " + name;
    kernel& mine = entry_of<Kernel>::get();
    if (mine.name != mine.type)
        return false;
    std::string unique = plain;
    const auto is_taken = [&] {
        for (const kernel* k : tegula::registered<kernel*>())
            if (k->name == unique)
                return true;
        return false;
    };
    for (int i = 2; is_taken(); ++i)
        unique = plain + " (" + std::to_string(i) + ")";
    mine.name = unique;
    return true;
}

/// Names the kernels of a family for such arguments.
template <class Target, class Family, class Arguments>
bool add_kernels(const std::string& name)
{
    return add_kernel<Target, typename Family::template with_arguments<Arguments>>(name);
}

/// The current GPU. Kernels that follow kernel/protocol.hpp are started by the library's C interface; function objects
/// as on every gpu_device.
struct library_device : tegula::gpu_device
{
    /// Starts a kernel of the library by its name. Errors: those of tegula_prepare_kernel and tegula_start.
    tegula::status start(const std::string& name, const void* arguments, std::size_t bytes) const
    {
        void* handle = nullptr;
        int failed = tegula_prepare_kernel(name.c_str(), arguments, bytes, &handle);
        if (failed == 0) {
            failed = tegula_start(handle, stream);
            tegula_release(handle);
        }
        return failed == 0 ? tegula::status()
                           : tegula::status(static_cast<tegula::status_code>(failed), tegula_message());
    }
};

/// Starts a kernel, which the library has from now on.
template <class Kernel>
    requires(!std::is_same_v<Kernel, tegula::launch_config> && requires { typename Kernel::arguments; })
tegula::status launch(library_device& device, const Kernel&, const typename Kernel::arguments& args)
{
    static_cast<void>(&entry_of<Kernel>::is_there);
    return device.start(entry_of<Kernel>::get().name, &args, sizeof args);
}

/// Starts a kernel of a family for arguments of several types.
template <class Family, class Arguments>
    requires tegula::internal::takes_any_arguments<Family, Arguments>
tegula::status launch(library_device& device, const Family&, const Arguments& args)
{
    return launch(device, typename Family::template with_arguments<Arguments>{}, args);
}

} // namespace TEGULA_RUNTIME_NAMESPACE
} // namespace gpu_library
