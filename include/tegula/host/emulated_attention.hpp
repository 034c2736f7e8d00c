#pragma once

#include <tegula/host/emulated_device.hpp>
#include <tegula/host/launch_attention.hpp>
#include <tegula/kernel/attention/attention_kernel.hpp>

namespace tegula {

/// Runs an attention kernel on the emulator: launch_attention on an emulated_device with this configuration. The kernel
/// may read and write what its arguments name; everything else is out of bounds. `config` gives what the kernel does
/// not say itself: checks, CPU threads, further memory.
///
/// Errors: those of launch_attention; nothing ran, or the output is as it was at the misuse.
template <class Kernel>
emulator::launch_result emulate_attention(Kernel kernel, const typename Kernel::arguments& args,
                                          emulator::run_config config = {})
{
    emulated_device device{std::move(config)};
    static_cast<void>(launch_attention(device, kernel, args));
    return device.result;
}

} // namespace tegula
