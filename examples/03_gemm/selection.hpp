#pragma once

// Which kernels come into question, and what runs them.

#include "kernels.hpp"
#include "options.hpp"

namespace gemm_example {

struct selection
{
    std::vector<kernel_entry> kernels; ///< of one architecture, type and device; one a tile, at least one
    run_options run;
};

/// The kernels for --arch, --device, --type and --tile on this machine. Throws bad_input where there are none.
selection select_kernels(const options& o);

/// The kernel that the library's estimate for the architecture, wherever it runs, finds best: among the
/// warp-specialised ones that take the product, or the others where there are none. Throws bad_input where --tile is
/// one that does not.
const kernel_entry& choose_kernel(const selection& s, const problem& p);

/// Prints the kernels that are built, of --arch and --type and --device or of all.
void list_kernels(const options& o);

} // namespace gemm_example
