#pragma once

// Files that a command line names.

#include <initializer_list>
#include <string>

namespace examples {

/// A file and the option that names it; no file if the path is empty.
struct named_file
{
    const char* option;
    const std::string& path;
};

/// Throws bad_input if two outputs are one file, or an output is an input, which it would overwrite: by whatever names.
void check_named_files(std::initializer_list<named_file> outputs, std::initializer_list<named_file> inputs);

} // namespace examples
