#pragma once

#include <tegula/notation/text.hpp>

#include <sstream>
#include <string>

namespace notation_words {

/// Any notation with a write_text(), as a string.
template <class T>
std::string print(const T& value)
{
    std::ostringstream out;
    write_text(out, value);
    return out.str();
}

} // namespace notation_words
