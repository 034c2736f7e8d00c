// gemm_tile takes all inputs that the inspector's page of instructions calls possible.

#define TEGULA_CHECK_TILES
#include "examples/inspect/gemm_uses.cpp"
