#pragma once

namespace tegula {

/// How the operand of a matrix product lies in memory. Rows are M of A and N of B.
enum class operand_order {
    k_contiguous,   ///< k neighbours are neighbours in memory
    row_contiguous, ///< rows (m or n) are neighbours in memory
    any,            ///< both strides are run-time values; read element by element
};

} // namespace tegula
