// One kernel of DeepGEMM's block-scaled fp8, for checkouts.py. It is compiled when its users call it, with n, k and the tile as
// constants. These are the constants that its heuristics choose for 4096 cubed on 132 multiprocessors, or another tile.
//
// RIVAL_ROWS, RIVAL_COLUMNS, RIVAL_STAGES     of a block, and how many steps of k its shared memory holds

#include <deep_gemm/impls/sm90_fp8_gemm_1d2d.cuh>

const void* const kept = reinterpret_cast<const void*>(
    &deep_gemm::sm90_fp8_gemm_1d2d_impl<cute::UMMA::Major::K, 0, 4096, 4096, 1, RIVAL_ROWS, RIVAL_COLUMNS, 128, 128,
                                        128, 128, RIVAL_STAGES, 128, 256, 2, true, 132, deep_gemm::GemmType::Normal,
                                        cutlass::bfloat16_t, deep_gemm::epilogue::transform::EpilogueIdentity>);
