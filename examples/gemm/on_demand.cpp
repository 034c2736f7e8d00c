#include "on_demand.hpp"

#include "examples/common/bad_input.hpp"

#include <tegula/chip/chip_info.hpp>

#include <algorithm>
#include <iterator>

namespace gemm_example {

namespace {

constexpr examples::recipe recipes[] = {
#include "recipes.inc"
};

constexpr examples::listed_kernel on_demand[] = {
#include "on_demand.inc"
    {}};

/// The tile of a table where none is named: small enough for small products, and large enough for the others. A CPU's
/// tiles are chosen by its instructions. Block-scaled operands have the first tile that is listed for them.
std::string default_tile(const options& o, const std::string& arch, device where)
{
    if (where == device::cpu)
        return {};
    if (o.microscaled()) {
        for (const examples::listed_kernel& k : kernels_on_demand())
            if (arch == k.arch && o.type == k.type && k.consumer == std::string(name_of(where)))
                return k.choice;
        return {};
    }
    const bool small = o.m.value_or(0) * o.n.value_or(0) <= 512 * 512;
    return where == device::gpu && !small ? "t128x128" : "t64x64";
}

std::string schedule_of(const std::string& tile, device where)
{
    return where == device::cpu     ? "blocked"
           : tile.starts_with("ws") ? "warp_specialized"
           : tile.starts_with("tc") ? "tcgen05"
                                    : "multistage";
}

bool wants_parts(const options& o) { return o.sharing && o.sharing->shares(); }

examples::wanted_kernel wanted(const options& o, const std::string& arch, device where)
{
    std::string tile = o.tile.empty() ? default_tile(o, arch, where) : o.tile;
    const std::string form = o.microscaled() ? "block_scaled" : wants_parts(o) ? "split_k" : "plain";
    if (where != device::cpu && !o.tile.empty() && tile.find_first_not_of("0123456789x") == std::string::npos)
        tile = "t" + tile.substr(0, tile.rfind('x')); // 128x128x32 is the shape of t128x128
    return {.family = "gemm",
            .arch = arch,
            .type = o.type,
            .schedule = schedule_of(tile, where),
            .form = form,
            .tile = tile,
            .columns = {},
            .where = where};
}

} // namespace

bool compiles_type(const options& o, const std::string& arch, device where)
{
    const tegula::chip_info* const chip = tegula::chip::find(arch.c_str());
    if (chip == nullptr)
        return false;
    if (where == device::cpu)
        return true;
    if (o.microscaled()) { // a format that some kernel of the architecture takes
        const std::vector<kernel_entry> built = all_kernels();
        return !default_tile(o, arch, where).empty() ||
               std::any_of(built.begin(), built.end(), [&](const kernel_entry& e) {
                   return e.device == where && e.arch == arch && e.type == o.type;
               });
    }
    return o.type == "fp8_e4m3" ? chip->has_fp8_products() : o.type != "f64";
}

bool compiles_for(const options& o, const std::string& arch, device where)
{
    const bool has_form = where != device::cpu || !o.sharing || !o.sharing->stream; // as the CPU's message says
    return o.compiles && has_form && compiles_type(o, arch, where) &&
           examples::can_compile(recipes, wanted(o, arch, where));
}

void provide_kernels(const options& o, const std::string& arch, device where)
{
    const auto has = [&](bool any_form) {
        const std::vector<kernel_entry> all = all_kernels();
        return std::any_of(all.begin(), all.end(), [&](const kernel_entry& e) {
            return e.device == where && e.arch == arch && e.type == o.type &&
                   (o.tile.empty() || e.tile.name == o.tile || e.shape() == o.tile) &&
                   (any_form || e.shares_k == wants_parts(o));
        });
    };
    // Without --splits the program may share k or not.
    if (has(!o.sharing) || !compiles_for(o, arch, where))
        return;
    const examples::wanted_kernel k = wanted(o, arch, where);
    examples::compile_kernel(recipes, k);
    // A plan is of the best kernel that is shipped. Kernels by tensor copies refuse columns of C that the ones that share k
    // take, so that a tile of theirs comes in both forms.
    const bool all_tiles = o.launch_plan && o.tile.empty(),
               both_forms = !o.sharing && where != device::cpu && k.schedule != "multistage";
    for (const examples::listed_kernel& other : kernels_on_demand())
        if (other.arch == arch && other.type == o.type && std::string(other.consumer) == name_of(where) &&
            (all_tiles ? other.choice != k.tile && other.form == k.form
                       : both_forms && other.choice == k.tile && other.form != k.form)) {
            examples::wanted_kernel further = k;
            further.tile = other.choice;
            further.form = other.form;
            examples::compile_kernel(recipes, further);
        }
}

std::span<const examples::listed_kernel> kernels_on_demand() { return {on_demand, std::size(on_demand) - 1}; }

std::string why_not_compiled(const options& o, const std::string& arch, examples::device where)
{
    return o.compiles ? examples::why_not_compiled(arch, where) : std::string();
}

} // namespace gemm_example
