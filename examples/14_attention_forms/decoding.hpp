#pragma once

// Decoding: few queries, whose keys several blocks share.

#include "tensors.hpp"

// Few queries: the rows of a tile are queries of all heads that share keys, and several blocks share the keys.
using decoding = attention_variant<band, attention_bias::none, attention_weights::all, attention_cache::contiguous,
                                   attention_heads::packed>;
using split_kernel = attention_split_kernel<decoding_tile_for<target, bfloat16, columns>, float, decoding>;

inline bool compare(const char* what, const status& s, const emulated_device& device, const split_kernel::attention& a)
{
    if (!s) {
        std::fprintf(stderr, "%s: %s\n%s", what, s.message(), device.result.report.c_str());
        return false;
    }
    const attention_result exact = reference_attention<decoding>(a);
    const error_report report = verify_attention(gather_attention(a.o, exact.o), exact.o);
    std::printf("%-28s largest error %.2e, %4.1f %% of the bound\n", what, report.max_abs_error,
                100 * report.worst_ratio);
    return report.passed;
}

inline bool split_keys(tensors& x)
{
    auto a = x.arguments();
    a.kv_heads = 1; // both heads read the first one's keys
    a.seq_q = 3;
    a.band.right = 0;
    emulated_device device;
    split_kernel::arguments split{a, split_kernel::choose_splits(a), {}};
    emulated_memory workspace;
    if (!workspace.allocate(static_cast<std::size_t>(split.workspace_size()) * sizeof(float)))
        return false;
    split.workspace = {static_cast<float*>(workspace.data()), split.workspace_size()};
    const status s = launch(device, split_kernel{}, split);
    return compare("packed heads, split keys", s, device, a);
}
