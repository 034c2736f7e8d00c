// Every width of wgmma through the tests of test/mma: fp8 to f16.

#define TEGULA_EVERY_WGMMA_WIDTH 1

#include "test/mma/emulation/one_hot_wgmma_fp8_e4m3_f16.cpp"
#include "test/mma/emulation/one_hot_wgmma_fp8_e5m2_f16.cpp"
