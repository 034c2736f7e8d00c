#pragma once

// Which kernels come into question, and what runs them.

#include "kernels.hpp"
#include "options.hpp"

#include <optional>

namespace gemm_example {

struct selection
{
    std::vector<kernel_entry> kernels; ///< of one architecture, type and device; one a tile, at least one
    run_options run;
};

/// The kernels for --arch, --device, --type and --tile on this machine. Throws bad_input where there are none.
selection select_kernels(const options& o);

struct chosen_kernel
{
    const kernel_entry* entry;   ///< of the selection
    tegula::k_partition sharing; ///< at most as many splits as k has steps
};

/// The kernel that the library's estimate for the architecture, wherever it runs, finds best: among the
/// warp-specialised ones that take the product, or the others where there are none. Without `sharing` the estimate also
/// says in how many parts to split k. Throws bad_input where --tile is one that does not take the product, and where no
/// kernel is built that shares k as wanted.
chosen_kernel choose_kernel(const selection& s, const problem& p, const std::optional<tegula::k_partition>& sharing);

/// Prints the kernels that are built, of --arch and --type and --device or of all.
void list_kernels(const options& o);

} // namespace gemm_example
