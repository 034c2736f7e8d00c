// Sequences of any length take a third stage: the last tile of one waits for the next tile's copies.
//
// expect: tegula: a backward pass by tcgen05 takes at least 2 stages, or 3 for sequences of any length

#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>

using namespace tegula;

#ifdef TEGULA_CONTROL
constexpr int stages = 3;
#else
constexpr int stages = 2;
#endif

template struct tegula::tcgen05_attention_gradients<
    attention_kept_rows::keys, tcgen05_gradient_tile<arch::sm_100a, half, 64, 64, stages, 32>, attention_variant<>,
    half, unchanged_score, attention_sequences::of_any_length>;
