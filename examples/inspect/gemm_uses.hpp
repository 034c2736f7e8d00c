#pragma once

#include <tegula/mma/table/instruction.hpp>

#include <string_view>
#include <vector>

namespace inspect {

/// How far a GEMM is beyond being possible.
enum class use_kind {
    shipped,  ///< the program gemm has it
    tested,   ///< not shipped; tests multiply with it on the emulator
    possible, ///< neither; a tile of these inputs compiles
};

/// A GEMM whose tile takes its atom from a row of the table.
struct gemm_use
{
    use_kind kind;
    std::string_view a, b; ///< types of A and B, as the table spells them
    tegula::gpu_arch arch;
    tegula::instruction row;
};

/// Every GEMM of the table's input types with the atom that the library chooses for them, for every target; of one kind
/// and types they are neighbours.
std::vector<gemm_use> find_gemm_uses();

} // namespace inspect
