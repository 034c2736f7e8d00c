#pragma once

// What becomes of an attention: verification, files, and the line or the record that is printed.

#include "kernels.hpp"
#include "operands.hpp"

#include <tegula/host/error_bound.hpp>

#include <optional>

namespace attention_example {

/// Whether the output files can be written, before anything is computed. Throws examples::bad_input.
void check_outputs(const options& o);

/// Of O and of lse.
struct verification
{
    tegula::error_report o, lse;

    bool passed() const { return o.passed && lse.passed; }
};

/// O and lse against the formula in double, of the rounded inputs.
verification verify(const kernel_entry& kernel, const problem& p);

/// Says on standard error where the result is past its bound; `input` is find_not_finite's.
void complain_about(const verification& errors, const operands& x, const std::string& input);

/// Write --out and --lse, and --counters. Throw examples::bad_input.
void write_result(const options& o, const operands& x, const problem& p);
void write_counters(const options& o, const tegula::emulator::counters& counters);

/// The JSON record, or the same in words.
void print_result(const options& o, const operands& x, const problem& p, const kernel_entry& kernel,
                  const run_result& run, const std::optional<verification>& errors, const std::string& input);

} // namespace attention_example
