#pragma once

// The kernels that are built into the program, whatever runs them.

#include "examples/common/gpus.hpp"
#include "problem.hpp"

#include <tegula/core/status.hpp>
#include <tegula/emulator/counters.hpp>
#include <tegula/kernel/attention/tile_table.hpp>

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
    double backward_seconds = 0;         ///< of them those of the backward pass
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
    tegula::attention_form form = tegula::attention_form::multistage;
    /// Whether a warp-specialised kernel takes the problem. Null: it takes all with so many columns.
    bool (*takes)(const problem&) = nullptr;

    /// The tile in which problems with a bias or a soft cap run; 0: this one, or none.
    index_t changing_queries = 0, changing_keys = 0;

    attention_example::feature feature = feature::none; ///< the kernel serves problems that need it, and no others
    index_t page_multiple = 1;                          ///< of kernels for pages: what their keys are a multiple of

    /// "128x64x128", with "-decoding" of a kernel for few queries, "-warp-specialized", "-dropout", "-pages", or
    /// "-warp-specialized-pages"
    std::string tile() const;
    std::string tile_for(const problem&) const; ///< the same of the tile that the problem runs in
};

/// The kernels of the backward pass for one architecture and type.
struct backward_entry
{
    std::string arch, type;
    examples::device device;
    index_t columns;       ///< most of Q, K, V and O
    index_t kept, passing; ///< rows of the tile: a block keeps some and goes through the others
    bool changes_scores;   ///< takes a bias and a soft cap, too
    bool drops;            ///< is for dropout, and nothing else
    run_result (*run)(const problem&, const run_options&);

    /// "64x32x128", with "-changed-scores" of kernels that take a bias and a soft cap, or "-dropout"
    std::string tile() const;
};

/// Each back end adds what it has before main begins; the result is there to initialise a variable with.
bool add_kernels(std::vector<kernel_entry> entries);
bool add_backward_kernels(backward_entry entry);

/// All kernels, by architecture, type and device, few columns first.
std::vector<kernel_entry> all_kernels();

/// The backward pass of the problem where the kernel `forward` runs. It is the one with the fewest columns that has room
/// for the problem's, or else with the most. Between two such it is the one that changes no scores. Null: there is none.
const backward_entry* find_backward(const kernel_entry& forward, const problem& p);

} // namespace attention_example
