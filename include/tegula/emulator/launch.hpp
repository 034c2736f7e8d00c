#pragma once

#include <tegula/emulator/run_config.hpp>
#if !defined(TEGULA_EMULATOR_ELSEWHERE)
#include <tegula/emulator/launch_run.hpp>
#endif

namespace tegula::emulator {

/// Runs `kernel()` once in every thread of every block and waits for the end. The kernel finds out where it is by the
/// functions of emulator/interface.hpp. Results and counters are the same from run to run and for any number of CPU
/// threads; of several misuses, a conflict between blocks is reported first, then the one in the lowest block. After a
/// misuse the other blocks still run; what the kernel wrote to global memory stays.
///
/// Errors: invalid_argument for a configuration the chip cannot have; device_error for a misuse.
template <class Kernel>
launch_result launch(const run_config& config, const Kernel& kernel)
{
    return detail::run(config, [](const void* object) { (*static_cast<const Kernel*>(object))(); }, &kernel);
}

} // namespace tegula::emulator
