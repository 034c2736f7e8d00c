#pragma once

// Kernels that the program compiles because it has none for a product.

#include "examples/common/on_demand.hpp"
#include "kernels.hpp"
#include "options.hpp"

namespace gemm_example {

/// Whether kernels of --type for the architecture are among those that the program compiles there.
bool compiles_type(const options& o, const std::string& arch, device where);

/// Whether the program may compile kernels of --type for the architecture there.
bool compiles_for(const options& o, const std::string& arch, device where);

/// Compiles a kernel for --arch, --type, --tile and --splits where the program has none, unless --no-jit is given. Throws
/// bad_input where it does not compile.
void provide_kernels(const options& o, const std::string& arch, device where);

/// The kernels of kernels.json that the program compiles when a product needs them.
std::span<const examples::listed_kernel> kernels_on_demand();

/// The end of a message that no kernel is there: why none was compiled; empty where --no-jit is given.
std::string why_not_compiled(const options& o, const std::string& arch, device where);

} // namespace gemm_example
