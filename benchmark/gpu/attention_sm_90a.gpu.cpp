#include "attention.hpp"

using namespace gpu_library;
using target = tegula::arch::sm_90a;
using T = tegula::bfloat16;
using causal = tegula::attention_variant<tegula::attention_mask::band>;
using full = tegula::attention_variant<>;
using packed = tegula::attention_variant<tegula::attention_mask::band, tegula::attention_bias::none,
                                         tegula::attention_weights::all, tegula::attention_cache::contiguous,
                                         tegula::attention_heads::packed>;

template <index_t Columns, class Variant>
using specialized =
    tegula::warp_specialized_attention<tegula::warp_specialized_attention_tile_for<target, T, Columns>, T, Variant>;
template <index_t Columns, class Variant>
using multistage = tegula::attention_kernel<tegula::attention_tile_for<target, T, Columns>, T, Variant>;

static const bool added[] = {
    add_attention<specialized<64, causal>>("attention/specialized/bf16/64/causal"),
    add_attention<specialized<64, full>>("attention/specialized/bf16/64/full"),
    add_attention<specialized<128, causal>>("attention/specialized/bf16/128/causal"),
    add_attention<specialized<128, full>>("attention/specialized/bf16/128/full"),
    add_attention<specialized<256, causal>>("attention/specialized/bf16/256/causal"),
    add_attention<specialized<256, full>>("attention/specialized/bf16/256/full"),
    add_attention<multistage<64, causal>>("attention/multistage/bf16/64/causal"),
    add_attention<multistage<128, causal>>("attention/multistage/bf16/128/causal"),
    add_attention<multistage<128, full>>("attention/multistage/bf16/128/full"),
    add_attention_split<tegula::attention_split_kernel<tegula::decoding_tile_for<target, T, 128>, T, packed>>(
        "attention/few_queries/bf16/128/full"),
};
