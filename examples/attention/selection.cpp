#include "selection.hpp"

#include "examples/common/bad_input.hpp"
#include "examples/common/choose_cpu.hpp"
#include "examples/common/lists.hpp"
#include "on_demand.hpp"

#include <tegula/kernel/attention/choose.hpp>
#include <tegula/mma/table/instruction_table.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <optional>
#include <utility>

namespace attention_example {

using namespace examples;

namespace {

template <class Condition>
std::vector<kernel_entry> kernels_where(const Condition& condition)
{
    std::vector<kernel_entry> all = all_kernels();
    std::erase_if(all, [&](const kernel_entry& e) { return !condition(e); });
    return all;
}

/// The GPU to use, or nothing for the emulator or the CPU.
std::optional<gpu> gpu_for(const options& o)
{
    // Only the emulator counts.
    if (!o.counters.empty() || is_cpu(o.arch))
        return {};
    // Where nothing names the GPU, it must have what is asked for.
    const bool needs_backward = o.device == "auto" && !o.d_o.empty();
    const bool needs_feature = o.device == "auto" && (o.dropout.value_or(0) != 0 || !o.page_table.empty());
    return examples::choose_gpu({o.device, o.arch, o.type}, [&](const gpu& g) {
        return !kernels_where([&](const kernel_entry& e) {
                    return e.device == device::gpu && e.arch == g.arch && e.type == o.type &&
                           (!needs_feature || e.feature != feature::none) &&
                           (!needs_backward || find_backward(e, {}) != nullptr);
                }).empty() ||
               compiles_for(o, g.arch, device::gpu);
    });
}

/// The kernel of that form with the fewest columns that have room for the problem; null if none takes it.
const kernel_entry* find_kernel(const selection& s, const problem& p, tegula::attention_form form)
{
    using tegula::attention_form;
    const index_t columns = std::max(p.plain.head_dim, p.plain.value_dim);
    const auto found = std::find_if(s.kernels.begin(), s.kernels.end(), [&](const kernel_entry& e) {
        return e.form == form && e.feature == p.needed() && e.columns >= columns &&
               (e.takes == nullptr || e.takes(p)) && (form != attention_form::few_queries || !p.changes_scores());
    });
    return found == s.kernels.end() ? nullptr : &*found;
}

/// Asks choose_attention which of the program's kernels for the problem to take.
tegula::attention_choice choose(const selection& s, const problem& p)
{
    using tegula::attention_form;
    const auto has = [&](attention_form form) { return find_kernel(s, p, form) != nullptr; };
    const tegula::attention_forms have{.multistage = has(attention_form::multistage),
                                       .warp_specialized = has(attention_form::warp_specialized),
                                       .few_queries = has(attention_form::few_queries) && p.splits == 0,
                                       .latent = has(attention_form::latent),
                                       .warp_specialized_latent = false}; // the program's values are apart
    for (const tegula::chip_info* chip : tegula::chip::all)
        if (s.arch == chip->name)
            return tegula::choose_attention(p.needed() == feature::pages
                                                ? tegula::problem_of<copied_pages_variant>(p.plain)
                                                : tegula::problem_of<plain_variant>(p.plain),
                                            *chip, have);
    return {};
}

/// The kernel for few queries where --splits names the shares; null where it is 1 and no heads share keys.
const kernel_entry* find_split_kernel(const selection& s, const problem& p)
{
    const kernel_entry* const found = find_kernel(s, p, tegula::attention_form::few_queries);
    if (found == nullptr && p.splits > 1)
        throw bad_input("--splits is " + std::to_string(p.splits) + "; the program splits keys for " + s.arch +
                        " and " + s.type +
                        (p.changes_scores() || p.needed() != feature::none
                             ? " without --bias, --softcap, --dropout and --page-table"
                             : " where kernels for few queries have room for the columns, see "
                               "--list-tiles") +
                        "; leave it out");
    return p.splits > 1 || p.plain.heads > p.plain.kv_heads ? found : nullptr;
}

/// Why there is no kernel for the feature that the problem needs; nothing where there is one but for the columns.
void require_feature(const selection& s, const problem& p)
{
    const feature needed = p.needed();
    const std::string option = needed == feature::dropout ? "--dropout" : "--page-table";
    const auto found =
        std::min_element(s.kernels.begin(), s.kernels.end(), [&](const kernel_entry& x, const kernel_entry& y) {
            return std::make_pair(x.feature != needed, x.page_multiple) <
                   std::make_pair(y.feature != needed, y.page_multiple);
        });
    if (found == s.kernels.end() || found->feature != needed) {
        std::string have;
        for (const device where : {device::emulator, device::cpu, device::gpu}) {
            std::string of_device;
            for (const kernel_entry& e :
                 kernels_where([&](const kernel_entry& k) { return k.feature == needed && k.device == where; }))
                append_item(of_device, e.arch + " " + e.type);
            if (!of_device.empty())
                append_item(have, std::string("on the ") + name_of(where) + " " + of_device, "; ");
        }
        throw bad_input("the program has no kernel for " + option + " on " + s.arch + " in " + s.type + " on the " +
                        name_of(s.where) +
                        (have.empty() ? ", nor on any other; leave it out" : "; take one of those it has, " + have));
    }
    if (needed == feature::pages && p.plain.pages.page_length % found->page_multiple != 0)
        throw bad_input("the cache has pages of " + std::to_string(p.plain.pages.page_length) + " keys; on the " +
                        name_of(s.where) + " they must be a multiple of " + std::to_string(found->page_multiple) +
                        ", --device emulator takes any");
}

/// Whether the matrix instructions of the architecture take the FNUZ flavour of 8-bit floats.
bool has_fnuz(const std::string& name)
{
    tegula::gpu_arch arch{};
    if (!tegula::find_arch(name.c_str(), arch))
        return false;
    const auto& all = tegula::instruction_table();
    return std::any_of(all.begin(), all.end(), [&](const tegula::instruction& i) {
        return i.a == element::f8e4m3fnuz && tegula::available_on(i, arch);
    });
}

/// Refuses 8 bits where attention has no kernels for them.
void require_fp8(const options& o, const std::string& arch)
{
    const auto has_fp8 = [](const tegula::chip_info* chip) { return chip != nullptr && chip->has_fp8_products(); };
    if (!o.has_8_bits() || has_fp8(tegula::chip::find(arch.c_str())))
        return;
    std::string others;
    for (const std::string& name : names_of_archs())
        if (has_fp8(tegula::chip::find(name.c_str())))
            append_item(others, name);
    throw bad_input("--type is " + o.type + ", and attention has no kernel of 8 bits for " + arch + "; take --arch " +
                    others + ", or another --type");
}

/// The number type that --type stands for on an architecture.
element element_of(const std::string& type, const std::string& arch)
{
    if (type == "f16")
        return element::f16;
    if (type == "bf16")
        return element::bf16;
    if (type == "f32")
        return element::f32;
    const bool fnuz = has_fnuz(arch);
    if (type == "fp8_e4m3")
        return fnuz ? element::f8e4m3fnuz : element::f8e4m3;
    return fnuz ? element::f8e5m2fnuz : element::f8e5m2;
}

} // namespace

selection select_kernels(const options& o)
{
    const std::optional<gpu> g = gpu_for(o);
    // The emulator alone counts, and splits keys where no GPU is.
    const bool wants_emulator = !o.counters.empty() || !o.checks || o.splits > 1;
    const bool built =
        !kernels_where([&](const kernel_entry& e) { return e.device == device::cpu && e.type == o.type; }).empty();
    const bool on_cpu = !g && goes_to_cpu({o.device, o.arch, o.type}, wants_emulator,
                                          built || compiles_for(o, "x86_avx2", device::cpu));
    const device where = g ? device::gpu : on_cpu ? device::cpu : device::emulator;
    const std::string arch = g ? g->arch : on_cpu ? cpu_arch(o.arch) : o.arch.empty() ? "gfx942" : o.arch;
    require_fp8(o, arch);
    selection s{
        arch, o.type, where, element_of(o.type, arch), {o.checks, g ? g->number : 0}, compiles_for(o, arch, where), {}};
    s.kernels = kernels_of(s);
    if (s.kernels.empty() && !s.compiles)
        throw bad_input("the program has no kernel for " + arch + " and " + o.type + " on the " + name_of(where) +
                        "; --list-tiles lists what is built" + why_not_compiled(o, arch, where));
    return s;
}

std::vector<kernel_entry> kernels_of(const selection& s)
{
    return kernels_where(
        [&](const kernel_entry& e) { return e.device == s.where && e.type == s.type && e.arch == s.arch; });
}

const kernel_entry& choose_kernel(selection& s, problem& p)
{
    provide_kernel(s, p, false);
    if (p.splits > 1 && !p.changes_scores() && p.needed() == feature::none)
        provide_kernel(s, p, true);
    if (p.needed() != feature::none)
        require_feature(s, p);
    if (p.splits > 0)
        if (const kernel_entry* split = find_split_kernel(s, p))
            return *split;
    // CPUs have one tile, which takes every problem.
    const tegula::attention_choice choice = s.where == device::cpu ? tegula::attention_choice{} : choose(s, p);
    const kernel_entry* const found = find_kernel(s, p, choice.form);
    p.splits = choice.splits;
    if (found != nullptr)
        return *found;
    throw bad_input("head_dim is " + std::to_string(p.plain.head_dim) + " and value_dim " +
                    std::to_string(p.plain.value_dim) + "; the kernels of this program" +
                    (p.needed() == feature::dropout ? " for --dropout"
                     : p.needed() == feature::pages ? " for --page-table"
                                                    : "") +
                    " are for up to " + std::to_string(most_columns(s, p)) + " on the " + name_of(s.where));
}

const backward_entry& choose_backward(const selection& s, const kernel_entry& forward, const problem& p)
{
    provide_backward(s, forward, p);
    const backward_entry* const found = find_backward(forward, p);
    if (found == nullptr)
        throw bad_input(std::string("--dout ") + (p.needed() == feature::dropout ? "with --dropout " : "") +
                        "needs kernels of the backward pass, which this program does not have for " + forward.arch +
                        " and " + forward.type + " on the " + name_of(forward.device) +
                        (forward.device == device::emulator ? "; leave it out" : "; take --device emulator"));
    if (std::max(p.plain.head_dim, p.plain.value_dim) > found->columns)
        throw bad_input("head_dim is " + std::to_string(p.plain.head_dim) + " and value_dim " +
                        std::to_string(p.plain.value_dim) + "; the backward pass of this program is for up to " +
                        std::to_string(found->columns));
    return *found;
}

void list_kernels(const options& o)
{
    const auto listed = kernels_where([&](const kernel_entry& e) {
        return (o.arch.empty() || e.arch == o.arch) && (o.device == "auto" || o.device == name_of(e.device));
    });
    auto records = nlohmann::ordered_json::array();
    const char* const line = "%-11s %-9s %-9s %-30s %s\n";
    if (!o.json)
        std::printf(line, "arch", "device", "type", "queries x keys x columns", "built in");
    const auto add = [&](const std::string& arch, const char* device, const std::string& type, const std::string& tile,
                         bool built_in) {
        if (o.json)
            records.push_back(
                {{"arch", arch}, {"device", device}, {"type", type}, {"tile", tile}, {"built_in", built_in}});
        else
            std::printf(line, arch.c_str(), device, type.c_str(), tile.c_str(), built_in ? "yes" : "on demand");
    };
    for (const kernel_entry& e : listed)
        add(e.arch, name_of(e.device), e.type, e.tile(), true);
    if (o.compiles)
        for (const listed_kernel& k : kernels_on_demand())
            if (k.family == std::string("attention") && (o.arch.empty() || o.arch == k.arch) &&
                (o.device == "auto" || o.device == k.consumer))
                add(k.arch, k.consumer, k.type,
                    std::string(k.choice) + " columns" +
                        (k.form == std::string("plain") ? "" : std::string("-") + k.form),
                    false);
    if (o.json)
        std::cout << records.dump(1) << "\n";
}

} // namespace attention_example
