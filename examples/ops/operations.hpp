#pragma once

// The operations of the program. A family of them is
//
//   <family>.cpp               what the command line, files and references know of it; it adds its operations here
//   <family>_problem.hpp       what a back end is given of it: a struct that derives from problem
//   <family>_kernels.hpp       launch(device, problem, addresses) with kernels of one target and element type
//   emulated_<family>_<target>.cpp, on_gpu_<family>_<target>.gpu.cpp
//                              one line each, which compiles those kernels for a back end and adds them
//
// A unit reads the library's headers in about 3 s, and each kernel in it costs the host's compiler 0.3 to 0.6 s, a GPU's
// 1 to 2 s: take one unit a target with all types on the emulator, and few kernels of each: in accesses of
// 16 bytes, and in single elements for all other shapes.

#include "options.hpp"
#include "problem.hpp"

#include <tegula/reference/error_bound.hpp>
#include <tegula/reference/npy.hpp>

#include <string>
#include <utility>
#include <vector>

namespace ops_example {

/// An array that goes to a file if `option` was given.
struct output
{
    const char* option; ///< "--out"
    std::string path;   ///< empty: it goes nowhere
    tegula::npy_array array;
    tegula::error_report errors; ///< where it was verified
};

/// The result of an operation.
struct outcome
{
    std::string arch;
    examples::device device = examples::device::emulator;
    run_result run;
    std::vector<long_index_t> shape; ///< of the operand
    double bytes = 0;                ///< that the arrays have, each counted once
    std::vector<output> outputs;
};

struct operation
{
    const char* name;
    const char* text;
    std::vector<const char*> needs; ///< its options besides --in, --out and those that all have
    std::vector<const char*> takes; ///< the same for options that may be left out
    /// Throws examples::bad_input.
    outcome (*run)(const options&);
};

/// A family adds its operations before main begins; the result is there to initialise a variable with.
bool add_operations(std::vector<operation> operations);

/// By name.
const std::vector<operation>& all_operations();

} // namespace ops_example
