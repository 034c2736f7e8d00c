#pragma once

/// Matrix instructions: the table, atoms that issue or emulate them, and the choice among them.

#include <tegula/mma/atom.hpp>
#include <tegula/mma/choose.hpp>
#include <tegula/mma/contract.hpp>
#include <tegula/mma/fma_atom.hpp>
#include <tegula/mma/instruction_atom.hpp>
#include <tegula/mma/operand_distribution.hpp>
#include <tegula/mma/packed.hpp>
#include <tegula/mma/scaled_atom.hpp>
#include <tegula/mma/scaled_warp_atom.hpp>
#include <tegula/mma/table/instruction_table.hpp>
#include <tegula/mma/table/operand_layout.hpp>
#include <tegula/mma/table/provenance.hpp>
