#pragma once

// Which keys a query sees, and what is added to their scores.

#include "tensors.hpp"

using plain = attention_variant<>;
using banded = attention_variant<band>;

inline bool bands(tensors& x)
{
    auto a = x.arguments();
    a.band.right = 0; // causal
    bool good = compute<banded>("causal", a);

    a.band.left = 32; // the 32 keys before a query's own, besides
    good = compute<banded>("sliding window", a) && good;

    a.band = {.right = 0, .prefix = 16}; // all see the first 16 keys
    good = compute<banded>("prefix", a) && good;

    a.band = {.right = 0, .diagonal = attention_diagonal::top_left};
    return compute<banded>("causal, top left", a) && good;
}

inline bool masks(tensors& x)
{
    std::vector<unsigned char> seen(queries * keys);
    for (index_t i = 0; i < queries; ++i)
        for (index_t j = 0; j < keys; ++j)
            seen[static_cast<std::size_t>(i * keys + j)] = (i + j) % 3 != 0;
    auto a = x.arguments();
    a.boolean = {seen.data(), 0, 0, keys, 1}; // for all sequences and heads
    bool good = compute<attention_variant<boolean>>("boolean mask", a);

    // Queries [0, 128) see the second block of 64 keys.
    const index_t counts[] = {1}, blocks[] = {1};
    a.lists = {.counts = counts, .blocks = blocks, .capacity = 1, .query_length = 128, .key_length = 64};
    return compute<attention_variant<lists>>("block lists", a) && good;
}

inline bool biases(tensors& x)
{
    std::vector<float> bias(heads * queries * keys);
    fill_normal<float>(bias, 4);
    auto a = x.arguments();
    a.bias = {bias.data(), 0, queries * keys, keys, 1}; // for all sequences
    bool good = compute<attention_variant<none, attention_bias::tensor>>("bias", a);

    const float slopes[heads] = {0.5f, 0.25f};
    a.alibi = {slopes};
    a.band.right = 0;
    return compute<attention_variant<band, attention_bias::alibi>>("ALiBi", a) && good;
}
