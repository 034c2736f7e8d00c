#pragma once

// Arrays in .npy files.

#include "bad_input.hpp"

#include <tegula/reference/npy.hpp>

#include <string>
#include <vector>

namespace examples {

using tegula::long_index_t;

/// "(2, 3)", as NumPy has it.
std::string shape_text(const std::vector<long_index_t>& shape);

/// An array of numbers, in C order.
struct float_array
{
    std::vector<long_index_t> shape;
    std::vector<float> values;
};

/// The file that `option` names: floating-point numbers of 16, 32 or 64 bits, rounded to float32; integers that float32
/// holds; bfloat16 and float8_e5m2 as the Python package ml_dtypes saves them. A file that it saves as bytes without a
/// type (V1) has the type behind its name: "A.npy:float8_e4m3fn". Throws bad_input.
float_array read_floats(const std::string& option, const std::string& path);

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
