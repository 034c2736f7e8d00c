#pragma once

// A score functor of one's own; sinks and dropout.

#include "scores.hpp"

/// A score that counts keys of other documents for nothing and prefers near ones, compiled into the kernel.
struct same_document
{
    const index_t* document; ///< of each key, the device's memory
    float slope = 0.01f;

    template <class Real>
    TEGULA_INLINE Real operator()(Real score, const attention_place& at) const
    {
        return score + static_cast<Real>(slope) * static_cast<Real>(at.key - at.query);
    }
    template <class Real>
    TEGULA_INLINE Real derivative(Real, const attention_place&) const
    {
        return 1;
    }
    TEGULA_INLINE bool visible(const attention_place& at) const { return document[at.query] == document[at.key]; }
};

inline bool functors(tensors& x)
{
    const soft_cap<target> cap{2.0f}; // scores stay in (-2, 2)
    bool good = compute<plain>("soft cap", x.arguments(cap));

    std::vector<index_t> document(keys);
    for (index_t j = 0; j < keys; ++j)
        document[static_cast<std::size_t>(j)] = j / 50;
    return compute<plain>("one's own functor", x.arguments(same_document{document.data()}), document.data()) && good;
}

inline bool sinks_and_dropout(tensors& x)
{
    const float sinks[heads] = {1.0f, -0.5f};
    auto a = x.arguments();
    a.sinks = sinks; // a score that takes part in the sums and has no value
    bool good = compute<plain>("sinks", a);

    a.dropout = make_dropout(0.1, 1234); // probability, seed
    return compute<attention_variant<none, attention_bias::none, attention_weights::dropped>>("dropout", a) && good;
}
