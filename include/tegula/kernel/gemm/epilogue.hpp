#pragma once

/// The steps between the accumulator and C: functions on the distributed accumulator of a tile, run in order.
///
/// A part is a function object f(accumulator, window, batch). `accumulator` is a distributed_tensor of the tile,
/// `window` its place in C (accesses give coordinates and which elements exist), `batch` the product's index. f changes
/// the accumulator, or returns another tensor to be stored instead. At the end the values are converted to C: rounded
/// to nearest even; saturated for fp8 and int8.
///
///   part.hpp        optional members of a part: checks, memory
///   arithmetic.hpp  scale, activate, clamp, chain, as_float
///   operands.hpp    add_source, add_residual, add_bias, store_copy (a further output)
///   scales.hpp      scale_tensor, scale_rows, scale_columns: multiply or divide by scales in memory
///   make.hpp        linear (BLAS's alpha and beta, bias, activation) and makers
///   check.hpp       check_epilogue

#include <tegula/kernel/gemm/epilogue/check.hpp>
