#include "selection.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>

namespace gemm_example {

namespace {

const char* name_of(device d) { return d == device::gpu ? "gpu" : "emulator"; }

template <class Condition>
std::vector<kernel_entry> kernels_where(const Condition& condition)
{
    std::vector<kernel_entry> all = all_kernels();
    std::erase_if(all, [&](const kernel_entry& e) { return !condition(e); });
    return all;
}

/// Each value once, in the order it appears.
template <class Value>
std::string list(const std::vector<kernel_entry>& entries, const Value& value)
{
    std::vector<std::string> seen;
    std::string text;
    for (const kernel_entry& e : entries)
        if (std::find(seen.begin(), seen.end(), value(e)) == seen.end()) {
            seen.push_back(value(e));
            text += (text.empty() ? "" : ", ") + seen.back();
        }
    return text;
}

/// The GPU to use, or nothing for the emulator.
std::optional<gpu> choose_gpu(const options& o)
{
    // Only the emulator counts; its kernels are all that are shipped, a GPU's in this program fewer.
    if (o.device == "emulator" || !o.counters.empty() || o.launch_plan)
        return {};
    std::string why_none;
    std::string found;
    for (const gpu& g : all_gpus(why_none)) {
        const bool built = !kernels_where([&](const kernel_entry& e) {
                                return e.device == device::gpu && e.arch == g.arch && e.type == o.type;
                            }).empty();
        if ((o.arch.empty() || o.arch == g.arch) && built)
            return g;
        found += (found.empty() ? "" : ", ") + g.name + " (" + g.arch + ")";
    }
    if (o.device == "auto")
        return {};
    if (found.empty())
        throw bad_input("there is no GPU (" + why_none + "); take --device emulator");
    throw bad_input("no GPU here runs " + o.type + (o.arch.empty() ? "" : " for " + o.arch) + "; there is " + found +
                    "; --list-tiles lists what is built, --device emulator runs everything");
}

} // namespace

selection select_kernels(const options& o)
{
    const std::optional<gpu> g = choose_gpu(o);
    const device where = g ? device::gpu : device::emulator;
    const std::string arch = g ? g->arch : o.arch.empty() ? "gfx942" : o.arch;

    const auto of_type = kernels_where([&](const kernel_entry& e) { return e.device == where && e.type == o.type; });
    selection s;
    s.run = {o.checks, g ? g->number : 0};
    for (const kernel_entry& e : of_type)
        if (e.arch == arch)
            s.kernels.push_back(e);
    if (s.kernels.empty())
        throw bad_input(arch + " has no conversion to " + o.type + "; these have: " +
                        list(of_type, [](const kernel_entry& e) { return e.arch; }) + ", or take another --type");
    if (o.tile.empty())
        return s;

    const auto all = s.kernels;
    std::erase_if(s.kernels, [&](const kernel_entry& e) { return e.tile.name != o.tile && e.shape() != o.tile; });
    if (s.kernels.empty())
        throw bad_input("--tile is \"" + o.tile + "\"; for " + arch + " and " + o.type + " on the " + name_of(where) +
                        " there are " + list(all, [](const kernel_entry& e) {
                            return std::string(e.tile.name) + " (" + e.shape() + ")";
                        }));
    return s;
}

const kernel_entry& choose_kernel(const selection& s, const problem& p)
{
    std::vector<const kernel_entry*> specialised, others;
    tegula::status why;
    for (const kernel_entry& e : s.kernels) {
        const tegula::status takes = e.takes == nullptr ? tegula::status() : e.takes(p);
        if (takes)
            (e.takes == nullptr ? others : specialised).push_back(&e);
        else
            why = takes;
    }
    const auto& candidates = specialised.empty() ? others : specialised;
    if (candidates.empty())
        throw bad_input(std::string("--tile ") + s.kernels.front().tile.name + ": " + why.message());
    std::vector<tegula::tile_description> tiles;
    for (const kernel_entry* e : candidates)
        tiles.push_back(e->tile);
    const tegula::tile_choice best =
        tegula::choose_tile({p.m, p.n, p.k, p.batch}, *tegula::chip::find(s.kernels.front().arch.c_str()), tiles.data(),
                            static_cast<int>(tiles.size()));
    return *candidates[best ? static_cast<std::size_t>(best.index) : 0];
}

void list_kernels(const options& o)
{
    const auto entries = kernels_where([&](const kernel_entry& e) {
        return (o.arch.empty() || e.arch == o.arch) && (o.device == "auto" || o.device == name_of(e.device)) &&
               (o.type.empty() || e.type == o.type);
    });
    if (!o.json)
        std::printf("%-8s %-9s %-9s %-9s %s\n", "arch", "device", "type", "tile", "rows x columns x k of a block");
    auto records = nlohmann::ordered_json::array();
    for (const kernel_entry& e : entries)
        if (o.json)
            records.push_back({{"arch", e.arch},
                               {"device", name_of(e.device)},
                               {"type", e.type},
                               {"tile", e.shape()},
                               {"name", e.tile.name}});
        else
            std::printf("%-8s %-9s %-9s %-9s %s\n", e.arch.c_str(), name_of(e.device), e.type.c_str(), e.tile.name,
                        e.shape().c_str());
    if (o.json)
        std::cout << records.dump(1) << "\n";
}

} // namespace gemm_example
