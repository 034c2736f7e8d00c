#pragma once

// Which kernel computes an attention, and what runs it.

#include "kernels.hpp"
#include "options.hpp"

namespace attention_example {

struct selection
{
    std::string arch, type;
    device where;
    attention_example::element element; ///< what `type` is
    run_options run;
    bool compiles;                     ///< kernels that the program has not
    std::vector<kernel_entry> kernels; ///< of the architecture, type and device; none only where it compiles
};

/// The kernels that the program has now for the architecture, type and device.
std::vector<kernel_entry> kernels_of(const selection& s);

/// The kernels for --arch, --device and --type on this machine. Throws examples::bad_input where there are none.
selection select_kernels(const options& o);

/// The one of fewest columns that has room for the problem, for few queries if problem.splits asks for it or it helps;
/// with it problem.splits becomes the number of shares. Throws examples::bad_input.
const kernel_entry& choose_kernel(selection& s, problem& p);

/// The backward pass where `forward` runs. Throws examples::bad_input where there is none for the problem.
const backward_entry& choose_backward(const selection& s, const kernel_entry& forward, const problem& p);

/// Prints the kernels that are built, of --arch and --device or of all.
void list_kernels(const options& o);

} // namespace attention_example
