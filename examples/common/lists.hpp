#pragma once

// Lists in a line of text.

#include <string>
#include <string_view>

namespace examples {

/// Appends an item to a list: "a", then "a, b".
inline void append_item(std::string& list, std::string_view item, const char* separator = ", ")
{
    if (!list.empty())
        list += separator;
    list += item;
}

} // namespace examples
