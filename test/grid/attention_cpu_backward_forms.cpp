// Gradients of attention on CPUs: as the machine's own code and on the strict emulator, against the formula in 64-bit
// arithmetic and the bounds that the GPUs' kernels are held to.

#include "test/kernel/attention/cpu/backward.hpp"

TEST_CASE("CPU attention backward: a band, more columns, bfloat16", "[attention][cpu]")
{
    attention_gradient_case c{1, 4, 2, 200, 230, 100, 72};
    c.band.right = 0;
    check_attention_gradients<native_kernels<band, 128, bfloat16>>(c);
}

TEST_CASE("CPU attention backward: more than 256 columns", "[attention][cpu]")
{
    attention_gradient_case c{1, 4, 2, 100, 130, 512, 512};
    c.band.right = 0;
    check_attention_gradients<wide_kernels>(c);
    check_attention_gradients<wide_kernels>({1, 2, 1, 30, 40, 576, 8});
}
