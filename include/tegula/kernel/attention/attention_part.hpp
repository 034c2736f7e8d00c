#pragma once

#include <tegula/kernel/attention/arguments.hpp>

namespace tegula {

/// A block's part of an attention.
template <class Arguments, class Work, class Share, class O>
struct attention_part
{
    const Arguments& args;
    Work at;     ///< its rows
    Share share; ///< of the keys
    attention_tensor<O> o;
    attention_rows<float> lse;        ///< or null; of a share, less `shift`
    attention_rows<float> shift = {}; ///< of a share, see softmax_row_end
};

} // namespace tegula
