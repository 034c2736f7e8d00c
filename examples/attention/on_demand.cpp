#include "on_demand.hpp"

#include "examples/common/on_demand.hpp"

#include <tegula/chip/chip_info.hpp>

#include <algorithm>

namespace attention_example {

namespace {

constexpr examples::recipe recipes[] = {
#include "recipes.inc"
};

index_t columns_of(const problem& p) { return std::max(p.plain.head_dim, p.plain.value_dim); }

examples::wanted_kernel wanted(const char* family, const std::string& arch, const std::string& type, device where,
                               const std::string& form)
{
    return {.family = family,
            .arch = arch,
            .type = type,
            .schedule = where == device::cpu ? "blocked" : "multistage",
            .form = form,
            .tile = {},
            .columns = {},
            .where = where};
}

/// Compiles it for the fewest columns that have room; not where none have.
void compile(examples::wanted_kernel k, index_t columns)
{
    k.columns = examples::find_columns(recipes, k, columns);
    if (!k.columns.empty() && examples::can_compile(recipes, k))
        examples::compile_kernel(recipes, k);
}

} // namespace

bool compiles_for(const options& o, const std::string& arch, device where)
{
    const bool has_type = where == device::cpu || o.type != "f32";
    return o.compiles && has_type && tegula::chip::find(arch.c_str()) != nullptr &&
           examples::can_compile(recipes, wanted("attention", arch, o.type, where, "plain"));
}

void provide_kernel(selection& s, const problem& p, bool few_queries)
{
    using tegula::attention_form;
    const auto takes = [&](const kernel_entry& e) {
        return e.columns >= columns_of(p) && e.feature == p.needed() && e.takes == nullptr &&
               (e.form == attention_form::few_queries) == few_queries;
    };
    if (!s.compiles || std::any_of(s.kernels.begin(), s.kernels.end(), takes))
        return;
    const std::string form = few_queries                      ? "few_queries"
                             : p.needed() == feature::dropout ? "dropout"
                             : p.needed() == feature::pages   ? "pages"
                                                              : "plain";
    compile(wanted("attention", s.arch, s.type, s.where, form), columns_of(p));
    s.kernels = kernels_of(s);
}

void provide_backward(const selection& s, const kernel_entry& forward, const problem& p)
{
    const backward_entry* const found = find_backward(forward, p);
    if (s.compiles && (found == nullptr || found->columns < columns_of(p)))
        compile(wanted("attention_backward", s.arch, s.type, s.where,
                       p.needed() == feature::dropout ? "dropout" : "scores"),
                columns_of(p));
}

std::string why_not_compiled(const options& o, const std::string& arch, examples::device where)
{
    return o.compiles ? examples::why_not_compiled(arch, where) : std::string();
}

} // namespace attention_example
