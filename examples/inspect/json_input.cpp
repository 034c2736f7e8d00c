#include "json_input.hpp"

#include "output.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

namespace inspect {

namespace {

using nlohmann::json;
using tegula::index_t;

using limits = std::numeric_limits<index_t>;

constexpr std::size_t max_bytes = 1 << 20;

/// As JSON writes it: control characters escaped.
std::string json_text(const std::string& text) { return json(text).dump(-1, ' ', true); }

std::string it_must_read(const json_form& form) { return std::string("; it must read ") + form.shape; }

/// Parses strictly: a key that stands twice is refused too.
json parse(const std::string& text, const json_form& form)
{
    std::string twice;
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
            throw bad_input("key " + json_text(twice) + " stands twice in " + form.what);
        return value;
    } catch (const json::parse_error& error) {
        throw bad_input(std::string(form.what) + " is not JSON, at byte " + std::to_string(error.byte) +
                        it_must_read(form));
    } catch (const json::out_of_range&) {
        throw bad_input(std::string(form.what) +
                        " holds a number past 64 bits; lengths and digits are whole numbers of 32 bits, at most " +
                        std::to_string(limits::max()));
    }
}

} // namespace

std::string read_text(const std::string& argument, const char* what)
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
        throw bad_input("file \"" + name + "\" is larger than 1 MiB; " + what + " is a few hundred bytes");
    return text;
}

std::string kind_of(const json& value)
{
    if (value.is_number_float())
        return "the number " + value.dump();
    return value.is_number()  ? value.dump()
           : value.is_array() ? "a list"
                              : "a value of type " + std::string(value.type_name());
}

json read_object(const std::string& argument, const json_form& form)
{
    json value = parse(read_text(argument, form.what), form);
    if (!value.is_object())
        throw bad_input(std::string(form.what) + " is " + kind_of(value) + it_must_read(form));
    for (const auto& [key, unused] : value.items())
        if (std::find(form.keys.begin(), form.keys.end(), key) == form.keys.end())
            throw bad_input("key " + json_text(key) + " is not known; " + form.what + " must read " + form.shape);
    for (const char* key : form.keys)
        if (!value.contains(key))
            throw bad_input("key \"" + std::string(key) + "\" is missing; " + form.what + " must read " + form.shape);
    return value;
}

const json& list_at(const json& value, const std::string& path, const json_form& form)
{
    if (!value.is_array())
        throw bad_input(path + " is " + kind_of(value) + "; it must be a list, as in " + form.shape);
    return value;
}

index_t number_at(const json& value, const std::string& path)
{
    const bool fits =
        !value.is_number() || (value.get<double>() >= limits::min() && value.get<double>() <= limits::max());
    if (!fits) // the parser keeps a whole number past 64 bits as a double
        throw bad_input(path + " is " + value.dump() + "; it must fit 32 bits, at most " +
                        std::to_string(limits::max()));
    if (!value.is_number_integer())
        throw bad_input(path + " is " + kind_of(value) + "; it must be a whole number");
    return value.get<index_t>();
}

} // namespace inspect
