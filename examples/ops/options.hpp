#pragma once

// The command line.

#include <tegula/core/config.hpp>

#include <optional>
#include <string>
#include <vector>

namespace ops_example {

using tegula::index_t;
using tegula::long_index_t;

struct operation;

/// All options of all operations; an operation takes some of them.
struct options
{
    const ops_example::operation* operation = nullptr;

    std::string in, indices, weight, bias, residual, labels, positions, gate, w1, w2; ///< files; empty where not given
    std::string out, counters;

    long_index_t axis = -1;
    std::vector<long_index_t> axes;
    bool keepdims = false, exclusive = false;
    std::string op = "sum";
    long_index_t k = 1;
    float eps = 1e-5f;
    float base = 10000;
    std::vector<long_index_t> stride = {1, 1}, padding = {0, 0}, dilation = {1, 1};
    long_index_t groups = 1;

    std::string type = "f32";    ///< what inputs are rounded to
    std::string arch;            ///< empty: the GPU's, else gfx942
    std::string device = "auto"; ///< auto, emulator or gpu
    bool checks = true;
    bool compiles = true; ///< kernels that are not built in
    bool verify = false, json = false;
};

/// The options; throws examples::bad_input for what is wrong with them alone. Where --help was asked for, prints it and
/// returns nothing.
std::optional<options> read_options(int argc, char** argv);

} // namespace ops_example
