#pragma once

#include <tegula/kernel/attention/arguments.hpp>

namespace tegula {

/// A block's part of an attention.
template <class Arguments, class Work, class Share, class O>
struct attention_part
{
    const Arguments& args;
    Work at;     ///< its rows
    Share share; ///< its share of the keys
    attention_tensor<O> o;
    attention_rows<float> lse;        ///< null: not written. If keys are split, lse - shift
    attention_rows<float> shift = {}; ///< only if keys are split, see softmax_row_end
};

} // namespace tegula
