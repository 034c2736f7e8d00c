#pragma once

// The command line of a program.

#include "bad_input.hpp"
#include "lists.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

namespace examples {

/// A word that an option may be, and what it means.
template <class T>
struct choice
{
    const char* name;
    T value;
};

/// The value of the choice called `name`. Throws bad_input.
template <class T>
T choose(const char* option, const std::string& name, const std::vector<choice<T>>& choices)
{
    std::string names;
    for (const choice<T>& c : choices) {
        if (name == c.name)
            return c.value;
        append_item(names, c.name);
    }
    throw bad_input(std::string(option) + " is \"" + name + "\"; it must be one of " + names);
}

/// The words that an option may be, in the order of its help.
using words_of_option = std::vector<std::string>;

/// "a, b or c".
inline std::string list_words(const words_of_option& words)
{
    std::string list;
    for (std::size_t i = 0; i < words.size(); ++i)
        list += (i == 0 ? "" : i + 1 < words.size() ? ", " : " or ") + words[i];
    return list;
}

/// Refuses a value that is none of the words. Throws bad_input.
inline void require_word(const char* option, const std::string& value, const words_of_option& words)
{
    if (std::find(words.begin(), words.end(), value) == words.end())
        throw bad_input(std::string(option) + " is \"" + value + "\"; it must be one of " + list_words(words));
}

/// Adds an option that names a file.
inline void add_file(CLI::App& app, const char* name, std::string& path, const char* text)
{
    app.add_option(name, path, text)->type_name("FILE")->check([name](const std::string& given) {
        return given.empty() ? std::string(name) + " needs the name of a file" : "";
    });
}

/// Whether the text is a whole number that Integer does not hold.
template <class Integer>
bool goes_past(const std::string& text)
{
    Integer number = 0;
    return std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc::result_out_of_range;
}

/// Whether the whole text is written as a Number, of whatever size.
template <class Number>
bool is_number(const std::string& text)
{
    Number number = 0;
    const char* const end = text.data() + text.size();
    return std::from_chars(text.data(), end, number).ptr == end && !text.empty();
}

/// Refuses whole numbers past 64 bits, for which CLI11 takes the largest. Throws bad_input.
inline void refuse_long_numbers(const CLI::App& app)
{
    for (const CLI::Option* option : app.get_options())
        for (const std::string& given : option->results()) {
            const std::string type = option->get_type_name();
            if (type.starts_with("INT") ? goes_past<std::int64_t>(given)
                                        : type.starts_with("UINT") && goes_past<std::uint64_t>(given))
                throw bad_input(option->get_name() + " is " + given + "; the limit is " +
                                (type.starts_with("INT") ? "9223372036854775807" : "18446744073709551615"));
        }
    for (const CLI::App* command : app.get_subcommands())
        refuse_long_numbers(*command);
}

/// Refuses a word in the place of a number, which CLI11 does not name as one. Throws bad_input.
inline void refuse_words(const CLI::App& app)
{
    for (const CLI::Option* option : app.get_options())
        for (const std::string& given : option->results()) {
            const std::string type = option->get_type_name();
            const bool whole = type.starts_with("INT") || type.starts_with("UINT");
            if ((whole && !is_number<std::int64_t>(given)) || (type.starts_with("FLOAT") && !is_number<double>(given)))
                throw bad_input(option->get_name() + " is \"" + given + "\"; it must be a " +
                                (whole ? "whole number" : "number"));
        }
    for (const CLI::App* command : app.get_subcommands())
        refuse_words(*command);
}

/// Reads the options; false where --help was asked for, which is printed. Throws bad_input.
inline bool parse(CLI::App& app, int argc, char** argv)
{
    try {
        app.parse(argc, argv);
        refuse_long_numbers(app);
        return true;
    } catch (const CLI::Success& help) {
        app.exit(help);
        return false;
    } catch (const CLI::ParseError& error) {
        if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr)
            refuse_words(app);
        std::string message = error.what();
        std::replace(message.begin(), message.end(), '\n', ' ');
        throw bad_input(message + "; --help shows the options");
    }
}

} // namespace examples
