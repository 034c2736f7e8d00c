// The forms of GEMM, each run once on the emulator and verified. docs/gemm.md explains them; a file each:
//
//   one_product.hpp            operands, the reference, the verdict
//   strided_batched.hpp        strides of any kind, one B for a whole batch
//   sharing_k.hpp              split-K and stream-K
//   grouped.hpp                the experts of a layer
//   quantising_epilogue.hpp    scales, activation, a copy in f32 and the result in fp8
//   integer_layer.hpp          int8 operands and result, bias and gelu in float between
//   quantised_weights.hpp      4-bit weights
//   gated.hpp                  two weights, SwiGLU
//   block_scaled.hpp           block-scaled fp8

#include "block_scaled.hpp"
#include "gated.hpp"
#include "grouped.hpp"
#include "integer_layer.hpp"
#include "quantised_weights.hpp"
#include "quantising_epilogue.hpp"
#include "sharing_k.hpp"
#include "strided_batched.hpp"

int main()
{
    strided_batched();
    split_k();
    stream_k();
    grouped();
    quantising_epilogue();
    integer_layer();
    int4_weights();
    gated_product();
    block_scaled();
    return all_right ? 0 : 1;
}
