#include "choose_gpu.hpp"

#include "bad_input.hpp"
#include "lists.hpp"

namespace examples {

std::optional<gpu> choose_gpu(const gpu_wish& wish, const std::function<bool(const gpu&)>& built)
{
    if (wish.device == "emulator" || wish.device == "cpu")
        return {};
    std::string why_none, found;
    for (const gpu& g : all_gpus(why_none)) {
        if ((wish.arch.empty() || wish.arch == g.arch) && built(g))
            return g;
        append_item(found, g.name + " (" + g.arch + ")");
    }
    if (wish.device == "auto")
        return {};
    if (found.empty())
        throw bad_input("there is no GPU (" + why_none + "); take --device emulator");
    throw bad_input("no GPU here runs " + wish.type + (wish.arch.empty() ? "" : " for " + wish.arch) + "; there is " +
                    found + "; --list-tiles lists what is built, --device emulator runs everything");
}

} // namespace examples
