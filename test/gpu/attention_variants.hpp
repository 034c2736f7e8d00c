#pragma once

/// The variants of attention that gpu_checks and test/device compile.

#include <tegula/kernel/attention/variant.hpp>

namespace tegula::test {

using attention_causal = attention_variant<attention_mask::band>;
/// Heads that share keys are rows of one tile.
using attention_packed = attention_variant<attention_mask::band, attention_bias::none, attention_weights::all,
                                           attention_cache::contiguous, attention_heads::packed>;
/// A boolean mask, a bias, dropout, and sinks.
using attention_masked = attention_variant<attention_mask::boolean, attention_bias::tensor, attention_weights::dropped>;
/// A causal band, slopes, a paged cache of unequal lengths; with a soft cap.
using attention_of_pages =
    attention_variant<attention_mask::band, attention_bias::alibi, attention_weights::all, attention_cache::paged>;
/// A band and a bias; with a soft cap. The second drops, too, and has sinks.
using attention_changing = attention_variant<attention_mask::band, attention_bias::tensor>;
using attention_dropping = attention_variant<attention_mask::band, attention_bias::tensor, attention_weights::dropped>;
/// Lists of blocks, and sequences of unequal lengths behind each other.
using attention_of_lists = attention_variant<attention_mask::lists>;

} // namespace tegula::test
