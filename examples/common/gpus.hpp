#pragma once

// The GPUs of this machine, and where a kernel runs.

#include <string>
#include <vector>

namespace examples {

enum class device { emulator, gpu, cpu };

/// "gpu", "cpu" or "emulator".
const char* name_of(device d);

struct gpu
{
    int number;       ///< the runtime's
    std::string arch; ///< of those the program is built for, else what the runtime calls it
    std::string name;
};

/// A runtime that was linked: its GPUs, or why there are none.
struct gpu_runtime
{
    std::string name; ///< "CUDA"
    std::vector<gpu> (*gpus)(std::string& why_none);
};

/// A runtime adds itself before main begins; the result is there to initialise a variable with.
bool add_runtime(gpu_runtime runtime);

/// All GPUs; where there are none, `why_none` says why.
std::vector<gpu> all_gpus(std::string& why_none);

} // namespace examples
