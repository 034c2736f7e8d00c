#pragma once

// tcgen05.mma of sm_100a and sm_103a, whose operands are in shared memory and whose result is in tensor memory: rows of the
// list, records, and the rows of docs/instructions.md.

#include "commands.hpp"
#include "output.hpp"

#include <tegula/mma/table/element_kind.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace inspect {

/// One instruction by its types; n is that of the widest form.
struct tensor_core_row
{
    const char* arch;
    std::string instruction; ///< "tcgen05.mma.cta_group::1.kind::f16"
    std::string variant;     ///< types as mma.sync says them, "f32.bf16.bf16"; the mnemonic has none
    int blocks, m, n, k;
    tegula::element_kind a, b, c;
    std::uint32_t descriptor; ///< of the instruction
};

/// All of an architecture, or of both if it is empty.
std::vector<tensor_core_row> tensor_core_rows(const std::string& arch);

bool is_tensor_core(const std::string& instruction);

void write_tensor_core_list_record(standard_output& out, const tensor_core_row& row);
void write_tensor_core_line(standard_output& out, const tensor_core_row& row);
/// The record or the line that the request asks for. Throws bad_input.
void run_tensor_core(const mma_request& request);
/// The section of docs/instructions.md.
void write_tensor_core_section(standard_output& out);

} // namespace inspect
