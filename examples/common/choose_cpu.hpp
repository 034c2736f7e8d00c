#pragma once

// Whether a program's kernels for the CPU itself run a problem, and which of them.

#include "choose_gpu.hpp"

#include <string>

namespace examples {

/// Whether --arch names the CPU: host, x86_avx2 ...
bool is_cpu(const std::string& arch);

/// Whether the CPU's own kernels run it: --device or --arch says so; or neither says anything, no GPU was found, `built` says
/// that the program has kernels for it, and nothing is asked for that the emulator alone has.
bool goes_to_cpu(const gpu_wish& wish, bool wants_emulator, bool built);

/// The architecture of the CPU's kernels for --arch. Throws bad_input where this machine does not run them.
///
///   has_tiles  the program has kernels for the tiles of AMX, which host then stands for where the machine has them
std::string cpu_arch(const std::string& arch, bool has_tiles = false);

} // namespace examples
