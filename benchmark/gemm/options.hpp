#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "shapes.hpp"

namespace gemm_benchmark {

struct options
{
    std::vector<std::string> words; ///< the command line
    std::vector<listed_shape> shapes;
    std::vector<std::string> types;   ///< empty: all
    std::vector<std::string> layouts; ///< empty: all
    int gpu = 0;
    int rounds = 21;
    double group_seconds = 0.01; ///< GPU time of the launches that are timed together
    double warm_seconds = 5;     ///< most GPU time to wait for the clock to settle
    double window_seconds = 1;   ///< GPU time of the long window; 0: none
    int algorithms = 64;
    std::vector<std::size_t> workspaces{std::size_t{32} << 20, std::size_t{256} << 20}; ///< bytes
    bool flush_cache = false;        ///< instead of going through several sets of matrices
    bool flush_instructions = false; ///< before every launch
    std::string vendor_library;
    std::string library; ///< of our kernels; empty: those that are linked, or the one beside the program
    std::string out;
    bool list = false;

    bool wants(const product& p) const;
    /// Products that are wanted, in the order of the list.
    std::vector<product> products(bool has_fp8, element fp8) const;
    std::string command() const;
};

/// The options; what is left in `rest` is for Google Benchmark. Nothing where the help was printed. Bad options throw
/// bad_option.
std::optional<options> read_options(int argc, char** argv, std::vector<std::string>& rest);

/// One sentence. Ends the program with status 2.
struct bad_option
{
    std::string sentence;
};

} // namespace gemm_benchmark
