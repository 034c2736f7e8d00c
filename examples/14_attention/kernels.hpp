#pragma once

// The kernels that are built into the program, whatever runs them.

#include "examples/common/gpus.hpp"
#include "problem.hpp"

#include <tegula/core/status.hpp>
#include <tegula/emulator/counters.hpp>

#include <string>
#include <vector>

namespace attention_example {

using examples::device;

struct run_options
{
    bool checks = true; ///< of the emulator
    int gpu = 0;        ///< the runtime's number of the GPU
};

struct run_result
{
    tegula::status status;
    std::string report; ///< of the emulator, several lines; empty when all is well
    double seconds = 0;
    tegula::emulator::counters counters; ///< of the emulator
};

/// The kernels of one tile for one architecture and type.
struct kernel_entry
{
    std::string arch; ///< "gfx942"
    std::string type; ///< as --type has it: "bf16"
    examples::device device;
    attention_example::element element;
    index_t columns;       ///< most of Q, K, V and O
    index_t queries, keys; ///< of the tile
    /// Computes the attention; an error where it cannot.
    run_result (*run)(const problem&, const run_options&);

    std::string tile() const; ///< "128x64x128"
};

/// Each back end adds what it has before main begins; the result is there to initialise a variable with.
bool add_kernels(std::vector<kernel_entry> entries);

/// All kernels, by architecture, type and device, few columns first.
std::vector<kernel_entry> all_kernels();

} // namespace attention_example
