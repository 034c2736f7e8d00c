#pragma once

namespace tegula {

/// How a warp-specialised kernel writes C.
enum class output_store {
    direct,        ///< from registers, with any strides
    tensor_copies, ///< from shared memory: columns are neighbours, rows start and end at multiples of 16 bytes
};

} // namespace tegula
