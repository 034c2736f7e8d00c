#include "kernels.hpp"

#include <tegula/host/registry.hpp>

#include <algorithm>
#include <tuple>

namespace attention_example {

using tegula::registered;

std::string kernel_entry::tile() const
{
    return std::to_string(queries) + "x" + std::to_string(keys) + "x" + std::to_string(columns) +
           (form == tegula::attention_form::few_queries        ? "-decoding"
            : form == tegula::attention_form::warp_specialized ? "-warp-specialized"
                                                               : "");
}

bool add_kernels(std::vector<kernel_entry> entries)
{
    auto& all = registered<kernel_entry>();
    all.insert(all.end(), entries.begin(), entries.end());
    return true;
}

bool add_backward_kernels(backward_entry entry)
{
    registered<backward_entry>().push_back(std::move(entry));
    return true;
}

const backward_entry* find_backward(const kernel_entry& forward, index_t columns)
{
    const backward_entry* found = nullptr;
    for (const backward_entry& e : registered<backward_entry>()) {
        if (e.arch != forward.arch || e.type != forward.type || e.device != forward.device)
            continue;
        const bool has_room = e.columns >= columns;
        if (found == nullptr ||
            (found->columns < columns ? e.columns > found->columns : has_room && e.columns < found->columns))
            found = &e;
    }
    return found;
}

std::vector<kernel_entry> all_kernels()
{
    std::vector<kernel_entry> all = registered<kernel_entry>();
    const auto key = [](const kernel_entry& e) {
        return std::make_tuple(e.arch, e.type, e.device, e.columns, e.takes == nullptr, e.form);
    };
    std::sort(all.begin(), all.end(), [&](const kernel_entry& x, const kernel_entry& y) { return key(x) < key(y); });
    return all;
}

} // namespace attention_example
