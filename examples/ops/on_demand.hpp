#pragma once

// Kernels that the program compiles because it has none for an operation.

#include "examples/common/gpus.hpp"
#include "options.hpp"

#include <string>

namespace ops_example {

/// Whether the program may compile a family's kernels of --type for the architecture there.
bool compiles_for(const char* family, const options& o, const std::string& arch, examples::device where);

/// Whether kernels.json has the kernels, the program does not have them built in, and it may compile them.
bool is_on_demand(const char* family, const options& o, const std::string& arch, examples::device where);

/// Compiles them. Precondition: compiles_for(). Throws examples::bad_input where they do not compile.
void compile_for(const char* family, const options& o, const std::string& arch, examples::device where);

/// The end of a message that no kernel is there: why none was compiled; empty where --no-jit is given.
std::string why_not_compiled(const options& o, const std::string& arch, examples::device where);

} // namespace ops_example
