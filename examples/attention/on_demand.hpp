#pragma once

// Kernels that the program compiles because it has none for a problem.

#include "examples/common/on_demand.hpp"
#include "selection.hpp"

namespace attention_example {

/// Whether the program may compile kernels of a type for the architecture there.
bool compiles_for(const options& o, const std::string& arch, device where);

/// Compiles a kernel that takes the problem if the selection may and has none; with `few_queries` one that shares keys.
/// Throws bad_input where it does not compile.
void provide_kernel(selection& s, const problem& p, bool few_queries);

/// The most columns of a kernel for what the problem needs, those included that the selection may compile; 0: there is none.
index_t most_columns(const selection& s, const problem& p);

/// Compiles kernels of the backward pass if the selection may and there are none that take the problem.
void provide_backward(const selection& s, const kernel_entry& forward, const problem& p);

/// The kernels of kernels.json that the program compiles when a problem needs them.
std::span<const examples::listed_kernel> kernels_on_demand();

/// The end of a message that no kernel is there: why none was compiled; empty where --no-jit is given.
std::string why_not_compiled(const options& o, const std::string& arch, examples::device where);

} // namespace attention_example
