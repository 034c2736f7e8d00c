// The rows of wgmma through the tests of test/mma, a quarter of all widths a program: fp8 to f16.

#include "test/mma/emulation/one_hot_wgmma_fp8_e4m3_f16.cpp"
#include "test/mma/emulation/one_hot_wgmma_fp8_e5m2_f16.cpp"
