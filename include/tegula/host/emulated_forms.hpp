#pragma once

#include <tegula/host/emulated_gemm.hpp>
#include <tegula/host/launch_forms.hpp>

/// The forms of GEMM besides the plain one on the emulator. Block-scaled products and those with quantised weights run by emulate_gemm().
namespace tegula {

/// Runs split_k_gemm or stream_k_gemm, both kernels; launch_split_k with an emulated_device. Counters are those of
/// both.
template <class Shared>
emulator::launch_result emulate_split_k(Shared shared, const typename Shared::arguments& args,
                                        emulator::run_config config = {})
{
    emulated_device device{std::move(config)};
    static_cast<void>(launch_split_k(device, shared, args));
    return device.result;
}

/// Runs grouped_gemm; launch_grouped with an emulated_device.
template <class Grouped>
emulator::launch_result emulate_grouped(Grouped grouped, const typename Grouped::arguments& args,
                                        emulator::run_config config = {})
{
    emulated_device device{std::move(config)};
    static_cast<void>(launch_grouped(device, grouped, args));
    return device.result;
}

} // namespace tegula
