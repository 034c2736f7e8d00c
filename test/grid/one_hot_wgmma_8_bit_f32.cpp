// The rows of wgmma through the tests of test/mma, a quarter of all widths a program: 8 bits to 32.

#include "test/mma/emulation/one_hot_wgmma_fp8_e4m3_f32.cpp"
#include "test/mma/emulation/one_hot_wgmma_fp8_e5m2_f32.cpp"
#include "test/mma/emulation/one_hot_wgmma_int8.cpp"
