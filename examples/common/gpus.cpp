#include "gpus.hpp"

#include "lists.hpp"

#include <tegula/reference/registry.hpp>

#include <utility>

namespace examples {

using tegula::registered;

const char* name_of(device d) { return d == device::gpu ? "gpu" : d == device::cpu ? "cpu" : "emulator"; }

bool add_runtime(gpu_runtime runtime)
{
    registered<gpu_runtime>().push_back(std::move(runtime));
    return true;
}

std::vector<gpu> all_gpus(std::string& why_none)
{
    std::vector<gpu> all;
    why_none = registered<gpu_runtime>().empty() ? "the program was built without CUDA and without HIP" : "";
    for (const gpu_runtime& runtime : registered<gpu_runtime>()) {
        std::string why;
        const std::vector<gpu> found = runtime.gpus(why);
        all.insert(all.end(), found.begin(), found.end());
        if (found.empty())
            append_item(why_none, runtime.name + ": " + why, "; ");
    }
    return all;
}

} // namespace examples
