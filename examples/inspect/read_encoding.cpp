#include "read_encoding.hpp"

#include "json_input.hpp"
#include "output.hpp"

#include <tegula/notation/type_text.hpp>

#include <cctype>

namespace inspect {

namespace {

using nlohmann::json;
using tegula::encoding_value;
using tegula::rh_digit;

const json_form form{"the encoding",
                     R"({"rs":[..],"hs":[[..],..],"ps":[[[major,minor],..],..],"ys":[[major,minor],..]}, )"
                     "or be a C++ type tile_distribution_encoding<..>",
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

encoding_value read_cpp(const std::string& text)
{
    const auto read = tegula::read_type(cpp_text(text, form.what).c_str());
    if (!read.ok())
        throw bad_input(std::string("the encoding is no C++ type of an encoding: ") + read.error.message());
    return read.value;
}

} // namespace

std::string cpp_text(std::string text, const char* what)
{
    if (text.find('\0') != std::string::npos)
        throw bad_input(std::string(what) + " holds a zero byte");
    for (std::size_t at = 0; (at = text.find('/', at)) != std::string::npos; ++at) {
        const bool line = text.compare(at, 2, "//") == 0;
        if (!line && text.compare(at, 2, "/*") != 0)
            continue;
        const std::size_t end = line ? text.find('\n', at) : text.find("*/", at + 2);
        const std::size_t past = end == std::string::npos ? text.size() : line ? end : end + 2;
        for (; at < past; ++at)
            text[at] = ' ';
    }
    return text;
}

bool is_cpp_encoding(const std::string& text)
{
    return text.find("tile_distribution") != std::string::npos && text.find('"') == std::string::npos;
}

encoding_value read_encoding(const std::string& argument)
{
    const std::string text = read_text(argument, form.what);
    const encoding_value e = is_cpp_encoding(text) ? read_cpp(text) : to_encoding(read_object(argument, form));
    require_valid(e);
    return e;
}

} // namespace inspect
