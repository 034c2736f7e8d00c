#include "operations.hpp"

#include <algorithm>
#include <string_view>

namespace ops_example {

namespace {

std::vector<operation>& table()
{
    static std::vector<operation> all;
    return all;
}

} // namespace

bool add_operations(std::vector<operation> operations)
{
    for (operation& x : operations)
        table().push_back(std::move(x));
    std::sort(table().begin(), table().end(),
              [](const operation& x, const operation& y) { return std::string_view(x.name) < y.name; });
    return true;
}

const std::vector<operation>& all_operations() { return table(); }

} // namespace ops_example
