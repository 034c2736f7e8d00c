// The forms of attention, each computed on the emulator and compared with the formula in double; a file each:
//
//   tensors.hpp      operands, the reference, the verdict
//   scores.hpp       masks and biases
//   functors.hpp     a score functor of one's own, sinks and dropout
//   sequences.hpp    multi-query heads, unequal lengths, a paged cache
//   eight_bits.hpp   inputs of 8 bits with scales
//   decoding.hpp     packed heads and split keys
//   appended.hpp     a row appended to the cache, then attention over it
//   gradients.hpp    the backward pass, of a bias and sinks too

#include "appended.hpp"
#include "decoding.hpp"
#include "eight_bits.hpp"
#include "functors.hpp"
#include "gradients.hpp"
#include "scores.hpp"
#include "sequences.hpp"

int main()
{
    tensors x;
    bool good = true;
    for (const auto form : {bands, masks, biases, functors, sinks_and_dropout, multi_query, unequal_lengths, paged,
                            eight_bits, split_keys, appended, gradients})
        good = form(x) && good;
    return good ? 0 : 1;
}
