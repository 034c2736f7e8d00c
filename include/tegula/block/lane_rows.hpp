#pragma once

/// Operations of the one lane of a native CPU target by the machine's own instructions, declared for kernels that serve
/// GPUs, too. block/packed/packed_rows.hpp defines it; host/cpu_device.hpp includes that.

namespace tegula {

/// Operations on rows of floats, as native_rows has them. Compilers keep the partial results of loops over registers in
/// memory.
template <class Target>
struct rows_of_lane;

/// The transposition of matrices of words of 4 or 8 bytes.
template <class Target, int Bytes>
struct words_of_lane;

} // namespace tegula
