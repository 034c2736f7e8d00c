#pragma once

// The kernels of the backward pass that a back end builds for a target.

#include "tiles.hpp"

#include <tegula/kernel/attention/backward/kernels.hpp>

#include <type_traits>
#include <utility>

namespace attention_example {

/// Kernels that change scores, which serve every problem, and those for problems without bias and soft cap; of as many
/// columns or fewer. Gradients are float.
template <class Target, class T, index_t Columns>
using changing_backward =
    tegula::attention_backward_for<Target, T, Columns, Columns, changing_variant, float, tegula::soft_cap<Target>>;
template <class Target, class T, index_t Columns>
using plain_backward = tegula::attention_backward_for<Target, T, Columns, Columns, plain_variant, float>;
/// Kernels with dropout, which change scores, too.
template <class Target, class T, index_t Columns>
using dropping_backward =
    tegula::attention_backward_for<Target, T, Columns, Columns, dropping_variant, float, tegula::soft_cap<Target>>;

/// Those by wgmma and tensor copies, of sm_90a.
template <class Target, class T, index_t Columns>
using warp_specialized_changing_backward =
    tegula::warp_specialized_backward_for<Target, T, Columns, Columns, changing_variant, float,
                                          tegula::soft_cap<Target>>;
template <class Target, class T, index_t Columns>
using warp_specialized_plain_backward =
    tegula::warp_specialized_backward_for<Target, T, Columns, Columns, plain_variant, float>;

/// The functor that the kernels' arguments have.
template <class Kernels>
using score_of = decltype(std::declval<typename Kernels::problem>().forward.score);

template <class Kernels>
backward_entry make_backward_entry(const char* type, device where,
                                   run_result (*run)(const problem&, const run_options&))
{
    using tile = typename Kernels::tile;
    return {Kernels::target::chip().name,
            type,
            where,
            tile::head_dim,
            tile::rows,
            tile::columns,
            !std::is_same_v<score_of<Kernels>, tegula::unchanged_score>,
            Kernels::variant::dropout,
            run};
}

} // namespace attention_example
