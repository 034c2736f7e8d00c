// The rows of wgmma through the tests of test/mma, a quarter of all widths a program: 16 bits and tf32.

#include "test/mma/emulation/one_hot_wgmma_f16.cpp"
#include "test/mma/emulation/one_hot_wgmma_tf32_bf16.cpp"
