#pragma once

// The kernels that are built into the program, whatever runs them.

#include "examples/common/gpus.hpp"
#include "problem.hpp"

#include <tegula/emulator/counters.hpp>
#include <tegula/kernel/gemm/choose/choose_splits.hpp>

#include <span>
#include <string>
#include <vector>

namespace gemm_example {

using examples::device, examples::gpu;

struct run_options
{
    bool checks = true;               ///< of the emulator
    int gpu = 0;                      ///< the runtime's number of the GPU
    tegula::k_partition sharing = {}; ///< for entries that share k
};

struct run_result
{
    tegula::status status;
    std::string report; ///< of the emulator, several lines; empty when all is well
    double seconds = 0;
    tegula::k_partition sharing;
    tegula::emulator::counters counters; ///< of the emulator
};

struct launch_plan;

/// One tile for one architecture and type, with kernels for every layout of the operands.
struct kernel_entry
{
    std::string arch; ///< "gfx942"
    std::string type; ///< as --type has it: "bf16"
    gemm_example::device device;
    gemm_example::element element; ///< what `type` is on this architecture
    tegula::tile_description tile;
    /// Computes the product; an error where it cannot.
    run_result (*run)(const problem&, const run_options&);
    /// How the kernel for the product that is shipped as a code object is started; null where none is.
    launch_plan (*plan)(const problem&);
    /// Ok, or why a warp-specialised tile does not take the product. Null: it takes every product.
    tegula::status (*takes)(const problem&) = nullptr;
    /// For a type with scales for blocks along k: replaces matrices of rows by k, one after the other of the batch, by the
    /// numbers that they stand for once they are quantised. The kernel gets the matrices as they were, and
    /// quantises them itself. Null: elements are rounded each by itself, to `element`.
    tegula::status (*quantize)(float* values, long_index_t batch, long_index_t rows, long_index_t row_stride,
                               long_index_t k, long_index_t k_stride) = nullptr;
    /// The kernels share the k of tiles as run_options say; a tile's others give each tile to one block.
    bool shares_k = false;
    /// For a CPU's tile: cycles of a thread for the product. Null: the library's estimate for GPUs.
    double (*estimate)(const problem&) = nullptr;

    std::string shape() const; ///< "128x128x32"
};

/// Each back end adds what it has before main begins; the result is there to initialise a variable with.
bool add_kernels(std::vector<kernel_entry> entries);

/// All kernels, by architecture, type and device, large tiles first.
std::vector<kernel_entry> all_kernels();

} // namespace gemm_example
