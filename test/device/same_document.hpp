#pragma once

#include <tegula/kernel/attention/arguments.hpp>

namespace tegula {

/// A functor of a user, that hides the keys of other documents by what it reads.
struct same_document
{
    const index_t* document;

    template <class Real>
    TEGULA_INLINE Real operator()(Real score, const attention_place&) const
    {
        return score;
    }
    TEGULA_INLINE bool visible(const attention_place& at) const { return document[at.query] == document[at.key]; }
};

} // namespace tegula
