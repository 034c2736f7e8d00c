#include "attention.hpp"

using namespace gpu_library;
using causal = tegula::attention_variant<tegula::attention_mask::band>;
using full = tegula::attention_variant<>;
template <index_t Columns, class Variant>
using backward = tegula::attention_backward_for<tegula::arch::sm_90a, tegula::bfloat16, Columns, Columns, Variant>;

template <index_t Columns, class Variant>
using specialized =
    tegula::warp_specialized_backward_for<tegula::arch::sm_90a, tegula::bfloat16, Columns, Columns, Variant>;

static const bool added[] = {
    add_attention_backward<specialized<64, causal>>("attention_backward/specialized/bf16/64/causal"),
    add_attention_backward<specialized<64, full>>("attention_backward/specialized/bf16/64/full"),
    add_attention_backward<specialized<128, causal>>("attention_backward/specialized/bf16/128/causal"),
    add_attention_backward<specialized<128, full>>("attention_backward/specialized/bf16/128/full"),
    add_attention_backward<specialized<256, causal>>("attention_backward/specialized/bf16/256/causal"),
    add_attention_backward<specialized<256, full>>("attention_backward/specialized/bf16/256/full"),
    add_attention_backward<backward<64, causal>>("attention_backward/multistage/bf16/64/causal"),
    add_attention_backward<backward<64, full>>("attention_backward/multistage/bf16/64/full"),
    add_attention_backward<backward<128, causal>>("attention_backward/multistage/bf16/128/causal"),
    add_attention_backward<backward<128, full>>("attention_backward/multistage/bf16/128/full"),
    add_attention_backward<backward<256, causal>>("attention_backward/multistage/bf16/256/causal"),
    add_attention_backward<backward<256, full>>("attention_backward/multistage/bf16/256/full"),
};
