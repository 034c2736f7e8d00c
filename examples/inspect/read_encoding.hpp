#pragma once

#include <tegula/layout/encoding_value.hpp>

#include <string>

namespace inspect {

/// A C++ type with its comments blanked. Throws bad_input if it holds a zero byte; `what` is read, for the message.
std::string cpp_text(std::string text, const char* what);

/// Whether the text is an encoding in C++ and none in JSON.
bool is_cpp_encoding(const std::string& text);

/// The encoding that `argument` states as JSON or as a C++ type, or the file that it names as @file. Throws bad_input with
/// one line for what is wrong in the text, or one for each rule that the encoding breaks; so the result is valid.
tegula::encoding_value read_encoding(const std::string& argument);

} // namespace inspect
