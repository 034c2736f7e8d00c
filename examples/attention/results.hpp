#pragma once

// Results of an attention: verification, files, and the line or the record that is printed.

#include "kernels.hpp"
#include "operands.hpp"

#include <tegula/reference/error_bound.hpp>

#include <vector>

namespace attention_example {

/// Whether the output files can be written, before anything is computed. Throws examples::bad_input.
void check_outputs(const options& o);

/// One tensor of the result: its elements in the order of its shape, whatever is between them in memory.
struct result_tensor
{
    const char* option; ///< names the file it goes to: "--out"
    const char* name;   ///< "O"
    const float* data;
    long_index_t row_stride;
    std::vector<long_index_t> shape;
};

/// O and lse, and after the backward pass dQ, dK and dV.
std::vector<result_tensor> results_of(const operands& x, const problem& p);

/// Each of the results against the formula in double, of the rounded inputs.
std::vector<tegula::error_report> verify(const kernel_entry& kernel, const operands& x, const problem& p);

bool passed(const std::vector<tegula::error_report>& errors);

/// Says on standard error where the result is past its bound; `input` is find_not_finite's.
void complain_about(const std::vector<tegula::error_report>& errors, const operands& x, const problem& p,
                    const std::string& input);

/// Write what the options name, and --counters. Throw examples::bad_input.
void write_result(const options& o, const operands& x, const problem& p);
void write_counters(const options& o, const tegula::emulator::counters& counters);

/// The JSON record, or the same in words; of the kernels of the backward pass, if there was one. No errors where nothing was
/// verified.
void print_result(const options& o, const operands& x, const problem& p, const kernel_entry& kernel,
                  const backward_entry* backward, const run_result& run,
                  const std::vector<tegula::error_report>& errors, const std::string& input);

} // namespace attention_example
