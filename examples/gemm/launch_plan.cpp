#include "launch_plan.hpp"

#include <tegula/reference/registry.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <iostream>

namespace gemm_example {

namespace {

using nlohmann::ordered_json;

std::string text(const short_text& t) { return {t.characters, static_cast<std::size_t>(t.length)}; }

const char* order_name(operand_order order)
{
    return order == operand_order::k_contiguous ? "k" : order == operand_order::row_contiguous ? "row" : "any";
}

/// The fields that name the kernel, equal in both records.
ordered_json name_record(const std::string& arch, const kernel_words& w)
{
    return {{"code_object", text(unit_of(arch.c_str(), w)) + ".co"},
            {"symbol", text(symbol_of(w))},
            {"arch", arch},
            {"type", w.type},
            {"tile", w.tile},
            {"form", w.form},
            {"order_a", order_name(w.order_a)},
            {"order_b", order_name(w.order_b)},
            {"aligned", !w.element_wise()}};
}

ordered_json field_records(const std::vector<argument_field>& fields)
{
    auto records = ordered_json::array();
    for (const argument_field& f : fields) {
        ordered_json record = {{"name", f.name}, {"offset", f.offset}, {"type", f.type}};
        if (!f.to.empty())
            record["to"] = f.to;
        records.push_back(record);
    }
    return records;
}

/// The number of blocks as a formula over members of the arguments.
std::string grid_formula(const shipped_row& r)
{
    const std::string form = r.words.form;
    const std::string block_k = std::to_string(r.block_k);
    const std::string tiles =
        "ceil(m/" + std::to_string(r.block_m) + ") * ceil(n/" + std::to_string(r.block_n) + ") * batch";
    const std::string steps = "max(1, ceil(k/" + block_k + "))";
    const std::string workers = "min(workers, " + tiles + " * " + steps + ")";
    const std::string passes = std::to_string(r.pass_rows > 0 ? r.block_m / r.pass_rows : 0);
    if (form == "split_k")
        return tiles + " * min(splits, " + steps + ")";
    if (form == "split_k_sum")
        return tiles + " * " + passes;
    if (form == "stream_k")
        return workers;
    if (form == "stream_k_sum")
        return "(" + workers + " - 1) * " + passes;
    if (form == "grouped")
        return "sum of " + tiles + " over the products";
    return tiles;
}

ordered_json shipped_record(const shipped_row& r)
{
    ordered_json record = name_record(r.arch, r.words);
    record["a_type"] = r.a_type;
    record["b_type"] = r.b_type;
    record["c_type"] = r.c_type;
    record["block_m"] = r.block_m;
    record["block_n"] = r.block_n;
    record["block_k"] = r.block_k;
    if (r.pass_rows > 0)
        record["pass_rows"] = r.pass_rows;
    record["grid"] = {grid_formula(r), 1, 1};
    record["block"] = {r.threads, 1, 1};
    record["dynamic_shared_bytes"] = r.shared_bytes;
    record["arguments"] = {{"bytes", r.argument_bytes}, {"fields", field_records(r.fields)}};
    if (r.product_bytes > 0)
        record["product"] = {{"bytes", r.product_bytes}, {"fields", field_records(r.product_fields)}};
    return record;
}

/// Bytes from the first to the last element of what a pointer of the plain product points to.
long_index_t buffer_bytes(const std::string& operand, int input_bytes, const problem& p)
{
    namespace checks = tegula::gemm_checks;
    if (operand == "a")
        return checks::range_of(p.a, p.m, p.k, p.batch).count * input_bytes;
    if (operand == "b")
        return checks::range_of(p.b, p.k, p.n, p.batch).count * input_bytes;
    if (operand == "c")
        return checks::range_of(p.c, p.m, p.n, p.batch).count * 4;
    if (operand == "source")
        return p.beta == 0 ? 0 : checks::range_of(p.source, p.m, p.n, p.batch).count * 4;
    return p.bias == nullptr ? 0 : p.n * 4;
}

std::string hexadecimal(const std::vector<std::byte>& bytes)
{
    std::string digits;
    for (const std::byte b : bytes)
        for (const int shift : {4, 0})
            digits += "0123456789abcdef"[std::to_integer<int>(b) >> shift & 15];
    return digits;
}

} // namespace

bool add_shipped(std::vector<shipped_row> rows)
{
    auto& all = tegula::registered<shipped_row>();
    all.insert(all.end(), rows.begin(), rows.end());
    return true;
}

void list_shipped(const std::string& arch)
{
    std::vector<shipped_row> rows = tegula::registered<shipped_row>();
    std::erase_if(rows, [&](const shipped_row& r) { return !arch.empty() && r.arch != arch; });
    std::stable_sort(rows.begin(), rows.end(),
                     [](const shipped_row& x, const shipped_row& y) { return x.arch < y.arch; });
    auto records = ordered_json::array();
    for (const shipped_row& r : rows)
        records.push_back(shipped_record(r));
    std::cout << records.dump(1) << "\n";
}

void print_plan(const kernel_entry& entry, const launch_plan& plan, const problem& p)
{
    ordered_json record = name_record(entry.arch, plan.words);
    record["grid"] = {plan.blocks, 1, 1};
    record["block"] = {plan.threads, 1, 1};
    record["dynamic_shared_bytes"] = plan.shared_bytes;
    record["arguments"] = {{"bytes", plan.arguments.size()}, {"hex", hexadecimal(plan.arguments)}};
    auto pointers = ordered_json::array();
    for (const argument_field& f : plan.fields) {
        const std::string operand = f.name.substr(0, f.name.find('.'));
        if (f.type == "pointer")
            pointers.push_back({{"operand", operand},
                                {"offset", f.offset},
                                {"bytes", buffer_bytes(operand, entry.tile.input_bytes, p)},
                                {"to", f.to}});
    }
    record["pointers"] = pointers;
    std::cout << record.dump(1) << "\n";
}

} // namespace gemm_example
