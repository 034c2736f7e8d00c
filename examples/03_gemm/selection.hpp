#pragma once

// Which kernels come into question, and what runs them.

#include "kernels.hpp"
#include "options.hpp"

namespace gemm_example {

struct selection
{
    std::vector<kernel_entry> kernels; ///< of one architecture, type and device; one a tile, at least one
    int units = 1;                     ///< blocks that run at a time
    run_options run;
};

/// The kernels for --arch, --device, --type and --tile on this machine. Throws bad_input where there are none.
selection select_kernels(const options& o);

/// Prints the kernels that are built, of --arch and --type and --device or of all.
void list_kernels(const options& o);

} // namespace gemm_example
