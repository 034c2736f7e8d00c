#include "read_encoding.hpp"

#include "json_input.hpp"
#include "output.hpp"

namespace inspect {

namespace {

using nlohmann::json;
using tegula::encoding_value;
using tegula::rh_digit;

const json_form form{"the encoding",
                     R"({"rs":[..],"hs":[[..],..],"ps":[[[major,minor],..],..],"ys":[[major,minor],..]})",
                     {"rs", "hs", "ps", "ys"}};

rh_digit digit_at(const json& value, const std::string& path)
{
    if (!value.is_array() || value.size() != 2)
        throw bad_input(path + " is " +
                        (value.is_array() ? "a list of " + std::to_string(value.size()) : kind_of(value)) +
                        "; a digit is a pair [major,minor]");
    return {number_at(value[0], path + "[0]"), number_at(value[1], path + "[1]")};
}

encoding_value to_encoding(const json& value)
{
    const auto lengths = [](const json& list, const std::string& path) {
        encoding_value::lengths_type result;
        append_each(result, list, path, form, number_at);
        return result;
    };
    const auto digits = [](const json& list, const std::string& path) {
        encoding_value::digits_type result;
        append_each(result, list, path, form, digit_at);
        return result;
    };
    encoding_value e;
    e.rs = lengths(value["rs"], "rs");
    append_each(e.hs, value["hs"], "hs", form, lengths);
    append_each(e.ps, value["ps"], "ps", form, digits);
    append_each(e.ys, value["ys"], "ys", form, digit_at);
    return e;
}

/// One line for each rule that is broken.
void require_valid(const encoding_value& e)
{
    const tegula::violations found = validate(e);
    std::string lines;
    for (const tegula::violation& v : found) {
        lines += (lines.empty() ? "" : "\n") + std::string(tegula::explain(v).message());
        if (v.rule == tegula::encoding_rule::capacity)
            break; // the rest of the encoding was not kept
    }
    if (found.overflowed())
        lines += "\nmore digits are wrong; these are the first " + std::to_string(found.size());
    if (!lines.empty())
        throw bad_input(lines);
}

} // namespace

encoding_value read_encoding(const std::string& argument)
{
    const encoding_value e = to_encoding(read_object(argument, form));
    require_valid(e);
    return e;
}

} // namespace inspect
