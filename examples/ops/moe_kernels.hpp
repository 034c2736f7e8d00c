#pragma once

// The kernels of moe: of the target's tiles, for rows in vectors and for any.

#include "moe_problem.hpp"

#include <tegula/host/launch.hpp>
#include <tegula/moe.hpp>

namespace ops_example {

/// The layer's sizes and, of a device, its arrays.
template <class T>
tegula::moe_arguments<T, float> moe_arguments_of(const moe_problem& p, const addresses& at)
{
    tegula::moe_arguments<T, float> args;
    args.tokens = p.tokens;
    args.width = p.width;
    args.hidden = p.hidden;
    args.experts = p.experts;
    args.k = p.k;
    args.x = at.get<const T>(p.in);
    args.x_stride = p.width;
    args.w1 = at.get<const T>(p.w1);
    args.w2 = at.get<const T>(p.w2);
    args.logits = at.get<const float>(p.scores);
    args.out = at.get<float>(p.out);
    args.out_stride = p.width;
    args.workspace = {at.get<float>(p.workspace), moe_workspace_bytes(args)};
    return args;
}

template <class Target, class T>
struct moe_layer_kernels
{
    using tile = typename tegula::prologue_tiles<Target, T>::small;
    using kernels = tegula::moe_family<Target, T>;
    using gate_kernel = typename tegula::gemm_kernels<tile, float, tegula::epilogue::none>::element_wise;

    template <class Device>
    static tegula::status launch(Device& device, const moe_problem& p, const addresses& at)
    {
        if (p.gate != problem::none) {
            const typename gate_kernel::arguments scores{p.tokens,
                                                         p.experts,
                                                         p.width,
                                                         1,
                                                         {at.get<const T>(p.in), p.width, 1, 0},
                                                         {at.get<const T>(p.gate), p.experts, 1, 0},
                                                         {at.get<float>(p.scores), p.experts, 1, 0},
                                                         {}};
            if (const tegula::status s = tegula::launch(device, gate_kernel{}, scores); !s)
                return s;
        }
        return tegula::launch(device, kernels{}, moe_arguments_of<T>(p, at));
    }
};

} // namespace ops_example
