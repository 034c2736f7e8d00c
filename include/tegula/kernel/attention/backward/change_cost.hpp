#pragma once

#include <tegula/kernel/attention/variant.hpp>

#include <type_traits>

namespace tegula::detail {

/// The registers of a lane that changes of scores take in addition to the gradients. A band takes none: it is a
/// comparison or two in tiles at its edge.
enum class change_cost {
    none,
    low,  ///< block lists, slopes or a functor
    high, ///< two of them; or a boolean mask, a bias or dropout: an address or a random number for each score
    /// A boolean mask and a functor, which needs the scores before it and may hide keys; or a mask, bias and dropout.
    highest,
};

template <class Variant, class Score>
consteval change_cost cost_of_changes()
{
    constexpr bool boolean = Variant::mask == attention_mask::boolean,
                   changed = !std::is_same_v<Score, unchanged_score>;
    constexpr int others =
        (Variant::mask == attention_mask::lists) + (Variant::bias == attention_bias::alibi) + changed;
    if (boolean && (changed || (Variant::bias == attention_bias::tensor && Variant::dropout)))
        return change_cost::highest;
    if (boolean || Variant::bias == attention_bias::tensor || Variant::dropout || others > 1)
        return change_cost::high;
    return others == 1 ? change_cost::low : change_cost::none;
}

} // namespace tegula::detail

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::change_cost;
using tegula::detail::cost_of_changes;
} // namespace tegula::internal
