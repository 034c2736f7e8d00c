// Every width of wgmma through the tests of test/mma: 8 bits to 32.

#define TEGULA_EVERY_WGMMA_WIDTH 1

#include "test/mma/emulation/one_hot_wgmma_fp8_e4m3_f32.cpp"
#include "test/mma/emulation/one_hot_wgmma_fp8_e5m2_f32.cpp"
#include "test/mma/emulation/one_hot_wgmma_int8.cpp"
