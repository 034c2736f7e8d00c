#pragma once

// Operations on rows as the program hands them to a back end.

#include "problem.hpp"

namespace ops_example {

enum class row_operation { softmax, log_softmax, layernorm, rmsnorm, cross_entropy, topk_softmax };

struct row_problem : problem
{
    static constexpr const char* family = "rows"; ///< in kernels.json
    row_operation operation = row_operation::softmax;
    std::vector<long_index_t> lengths, strides; ///< of the operand, and of a result of its shape
    int axis = 0;                               ///< the rows' dimension
    float eps = 0;
    index_t k = 0;
    int in = none, weight = none, bias = none, residual = none, sum = none; ///< of the inputs' type
    int out = none;                                                         ///< float
    int labels = none, indices = none;                                      ///< long_index_t
};

} // namespace ops_example
