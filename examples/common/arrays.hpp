#pragma once

// Arrays in .npy files.

#include "bad_input.hpp"

#include <tegula/host/npy.hpp>

#include <string>
#include <vector>

namespace examples {

using tegula::long_index_t;

/// "(2, 3)", as NumPy has it.
std::string shape_text(const std::vector<long_index_t>& shape);

/// The file that `option` names, of float32 or float16. Throws bad_input.
tegula::npy_array read_array(const std::string& option, const std::string& path);

/// The values of such an array.
std::vector<float> to_floats(const tegula::npy_array& array);

/// Whether `option` can be written there, before anything is computed; an empty path always. Throws bad_input.
void check_output(const char* option, const std::string& path);

/// Writes an array. Throws bad_input.
template <class T>
void write_array(const char* option, const std::string& path, const std::vector<long_index_t>& shape,
                 const std::vector<T>& values)
{
    if (const tegula::status written = tegula::write_npy(path, tegula::make_npy_array<T>(shape, values)); !written)
        throw bad_input(std::string(option) + " " + written.message());
}

/// Bytes of memory of this machine.
double memory_of_machine();

} // namespace examples
