#pragma once

// Rows of the instruction table by the names that a command is given. Both throw bad_input with what would be right.

#include "commands.hpp"

#include <tegula/mma/table/instruction_table.hpp>

namespace inspect {

tegula::gpu_arch arch_of(const std::string& name);

/// The row of the request's instruction, wave and variant.
const tegula::instruction& row_of(const mma_request& request, tegula::gpu_arch arch);

} // namespace inspect
