/// Gradients of attention by tensor copies of sequences of any length, on the emulator: by wgmma in two forms, by tcgen05.

#include <tegula/kernel/attention/backward/tiles.hpp>
#include <tegula/kernel/attention/tcgen05/backward_kernels.hpp>
#include <tegula/kernel/attention/warp_specialized/backward_kernels.hpp>

#include "test/kernel/attention/backward/backward.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

using causal = attention_variant<attention_mask::band>;
constexpr auto any = attention_sequences::of_any_length;

} // namespace

TEST_CASE("sm_90a: gradients by wgmma of sequences of any length")
{
    check_gradients_of_any_length<
        warp_specialized_backward_for<arch::sm_90a, half, 64, 64, causal, half, unchanged_score, any>>();
    using wide =
        warp_specialized_backward_for<arch::sm_90a, bfloat16, 256, 256, causal, bfloat16, unchanged_score, any>;
    check_gradients_of_any_length<wide>(256);
}

TEST_CASE("sm_90a: gradients in five products of sequences of any length")
{
    using gradients =
        warp_specialized_fused_backward_for<arch::sm_90a, half, 64, 64, causal, half, unchanged_score, any>;
    check_gradients_of_any_length<gradients>();
    using of_128_columns =
        warp_specialized_fused_backward_for<arch::sm_90a, bfloat16, 128, 128, causal, bfloat16, unchanged_score, any>;
    check_gradients_of_any_length<of_128_columns>(128);
    using of_256_columns =
        warp_specialized_fused_backward_for<arch::sm_90a, half, 256, 256, causal, half, unchanged_score, any>;
    check_gradients_of_any_length<of_256_columns>(256);
}

TEST_CASE("sm_100a: gradients by tcgen05 of sequences of any length")
{
    check_gradients_of_any_length<
        tcgen05_backward_for<arch::sm_100a, half, 64, 64, causal, half, unchanged_score, any>>();
    using fused = tcgen05_fused_backward_for<arch::sm_100a, bfloat16, 128, 128, causal, bfloat16, unchanged_score, any>;
    check_gradients_of_any_length<fused>(128);
}
