#pragma once

// The command line.

#include <tegula/kernel/attention/arguments.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace attention_example {

using tegula::index_t;
using tegula::long_index_t;

struct options
{
    std::string q, k, v, bias, mask, key_lengths, page_table, d_o; ///< files; empty where not given
    std::string out, lse, dq, dk, dv, counters;                    ///< files; empty where not given
    std::optional<long_index_t> batch, heads, kv_heads, seq_q, seq_k, head_dim, value_dim;
    std::uint64_t seed = 1;
    std::optional<float> scale;                     ///< none: 1 / sqrt(head_dim)
    std::optional<float> q_scale, k_scale, v_scale; ///< of 8-bit inputs; none: 1
    float cap = 0;
    std::optional<double> dropout;             ///< the chance of a probability to be dropped; none: 0
    std::optional<std::uint64_t> dropout_seed; ///< none: 1
    tegula::attention_band band = {};
    index_t splits = 0; ///< shares of the keys; 0: as many as help
    std::string type = "bf16";
    std::string arch;            ///< empty: the GPU's, else gfx942
    std::string device = "auto"; ///< auto, gpu, cpu or emulator
    bool checks = true;
    bool compiles = true; ///< kernels that are not built in
    bool verify = false, json = false, list_tiles = false;

    bool reads_files() const { return !q.empty() || !k.empty() || !v.empty(); }
    bool has_8_bits() const { return type.starts_with("fp8_"); }
};

/// The words that --arch takes.
std::vector<std::string> names_of_archs();

/// The options; throws examples::bad_input for what is wrong with them alone. Where --help was asked for, prints it and
/// returns nothing.
std::optional<options> read_options(int argc, char** argv);

} // namespace attention_example
