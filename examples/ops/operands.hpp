#pragma once

// Operands: arrays that were read, and what is wrong with them.

#include "problem.hpp"

#include <string>
#include <vector>

namespace ops_example {

/// Floating-point values in C order.
struct operand
{
    std::string option; ///< "--in"
    std::vector<long_index_t> shape;
    std::vector<float> values;

    /// `--in has shape (2, 3)`, for messages.
    std::string text() const;
};

/// Whole numbers in C order.
struct integers
{
    std::string option;
    std::vector<long_index_t> shape;
    std::vector<std::int64_t> values;

    std::string text() const;
};

/// Reads the file of float32 or float16 that `option` names and rounds it to `e`. Throws examples::bad_input.
operand read_operand(const char* option, const std::string& path, element e);

/// Reads a file of integers of any size. Throws examples::bad_input.
integers read_integers(const char* option, const std::string& path);

/// The dimension that --axis (or one of --axes) means, 0 ... rank - 1. Throws examples::bad_input.
int find_axis(const char* option, long_index_t axis, const operand& x);

/// Throws examples::bad_input where an operand has not the shape it must have; `why` ends the sentence.
void check_shape(const operand& x, const std::vector<long_index_t>& shape, const char* why);
void check_shape(const integers& x, const std::vector<long_index_t>& shape, const char* why);

/// Product of the lengths [first, last) of a shape.
long_index_t count(const std::vector<long_index_t>& shape, std::size_t first, std::size_t last);
long_index_t count(const std::vector<long_index_t>& shape);

/// The strides of a shape in C order, in elements.
std::vector<long_index_t> strides_of(const std::vector<long_index_t>& shape);

} // namespace ops_example
