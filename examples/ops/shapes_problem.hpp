#pragma once

// Operations on arrays of any shape as the program hands them to a back end.

#include "problem.hpp"

#include <tegula/kernel/reduction/reducers.hpp>

namespace ops_example {

enum class shape_operation { reduce, arg_reduce, scan, permute, topk, gather, rope };

struct shape_problem : problem
{
    static constexpr const char* family = "shapes"; ///< in kernels.json
    shape_operation operation = shape_operation::reduce;
    std::vector<long_index_t> in_lengths, out_lengths;
    std::vector<long_index_t> other_lengths; ///< of indices or positions
    tegula::reduce_operation op = tegula::reduce_operation::sum;
    bool mean = false;      ///< of a sum: divided by the number of elements
    bool smallest = false;  ///< of arg_reduce
    bool exclusive = false; ///< of scan
    unsigned axes = 0;      ///< that are reduced
    int axis = 0;
    std::vector<int> order; ///< of permute

    int in = none;      ///< of the inputs' type
    int out = none;     ///< float of reduce and scan, long_index_t of arg_reduce, else of the inputs' type
    int indices = none; ///< long_index_t: written by topk, read by gather; the positions of rope
    int turns = none;   ///< std::uint64_t, of rope

    /// The workspace of reductions and scans of long rows: partial results of several blocks, 1024 of up to 16 bytes.
    int workspace = none;
    static constexpr long_index_t workspace_bytes = 16384;
};

} // namespace ops_example
