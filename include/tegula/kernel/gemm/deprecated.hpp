#pragma once

#include <tegula/kernel/gemm/choose/choose_splits.hpp>
#include <tegula/kernel/gemm/forms/block_scaled.hpp>
#include <tegula/kernel/gemm/forms/partials.hpp>
#include <tegula/kernel/gemm/forms/quantized_weights.hpp>
#include <tegula/kernel/gemm/forms/reduce_partials.hpp>

/// Former names of GEMM; the next version is without them.

namespace tegula {

template <class Arguments>
[[deprecated("tegula: use can_implement")]]
status check_gemm(const Arguments& args)
{
    return can_implement(args);
}

template <class A, class Form, class C, class Epilogue>
using mixed_gemm_arguments [[deprecated("tegula: use quantized_weights_arguments")]] =
    quantized_weights_arguments<A, Form, C, Epilogue>;

template <class Tile, class Form>
using mixed_tile [[deprecated("tegula: use quantized_weights_tile")]] = quantized_weights_tile<Tile, Form>;

template <class Tile, class Form, operand_order OrderA, operand_order OrderB, class C, class Epilogue, bool VectorC>
using mixed_gemm [[deprecated("tegula: use quantized_weights_gemm")]] =
    quantized_weights_gemm<Tile, Form, OrderA, OrderB, C, Epilogue,
                           VectorC ? output_access::vectors : output_access::elements>;

template <class Tile, class Form, class C, class Epilogue>
using mixed_kernels [[deprecated("tegula: use quantized_weights_kernels")]] =
    quantized_weights_kernels<Tile, Form, C, Epilogue>;

template <class Kernel>
using gemm_parts [[deprecated("tegula: use gemm_partials")]] = gemm_partials<Kernel>;

template <class Kernel>
using sum_parts [[deprecated("tegula: use reduce_partials")]] = reduce_partials<Kernel>;

using k_sharing [[deprecated("tegula: use k_partition")]] = k_partition;

} // namespace tegula
