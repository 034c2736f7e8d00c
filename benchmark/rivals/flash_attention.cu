// One kernel of FlashAttention-3, for checkouts.py. Its launchers switch between dozens of kernels when they run. Here the
// switches are decided by macros, so that nvcc compiles one. The launcher chooses the tile, as in its own builds.
//
// RIVAL_BACKWARD                  defined: the backward pass
// RIVAL_COLUMNS, RIVAL_TYPE       head_dim, a type of cutlass
// RIVAL_CAUSAL, RIVAL_ORDERED     true or false: a causal mask; sums of dQ in an order that is always the same

#include "static_switch.h"

#undef BOOL_SWITCH
#undef CAUSAL_LOCAL_SWITCH
#define BOOL_SWITCH(condition, name, ...)                                                                              \
    [&] {                                                                                                              \
        static constexpr bool name = CHOSEN_##name;                                                                    \
        return __VA_ARGS__();                                                                                          \
    }()
#define CAUSAL_LOCAL_SWITCH(is_causal, is_local, causal, local, ...)                                                   \
    [&] {                                                                                                              \
        static constexpr bool causal = RIVAL_CAUSAL, local = false;                                                    \
        return __VA_ARGS__();                                                                                          \
    }()

#define CHOSEN_Varlen false
#define CHOSEN_GQA false
#define CHOSEN_Deterministic_ RIVAL_ORDERED
#define CHOSEN_HasQV_ false
#define CHOSEN_AppendKV false
#define CHOSEN_Use_cluster true // what it takes for an even number of tiles

#ifdef RIVAL_BACKWARD
#include "flash_bwd_launch_template.h"
#define LAUNCHER_OF(columns) run_mha_bwd_hdim##columns
#define LAUNCHER(columns) LAUNCHER_OF(columns)
template void LAUNCHER(RIVAL_COLUMNS)<90, cutlass::RIVAL_TYPE, false>(Flash_bwd_params&, cudaStream_t);
#else
#include "flash_fwd_launch_template.h"
template void
run_mha_fwd_<90, cutlass::RIVAL_TYPE, RIVAL_COLUMNS, RIVAL_COLUMNS, false, false, false, false>(Flash_fwd_params&,
                                                                                                cudaStream_t);
#endif
