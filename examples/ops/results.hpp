#pragma once

// Results of an operation: verification, files, and the line or the record that is printed.

#include "operations.hpp"

#include <functional>

namespace ops_example {

/// Each element of a result against the exact one: NaN and infinities must be the same, the others differ by at most
/// bound(i). A number past the largest of `type`, in which the result was stored, is infinite or that largest one.
///
///   on_the_way  of element i the largest magnitude that a part of it can have, which any not finite result may come from
///               if it is past the largest float; left out: none has more than the element
tegula::error_report compare(const std::vector<float>& result, const std::vector<double>& exact,
                             const std::function<double(std::size_t)>& bound,
                             const std::function<double(std::size_t)>& on_the_way = {}, element type = element::f32);

/// Writes what has a path, and --counters. Throws examples::bad_input.
void write_results(const options& o, const outcome& result);

/// The JSON record, or the same in words.
void print_results(const options& o, const outcome& result);

/// The first output that is past its bound, on standard error; false where there is none.
bool complain_about(const options& o, const outcome& result);

} // namespace ops_example
