#pragma once

#include <tegula/kernel/gemm/gemm_kernel.hpp>

namespace tegula {

template <class Tile, operand_order OrderA, operand_order OrderB, class C, class Epilogue, bool VectorC>
using multistage_gemm = gemm_kernel<Tile, OrderA, OrderB, C, Epilogue, VectorC>;

} // namespace tegula
