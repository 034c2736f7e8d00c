#pragma once

// The command line.

#include "problem.hpp"

#include <tegula/kernel/gemm/choose/choose_splits.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace gemm_example {

enum class matrix_layout { row, column };

struct options
{
    std::string a, b, c, bias;            ///< files; empty where not given
    std::string out, counters;            ///< files; empty where not given
    std::string quantized_a, quantized_b; ///< files for the operands as they are multiplied; empty where not given
    std::optional<long_index_t> m, n, k, batch;
    std::uint64_t seed = 1;
    float alpha = 1, beta = 0;
    tegula::activation activation = tegula::activation::none;
    std::string type; ///< in a list it may be empty, for all
    matrix_layout layout_a = matrix_layout::row, layout_b = matrix_layout::row;
    std::optional<long_index_t> pad; ///< elements after each row of a matrix; none: up to a multiple of 16 bytes
    std::string arch;                ///< empty: the GPU's, else host; on the emulator gfx942
    std::string device = "auto";     ///< auto, gpu, cpu or emulator
    std::string tile;                ///< empty: chosen for the problem
    std::optional<tegula::k_partition> sharing; ///< empty: chosen for the problem
    bool checks = true;
    bool compiles = true; ///< kernels that are not built in
    bool verify = false, json = false, list_tiles = false;
    bool launch_plan = false, list_kernels = false;

    /// Whether the type has scales for blocks along k.
    bool microscaled() const { return type.starts_with("mx") || type == "nvfp4"; }
    /// Nothing is multiplied, no product is needed.
    bool lists() const { return list_tiles || list_kernels; }
    bool reads_files() const { return !a.empty() || !b.empty(); }
};

/// The options; throws bad_input for what is wrong with them alone. Where --help was asked for, prints it and returns
/// nothing.
std::optional<options> read_options(int argc, char** argv);

} // namespace gemm_example
