// Every width of wgmma through the tests of test/mma: 16 bits and tf32.

#define TEGULA_EVERY_WGMMA_WIDTH 1

#include "test/mma/emulation/one_hot_wgmma_f16.cpp"
#include "test/mma/emulation/one_hot_wgmma_tf32_bf16.cpp"
