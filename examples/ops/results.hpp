#pragma once

// What becomes of an operation: verification, files, and the line or the record that is printed.

#include "operations.hpp"

#include <functional>

namespace ops_example {

/// Each element of a result against the exact one: NaN and infinities must be the same, the others differ by at most
/// bound(i).
tegula::error_report compare(const std::vector<float>& result, const std::vector<double>& exact,
                             const std::function<double(std::size_t)>& bound);

/// Writes what has a path, and --counters. Throws examples::bad_input.
void write_results(const options& o, const outcome& result);

/// The JSON record, or the same in words.
void print_results(const options& o, const outcome& result);

/// The first output that is past its bound, on standard error; false where there is none.
bool complain_about(const options& o, const outcome& result);

} // namespace ops_example
