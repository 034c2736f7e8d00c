#include "on_demand.hpp"

#include <tegula/chip/chip_info.hpp>

#include <algorithm>
#include <iterator>

namespace attention_example {

namespace {

constexpr examples::recipe recipes[] = {
#include "recipes.inc"
};

constexpr examples::listed_kernel on_demand[] = {
#include "on_demand.inc"
    {}};

index_t columns_of(const problem& p) { return std::max(p.plain.head_dim, p.plain.value_dim); }

examples::wanted_kernel wanted(const char* family, const std::string& arch, const std::string& type, device where,
                               const std::string& form, const char* schedule = "multistage")
{
    return {.family = family,
            .arch = arch,
            .type = type,
            .schedule = where == device::cpu ? "blocked" : schedule,
            .form = form,
            .tile = {},
            .columns = {},
            .where = where};
}

/// The form of a kernel, as kernels.json names it.
std::string form_of(const problem& p, bool few_queries)
{
    return few_queries                      ? "few_queries"
           : p.needed() == feature::dropout ? "dropout"
           : p.needed() == feature::pages   ? "pages"
                                            : "plain";
}

/// Compiles it for the fewest columns that have room; false where none have.
bool compile(examples::wanted_kernel k, index_t columns)
{
    k.columns = examples::find_columns(recipes, k, columns);
    if (k.columns.empty() || !examples::can_compile(recipes, k))
        return false;
    examples::compile_kernel(recipes, k);
    return true;
}

/// The schedule of an architecture's kernels with tensor copies; null where it has none of the type.
const char* specialised_schedule(const std::string& arch, const std::string& type)
{
    const tegula::chip_info* const chip = tegula::chip::find(arch.c_str());
    const int bytes = type.starts_with("fp8_") ? 1 : 2;
    if (chip == nullptr || !chip->has_clusters ||
        tegula::find_attention_tile(*chip, tegula::attention_form::warp_specialized, bytes, 64, 64).queries == 0)
        return nullptr;
    return chip->family == tegula::chip_family::hopper ? "warp_specialized"
           : chip->tensor_columns > 0                  ? "tcgen05"
                                                       : nullptr;
}

/// Whether the program could compile a kernel of the latent form for the problem. Those change no scores.
bool compiles_latent(const selection& s, const problem& p)
{
    const tegula::chip_info* const chip = tegula::chip::find(s.arch.c_str());
    if (columns_of(p) <= 256 || s.where == device::cpu || s.type.starts_with("fp8_") || p.changes_scores() ||
        p.needed() != feature::none || chip == nullptr)
        return false;
    return tegula::find_attention_tile(*chip, tegula::attention_form::latent, 2, tegula::latent_head_dim,
                                       tegula::latent_value_dim)
                   .queries > 0 &&
           examples::can_compile(recipes, wanted("attention", s.arch, s.type, s.where, "latent"));
}

} // namespace

bool compiles_for(const options& o, const std::string& arch, device where)
{
    const tegula::chip_info* const chip = tegula::chip::find(arch.c_str());
    const bool has_type = o.has_8_bits() ? where != device::cpu && chip != nullptr && chip->has_fp8_products()
                                         : where == device::cpu || o.type != "f32";
    return o.compiles && has_type && chip != nullptr &&
           examples::can_compile(recipes, wanted("attention", arch, o.type, where, "plain"));
}

void provide_kernel(selection& s, const problem& p, bool few_queries)
{
    using tegula::attention_form;
    const auto has = [&](const auto& condition) {
        return std::any_of(s.kernels.begin(), s.kernels.end(), [&](const kernel_entry& e) {
            return e.columns >= columns_of(p) && e.feature == p.needed() && condition(e);
        });
    };
    if (!s.compiles)
        return;
    if (compiles_latent(s, p)) {
        if (!few_queries && !has([](const kernel_entry& e) { return e.form == attention_form::latent; }) &&
            compile(wanted("attention", s.arch, s.type, s.where, "latent"), columns_of(p)))
            s.kernels = kernels_of(s);
        return;
    }
    const char* const specialised = specialised_schedule(s.arch, s.type);
    const bool copies = p.needed() == feature::none || (p.needed() == feature::pages &&
                                                        p.plain.pages.page_length % tegula::tensor_copy_page_keys == 0);
    if (specialised != nullptr && !few_queries && copies && !p.changes_scores() && s.where != device::cpu &&
        !has([](const kernel_entry& e) { return e.takes != nullptr; }) &&
        compile(wanted("attention", s.arch, s.type, s.where, form_of(p, false), specialised), columns_of(p)))
        s.kernels = kernels_of(s);
    const auto takes = [&](const kernel_entry& e) {
        return (e.takes == nullptr || e.takes(p)) && (e.form == attention_form::few_queries) == few_queries &&
               e.form != attention_form::latent; // for more columns than the others, and scores as they are
    };
    if (has(takes))
        return;
    compile(wanted("attention", s.arch, s.type, s.where, form_of(p, few_queries)), columns_of(p));
    s.kernels = kernels_of(s);
}

index_t most_columns(const selection& s, const problem& p)
{
    index_t most = 0;
    for (const kernel_entry& e : s.kernels)
        if (e.feature == p.needed() && (e.form != tegula::attention_form::latent || !p.changes_scores()))
            most = std::max<index_t>(most, e.columns);
    if (!s.compiles)
        return most;
    const examples::wanted_kernel k =
        wanted("attention", s.arch, s.type, s.where, compiles_latent(s, p) ? "latent" : form_of(p, false));
    return std::max(most, static_cast<index_t>(examples::most_columns(recipes, k)));
}

void provide_backward(const selection& s, const kernel_entry& forward, const problem& p)
{
    const backward_entry* const found = find_backward(forward, p);
    if (!s.compiles || (found != nullptr && found->columns >= columns_of(p)))
        return;
    const char* const specialised = p.needed() == feature::dropout ? nullptr : specialised_schedule(s.arch, s.type);
    const char* const form = p.needed() == feature::dropout ? "dropout" : "scores";
    if (specialised == nullptr ||
        !compile(wanted("attention_backward", s.arch, s.type, s.where, form, specialised), columns_of(p)))
        compile(wanted("attention_backward", s.arch, s.type, s.where, form), columns_of(p));
}

std::span<const examples::listed_kernel> kernels_on_demand() { return {on_demand, std::size(on_demand) - 1}; }

std::string why_not_compiled(const options& o, const std::string& arch, examples::device where)
{
    return o.compiles ? examples::why_not_compiled(arch, where) : std::string();
}

} // namespace attention_example
