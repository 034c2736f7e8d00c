#include "read_encoding.hpp"

#include "output.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <vector>

namespace inspect {

namespace {

using nlohmann::json;
using tegula::encoding_value;
using tegula::index_t;
using tegula::rh_digit;

constexpr std::size_t max_bytes = 1 << 20;
const char* const shape = R"({"rs":[..],"hs":[[..],..],"ps":[[[major,minor],..],..],"ys":[[major,minor],..]})";

std::string read_text(const std::string& argument)
{
    if (argument.empty() || argument[0] != '@')
        return argument;
    const std::string name = argument.substr(1);
    errno = 0;
    std::ifstream file(name, std::ios::binary);
    std::string text(max_bytes + 1, '\0');
    if (!file || !(file.read(text.data(), static_cast<std::streamsize>(text.size())) || file.eof()))
        throw bad_input("file \"" + name + "\" cannot be read: " + std::strerror(errno != 0 ? errno : EIO));
    text.resize(static_cast<std::size_t>(file.gcount()));
    if (text.size() > max_bytes)
        throw bad_input("file \"" + name + "\" is larger than 1 MiB; an encoding is a few hundred bytes");
    return text;
}

/// Parses strictly: a key that stands twice is refused too.
json parse(const std::string& text)
{
    std::string first, twice;
    std::vector<std::string> keys;
    const auto remember = [&](int depth, json::parse_event_t event, json& parsed) {
        if (depth == 1 && event == json::parse_event_t::key) {
            const std::string key = parsed.get<std::string>();
            if (std::find(keys.begin(), keys.end(), key) != keys.end())
                twice = key;
            keys.push_back(key);
        }
        return true;
    };
    try {
        json value = json::parse(text, remember);
        if (!twice.empty())
            throw bad_input("key \"" + twice + "\" stands twice in the encoding");
        return value;
    } catch (const json::parse_error& error) {
        std::ostringstream message;
        message << "the encoding is not JSON, at byte " << error.byte << "; it must read " << shape;
        throw bad_input(message.str());
    } catch (const json::out_of_range&) {
        throw bad_input("the encoding holds a number that no type keeps; lengths and digits are 32-bit numbers");
    }
}

std::string kind_of(const json& value)
{
    if (value.is_number_float())
        return "the number " + value.dump();
    return value.is_number()  ? value.dump()
           : value.is_array() ? "a list"
                              : "a value of type " + std::string(value.type_name());
}

const json& list_at(const json& value, const std::string& path)
{
    if (!value.is_array())
        throw bad_input(path + " is " + kind_of(value) + "; it must be a list, as in " + shape);
    return value;
}

index_t number_at(const json& value, const std::string& path)
{
    if (!value.is_number_integer())
        throw bad_input(path + " is " + kind_of(value) + "; it must be a whole number");
    using limits = std::numeric_limits<index_t>;
    const bool fits = value.is_number_unsigned()
                          ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(limits::max())
                          : value.get<std::int64_t>() >= limits::min();
    if (!fits)
        throw bad_input(path + " is " + value.dump() + "; it must fit 32 bits, at most " +
                        std::to_string(limits::max()));
    return value.get<index_t>();
}

rh_digit digit_at(const json& value, const std::string& path)
{
    if (!value.is_array() || value.size() != 2)
        throw bad_input(path + " is " +
                        (value.is_array() ? "a list of " + std::to_string(value.size()) : kind_of(value)) +
                        "; a digit is a pair [major,minor]");
    return {number_at(value[0], path + "[0]"), number_at(value[1], path + "[1]")};
}

/// Reads each entry of a list with `read` and appends it to `result`.
template <class List, class Read>
void append_each(List& result, const json& value, const std::string& path, Read&& read)
{
    std::size_t i = 0;
    for (const json& entry : list_at(value, path))
        result.push_back(read(entry, path + "[" + std::to_string(i++) + "]"));
}

encoding_value to_encoding(const json& value)
{
    if (!value.is_object())
        throw bad_input("the encoding is " + kind_of(value) + "; it must read " + shape);
    for (const auto& [key, unused] : value.items())
        if (key != "rs" && key != "hs" && key != "ps" && key != "ys")
            throw bad_input("key \"" + key + "\" is not known; the encoding must read " + shape);
    for (const char* key : {"rs", "hs", "ps", "ys"})
        if (!value.contains(key))
            throw bad_input("key \"" + std::string(key) + "\" is missing; the encoding must read " + shape);
    const auto lengths = [](const json& list, const std::string& path) {
        encoding_value::lengths_type result;
        append_each(result, list, path, number_at);
        return result;
    };
    const auto digits = [](const json& list, const std::string& path) {
        encoding_value::digits_type result;
        append_each(result, list, path, digit_at);
        return result;
    };
    encoding_value e;
    e.rs = lengths(value["rs"], "rs");
    append_each(e.hs, value["hs"], "hs", lengths);
    append_each(e.ps, value["ps"], "ps", digits);
    append_each(e.ys, value["ys"], "ys", digit_at);
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
    const encoding_value e = to_encoding(parse(read_text(argument)));
    require_valid(e);
    return e;
}

} // namespace inspect
