// Every width of wgmma through the tests of test/mma: the tests and the stores.

#define TEGULA_EVERY_WGMMA_WIDTH 1

#include "test/mma/emulation/one_hot_wgmma.cpp"
#include "test/mma/emulation/one_hot.cpp"
#include "test/mma/emulation/one_hot_wgmma_store.cpp"
