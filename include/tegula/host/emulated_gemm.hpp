#pragma once

#include <tegula/host/emulated_device.hpp>
#include <tegula/host/launch_gemm.hpp>

namespace tegula {

/// Runs a GEMM kernel on the emulator: launch_gemm on an emulated_device with this configuration. The kernel may read
/// A, B and what the epilogue reads, and write C and what the epilogue writes; everything else is out of bounds.
/// `config` gives what the kernel does not say itself: checks, CPU threads, further memory.
///
/// Errors: those of launch_gemm; nothing ran, or C is as it was at the misuse.
template <class Kernel>
emulator::launch_result emulate_gemm(Kernel kernel, const typename Kernel::arguments& args,
                                     emulator::run_config config = {})
{
    emulated_device device{std::move(config)};
    static_cast<void>(launch_gemm(device, kernel, args));
    return device.result;
}

} // namespace tegula
