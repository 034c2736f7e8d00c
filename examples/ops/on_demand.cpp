#include "on_demand.hpp"

#include "examples/common/on_demand.hpp"

#include <tegula/chip/chip_info.hpp>

#include <algorithm>
#include <iterator>

namespace ops_example {

namespace {

constexpr examples::recipe recipes[] = {
#include "recipes.inc"
};

constexpr examples::listed_kernel on_demand[] = {
#include "on_demand.inc"
    {}};

examples::wanted_kernel wanted(const char* family, const options& o, const std::string& arch, examples::device where)
{
    return {family, arch, o.type, {}, {}, {}, {}, where};
}

} // namespace

bool compiles_for(const char* family, const options& o, const std::string& arch, examples::device where)
{
    return o.compiles && tegula::chip::find(arch.c_str()) != nullptr &&
           examples::can_compile(recipes, wanted(family, o, arch, where));
}

bool is_on_demand(const char* family, const options& o, const std::string& arch, examples::device where)
{
    const auto is_meant = [&](const examples::listed_kernel& k) {
        return k.family != nullptr && std::string(k.family) == family && k.arch == arch && k.type == o.type &&
               std::string(k.consumer) == name_of(where);
    };
    return std::any_of(std::begin(on_demand), std::end(on_demand), is_meant) && compiles_for(family, o, arch, where);
}

void compile_for(const char* family, const options& o, const std::string& arch, examples::device where)
{
    examples::compile_kernel(recipes, wanted(family, o, arch, where));
}

std::string why_not_compiled(const options& o, const std::string& arch, examples::device where)
{
    return o.compiles ? examples::why_not_compiled(arch, where) : std::string();
}

} // namespace ops_example
