#pragma once

#include <tegula/layout/encoding_value.hpp>

#include <string>

namespace inspect {

/// The encoding that `argument` states as JSON, or the file that it names as @file. Throws bad_input with one line for
/// what is wrong in the JSON, or one for each rule that the encoding breaks; so the result is valid.
tegula::encoding_value read_encoding(const std::string& argument);

} // namespace inspect
