#pragma once

// JSON that a command takes: the text itself or @FILE, read strictly. Every function throws bad_input with one line.

#include <tegula/core/config.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace inspect {

/// The name of an input and the form that it must have, for the messages.
struct json_form
{
    const char* what;
    const char* shape;
    std::vector<const char*> keys; ///< of the object; each must be there once, and no other
};

/// `argument` itself, or what the file holds that it names as @FILE; `what` is read, for the messages.
std::string read_text(const std::string& argument, const char* what);

/// The object that `argument` states, or the file that it names as @FILE, with exactly the keys of the form.
nlohmann::json read_object(const std::string& argument, const json_form& form);

/// "a list", "the number 4.0", ... for messages.
std::string kind_of(const nlohmann::json& value);

const nlohmann::json& list_at(const nlohmann::json& value, const std::string& path, const json_form& form);

/// A whole number of 32 bits.
tegula::index_t number_at(const nlohmann::json& value, const std::string& path);

/// Reads each entry of a list with read(entry, path of the entry) and appends it to `result`.
template <class List, class Read>
void append_each(List& result, const nlohmann::json& value, const std::string& path, const json_form& form, Read&& read)
{
    std::size_t i = 0;
    for (const nlohmann::json& entry : list_at(value, path, form))
        result.push_back(read(entry, path + "[" + std::to_string(i++) + "]"));
}

} // namespace inspect
