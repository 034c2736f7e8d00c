#pragma once

// Results of a product: verification, files, and the line or the record that is printed.

#include "kernels.hpp"
#include "operands.hpp"

#include <tegula/reference/error_bound.hpp>

#include <optional>

namespace gemm_example {

/// Whether --out and --counters can be written, before anything is computed. Throws bad_input.
void check_outputs(const options& o);

/// C against the product of the rounded inputs in double.
tegula::error_report verify(const options& o, const operands& x, const kernel_entry& kernel, const device_matrix& c);

/// Says on standard error where the product is past its bound; `input` is find_not_finite's.
void complain_about(const tegula::error_report& errors, const operands& x, const std::string& input);

/// Write --out, --quantized-a and --quantized-b, and --counters. Throw bad_input.
void write_product(const options& o, const operands& x, const kernel_entry& kernel, const device_matrix& c);
void write_quantized(const options& o, const operands& x);
void write_counters(const options& o, const tegula::emulator::counters& counters);

/// The JSON record, or the same in words.
void print_result(const options& o, const operands& x, const kernel_entry& kernel, const run_result& run,
                  const std::optional<tegula::error_report>& errors, const std::string& input);

} // namespace gemm_example
