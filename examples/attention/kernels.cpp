#include "kernels.hpp"

#include <tegula/reference/registry.hpp>

#include <algorithm>
#include <tuple>

namespace attention_example {

using tegula::registered;

namespace {

std::string sizes_text(index_t a, index_t b, index_t c)
{
    return std::to_string(a) + "x" + std::to_string(b) + "x" + std::to_string(c);
}

} // namespace

std::string kernel_entry::tile_for(const problem& p) const
{
    return p.changes_scores() && changing_queries != 0 ? sizes_text(changing_queries, changing_keys, columns) : tile();
}

std::string kernel_entry::tile() const
{
    const char* const kind = form == tegula::attention_form::few_queries        ? "-decoding"
                             : form == tegula::attention_form::warp_specialized ? "-warp-specialized"
                                                                                : "";
    const char* const of = feature == feature::dropout ? "-dropout" : feature == feature::pages ? "-pages" : "";
    return sizes_text(queries, keys, columns) + kind + of;
}

std::string backward_entry::tile() const
{
    return sizes_text(kept, passing, columns) + (drops ? "-dropout" : changes_scores ? "-changed-scores" : "");
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

const backward_entry* find_backward(const kernel_entry& forward, const problem& p)
{
    const index_t columns = std::max(p.plain.head_dim, p.plain.value_dim);
    const auto rank = [&](const backward_entry& e) {
        const bool has_room = e.columns >= columns;
        return std::make_tuple(!has_room, has_room ? e.columns : -e.columns, e.changes_scores);
    };
    const backward_entry* found = nullptr;
    for (const backward_entry& e : registered<backward_entry>()) {
        const bool fits = e.arch == forward.arch && e.type == forward.type && e.device == forward.device &&
                          (e.changes_scores || !p.changes_scores()) && e.drops == (p.needed() == feature::dropout);
        if (fits && (found == nullptr || rank(e) < rank(*found)))
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
