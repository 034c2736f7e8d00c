// The rows of wgmma through the tests of test/mma, a quarter of all widths a program: the tests and the stores.

#include "test/mma/emulation/one_hot_wgmma.cpp"
#include "test/mma/emulation/one_hot.cpp"
#include "test/mma/emulation/one_hot_wgmma_store.cpp"
