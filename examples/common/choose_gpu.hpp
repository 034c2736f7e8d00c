#pragma once

// Which GPU of this machine a program uses.

#include "gpus.hpp"

#include <functional>
#include <optional>
#include <string>

namespace examples {

/// The device and architecture that the user's options ask for.
struct gpu_wish
{
    std::string device; ///< "gpu", "emulator", "cpu" or "auto"
    std::string arch;   ///< empty: any
    std::string type;
};

/// The first GPU that is wished for and that `built` says the program has kernels for; nothing for the emulator or the CPU. Throws
/// bad_input where a GPU is asked for and none fits.
std::optional<gpu> choose_gpu(const gpu_wish& wish, const std::function<bool(const gpu&)>& built);

} // namespace examples
