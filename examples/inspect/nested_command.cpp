#include "commands.hpp"
#include "json_input.hpp"
#include "pictures.hpp"
#include "read_encoding.hpp"

#include <tegula/notation/nested_operations.hpp>
#include <tegula/notation/type_text.hpp>

namespace inspect {

namespace {

using nlohmann::json;
using tegula::nested_value;
using tegula::text_out;

const json_form form{"the nested layout",
                     R"({"subgroup_tile":[..],"batch_tile":[..],"outer_tile":[..],"thread_tile":[..],)"
                     R"("element_tile":[..],"subgroup_strides":[..],"thread_strides":[..],"subgroup_size":n,)"
                     R"("subgroups":n})",
                     {"subgroup_tile", "batch_tile", "outer_tile", "thread_tile", "element_tile", "subgroup_strides",
                      "thread_strides", "subgroup_size", "subgroups"}};

using nested_input = tegula::nested_over_workgroup;

nested_input read_json(const json& value)
{
    const auto lengths = [&](const char* key) {
        nested_value::lengths_type list;
        append_each(list, value[key], key, form, number_at);
        return list;
    };
    return {{lengths("subgroup_tile"), lengths("batch_tile"), lengths("outer_tile"), lengths("thread_tile"),
             lengths("element_tile"), lengths("subgroup_strides"), lengths("thread_strides")},
            {number_at(value["subgroup_size"], "subgroup_size"), number_at(value["subgroups"], "subgroups")}};
}

nested_input read_cpp(const std::string& text)
{
    const auto read = tegula::read_nested_type(cpp_text(text, form.what).c_str());
    if (!read.ok())
        throw bad_input(std::string("the nested layout is no C++ type of one: ") + read.error.message());
    return read.value;
}

nested_input read_nested(const std::string& argument)
{
    const std::string text = read_text(argument, form.what);
    const bool is_cpp = text.find("nested_") != std::string::npos && text.find('"') == std::string::npos;
    const nested_input input = is_cpp ? read_cpp(text) : read_json(read_object(argument, form));
    std::string lines;
    for (const tegula::nested_violation& v : validate(input.layout, input.workgroup))
        lines += (lines.empty() ? "" : "\n") + std::string(explain(v).message());
    if (!lines.empty())
        throw bad_input(lines);
    return input;
}

/// The threads that write under the one-replica rule, in order.
std::vector<long long> find_writers(const tegula::encoding_value& e)
{
    const tegula::digit_table table = make_digit_table(e);
    std::vector<long long> writers;
    for (long long tid = 0; tid < partition_size(e); ++tid)
        if (is_first_replica(table, unflatten(tid, p_lengths(e), e.num_p())))
            writers.push_back(tid);
    return writers;
}

void write_answer(standard_output& sink, const nested_value& layout, const tegula::encoding_value& e)
{
    const std::vector<long long> writers = find_writers(e);
    text_out out(sink);
    out << "{\"shape\":";
    write_numbers(out, undistributed_shape(layout));
    out << ",\"encoding\":";
    write_json(sink, e);
    out << ",\"map\":";
    write_map(out, e);
    out << ",\"writers\":[";
    out.list(static_cast<int>(writers.size()), ",", [&](int i) { out << writers[static_cast<std::size_t>(i)]; });
    out << "]}\n";
}

} // namespace

void run_nested(const nested_request& request)
{
    const nested_input input = read_nested(request.json);
    const tegula::encoding_value e = to_encoding(input.layout, input.workgroup);
    show_encoding(request.output, e, "Nested layout",
                  [&](standard_output& out) { write_answer(out, input.layout, e); });
}

} // namespace inspect
