#include "selection.hpp"

#include "examples/common/choose_cpu.hpp"
#include "examples/common/lists.hpp"
#include "on_demand.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>
#include <set>

namespace gemm_example {

using examples::is_cpu;
using examples::name_of;

namespace {

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
            examples::append_item(text, seen.back());
        }
    return text;
}

/// The GPU to use, or nothing for the emulator or the CPU.
std::optional<gpu> gpu_for(const options& o)
{
    // Only the emulator counts; its kernels are all that are shipped, a GPU's in this program fewer.
    if (!o.counters.empty() || o.launch_plan || is_cpu(o.arch))
        return {};
    return examples::choose_gpu({o.device, o.arch, o.type}, [&](const gpu& g) {
        return !kernels_where([&](const kernel_entry& e) {
                    return e.device == device::gpu && e.arch == g.arch && e.type == o.type;
                }).empty() ||
               compiles_for(o, g.arch, device::gpu);
    });
}

/// Whether the CPU's own kernels do what the options ask; where they name what only GPUs or the emulator have, they
/// are the emulator's.
bool goes_to_cpu(const options& o)
{
    const bool wants_emulator = !o.counters.empty() || o.launch_plan || !o.checks || (o.sharing && o.sharing->stream);
    const bool built = !kernels_where([&](const kernel_entry& e) {
                            return e.device == device::cpu && e.type == o.type &&
                                   (o.tile.empty() || e.tile.name == o.tile || e.shape() == o.tile);
                        }).empty();
    return examples::goes_to_cpu({o.device, o.arch, o.type}, wants_emulator,
                                 built || compiles_for(o, "x86_avx2", device::cpu));
}

/// Whether the program multiplies the type by the tiles of AMX.
bool has_kernels_of_tiles(const options& o)
{
    const std::span<const examples::listed_kernel> compiled = kernels_on_demand();
    return !kernels_where([&](const kernel_entry& e) {
                return e.device == device::cpu && e.arch == "x86_amx" && e.type == o.type;
            }).empty() ||
           (o.compiles && std::any_of(compiled.begin(), compiled.end(), [&](const examples::listed_kernel& k) {
                return std::string(k.arch) == "x86_amx" && k.type == o.type;
            }));
}

/// The kernels that take a product, of those that share k or of those that do not, and their tiles.
struct candidates
{
    std::vector<const kernel_entry*> entries;
    std::vector<tegula::tile_description> tiles;
    std::string why_none;

    int count() const { return static_cast<int>(tiles.size()); }
    const kernel_entry& operator[](int i) const { return *entries[static_cast<std::size_t>(i)]; }
    /// The one that is estimated to be fastest. Throws bad_input where there is none.
    const kernel_entry& best(const tegula::gemm_size& size, const tegula::chip_info& chip) const
    {
        if (entries.empty())
            throw bad_input(why_none);
        const tegula::tile_choice choice = tegula::choose_tile(size, chip, tiles.data(), count());
        return (*this)[choice ? choice.index : 0];
    }
};

/// The error where no kernel is built that shares k, or none that does not. It names those that the architecture has.
std::string no_kernel(const selection& s, bool sharing_k)
{
    const kernel_entry& first = s.kernels.front();
    const auto named = [](const kernel_entry& e) { return e.type + " with " + e.tile.name; };
    const std::string others =
        list(kernels_where([&](const kernel_entry& e) {
                 return e.device == first.device && e.arch == first.arch && e.shares_k == sharing_k;
             }),
             named);
    return "no kernel " + std::string(sharing_k ? "that shares k" : "for --splits 1") + " is built for " + first.arch +
           " on the " + name_of(first.device) + " of " + list(s.kernels, named) + "; " +
           (sharing_k ? "take --splits 1" : "leave out --splits") +
           (others.empty() ? ", or another --arch" : ", or one of those that are built: " + others);
}

candidates find_candidates(const selection& s, const problem& p, bool sharing_k)
{
    std::vector<const kernel_entry*> specialised, others;
    candidates found;
    found.why_none = no_kernel(s, sharing_k);
    for (const kernel_entry& e : s.kernels) {
        if (e.shares_k != sharing_k)
            continue;
        const tegula::status takes = e.takes == nullptr ? tegula::status() : e.takes(p);
        if (takes)
            (e.takes == nullptr ? others : specialised).push_back(&e);
        else
            found.why_none = std::string("--tile ") + e.tile.name + ": " + takes.message();
    }
    found.entries = specialised.empty() ? others : specialised;
    for (const kernel_entry* e : found.entries)
        found.tiles.push_back(e->tile);
    return found;
}

/// The kernel of a CPU that is estimated to be fastest. k is shared where that is asked for.
chosen_kernel choose_cpu_kernel(const selection& s, const problem& p, const std::optional<tegula::k_partition>& sharing)
{
    const bool shares_k = sharing && sharing->shares();
    if (shares_k && sharing->stream)
        throw bad_input("--splits stream is for GPUs and the emulator; a CPU's blocks share k by a number of --splits");
    const kernel_entry* best = nullptr;
    for (const kernel_entry& e : s.kernels)
        if (e.shares_k == shares_k && (best == nullptr || e.estimate(p) < best->estimate(p)))
            best = &e;
    if (best == nullptr)
        throw bad_input(no_kernel(s, shares_k));
    const long_index_t steps = std::max<long_index_t>(1, (p.k + best->tile.block_k - 1) / best->tile.block_k);
    return {best, {false, shares_k ? static_cast<int>(std::min<long_index_t>(sharing->splits, steps)) : 1}};
}

/// The error where the architecture has no kernel of the type; `of_type` are those of others that are built in.
std::string no_type(const options& o, const std::string& arch, device where, const std::vector<kernel_entry>& of_type)
{
    const auto has = [&](const auto& condition) {
        return !kernels_where([&](const kernel_entry& e) { return e.type == o.type && condition(e); }).empty();
    };
    const tegula::chip_info* const chip = tegula::chip::find(arch.c_str());
    const bool converts = o.type != "fp8_e4m3" || where == device::cpu || (chip != nullptr && chip->has_fp8_products());
    const std::string what = converts
                                 ? "no kernel is built for " + arch + " and " + o.type + " on the " + name_of(where)
                                 : arch + " has no conversion to " + o.type;
    const bool on_cpu = where != device::cpu && has([](const kernel_entry& e) { return e.device == device::cpu; });
    std::set<std::string> others;
    for (const kernel_entry& e : of_type)
        others.insert(e.arch);
    for (const examples::listed_kernel& k : kernels_on_demand())
        if (o.compiles && o.type == k.type && k.consumer == std::string(name_of(where)) && !others.contains(k.arch) &&
            (!converts || why_not_compiled(o, k.arch, where).empty()))
            others.insert(k.arch);
    std::string archs;
    for (const std::string& other : others)
        examples::append_item(archs, other);
    return what + "; " +
           (!archs.empty() ? "these have one: " + archs + ", or take another --type"
            : on_cpu       ? "take --device cpu, which has it, or another --type"
                           : "take another --type");
}

/// The kernels that are compiled on demand and that the options ask for, and whether they may share k, a line a tile.
std::vector<std::pair<examples::listed_kernel, bool>> listed_on_demand(const options& o)
{
    std::vector<std::pair<examples::listed_kernel, bool>> found;
    if (!o.compiles)
        return found;
    const auto same = [](const char* a, const char* b) { return std::string(a) == b; };
    for (const examples::listed_kernel& k : kernels_on_demand()) {
        if ((!o.arch.empty() && o.arch != k.arch) || (o.device != "auto" && o.device != k.consumer) ||
            (!o.type.empty() && o.type != k.type))
            continue;
        options of_type = o;
        of_type.type = k.type;
        if (!compiles_type(of_type, k.arch, same(k.consumer, name_of(device::cpu)) ? device::cpu : device::emulator))
            continue;
        const auto known = std::find_if(found.begin(), found.end(), [&](const auto& other) {
            const examples::listed_kernel& f = other.first;
            return same(f.arch, k.arch) && same(f.consumer, k.consumer) && same(f.type, k.type) &&
                   same(f.choice, k.choice);
        });
        const bool splits = same(k.form, "split_k");
        if (known == found.end())
            found.emplace_back(k, splits);
        else
            known->second = known->second || splits;
    }
    return found;
}

} // namespace

selection select_kernels(const options& o)
{
    const std::optional<gpu> g = gpu_for(o);
    const device where = g ? device::gpu : goes_to_cpu(o) ? device::cpu : device::emulator;
    const std::string arch = g                      ? g->arch
                             : where == device::cpu ? examples::cpu_arch(o.arch, has_kernels_of_tiles(o))
                             : !o.arch.empty()      ? o.arch
                             : o.type == "nvfp4"    ? "sm_100a"
                             : o.microscaled()      ? "gfx950"
                                                    : "gfx942";
    if (where == device::emulator && is_cpu(arch))
        throw bad_input("the kernels of " + arch +
                        " run on the CPU itself; take --device cpu, or for the emulator the "
                        "--arch of a GPU");

    provide_kernels(o, arch, where);
    const auto of_type = kernels_where([&](const kernel_entry& e) { return e.device == where && e.type == o.type; });
    selection s;
    s.run = {o.checks, g ? g->number : 0};
    for (const kernel_entry& e : of_type)
        if (e.arch == arch)
            s.kernels.push_back(e);
    if (s.kernels.empty())
        throw bad_input(no_type(o, arch, where, of_type) + why_not_compiled(o, arch, where));
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

chosen_kernel choose_kernel(const selection& s, const problem& p, const std::optional<tegula::k_partition>& sharing)
{
    const tegula::gemm_size size{p.m, p.n, p.k, p.batch};
    const tegula::chip_info& chip = *tegula::chip::find(s.kernels.front().arch.c_str());
    if (s.kernels.front().estimate != nullptr)
        return choose_cpu_kernel(s, p, sharing);
    const candidates whole = find_candidates(s, p, false), split = find_candidates(s, p, true);
    if (sharing && sharing->shares()) {
        const kernel_entry& entry = split.best(size, chip);
        const long_index_t steps = std::max<long_index_t>(1, tegula::ceil_div(p.k, entry.tile.block_k));
        return {&entry, {sharing->stream, static_cast<int>(std::min<long_index_t>(sharing->splits, steps))}};
    }
    if (sharing)
        return {&whole.best(size, chip), {}};
    const bool only_split = whole.entries.empty() && !split.entries.empty();
    const kernel_entry& unsplit = (only_split ? split : whole).best(size, chip);
    const tegula::split_choice best = tegula::choose_split_tile(size, chip, split.tiles.data(), split.count(),
                                                                tegula::estimate_tile(size, unsplit.tile, chip).cycles);
    return best ? chosen_kernel{&split[best.index], {false, best.splits}} : chosen_kernel{&unsplit, {}};
}

void list_kernels(const options& o)
{
    const auto listed = kernels_where([&](const kernel_entry& e) {
        return (o.arch.empty() || e.arch == o.arch) && (o.device == "auto" || o.device == name_of(e.device)) &&
               (o.type.empty() || e.type == o.type);
    });
    const auto has = [&](const kernel_entry& x, bool shares_k) {
        return std::any_of(listed.begin(), listed.end(), [&](const kernel_entry& e) {
            return e.shares_k == shares_k && e.arch == x.arch && e.type == x.type && e.device == x.device &&
                   std::string(e.tile.name) == x.tile.name;
        });
    };
    const char* const line = "%-10s %-9s %-9s %-25s %-11s %-10s %s\n";
    if (!o.json)
        std::printf(line, "arch", "device", "type", "tile", "m x n x k", "--splits", "built in");
    auto records = nlohmann::ordered_json::array();
    for (const kernel_entry& e : listed)
        if (e.shares_k && has(e, false))
            continue; // its tile is listed
        else if (o.json)
            records.push_back({{"arch", e.arch},
                               {"device", name_of(e.device)},
                               {"type", e.type},
                               {"tile", e.shape()},
                               {"name", e.tile.name},
                               {"splits", has(e, true)},
                               {"built_in", true}});
        else
            std::printf(line, e.arch.c_str(), name_of(e.device), e.type.c_str(), e.tile.name, e.shape().c_str(),
                        !has(e, true) ? "1"
                        : e.shares_k  ? "2 and more"
                                      : "any",
                        "yes");
    for (const auto& [k, splits] : listed_on_demand(o))
        if (o.json)
            records.push_back({{"arch", k.arch},
                               {"device", k.consumer},
                               {"type", k.type},
                               {"tile", nullptr},
                               {"name", k.choice},
                               {"splits", splits},
                               {"built_in", false}});
        else
            std::printf(line, k.arch, k.consumer, k.type, k.choice, "", splits ? "any" : "1", "on demand");
    if (o.json)
        std::cout << records.dump(1) << "\n";
}

} // namespace gemm_example
