#pragma once

// The kernels of conv2d: of the target's tiles, for channels in vectors and for any.

#include "convolution_problem.hpp"

#include <tegula/convolution.hpp>
#include <tegula/host/launch.hpp>

namespace ops_example {

template <class Target, class T>
struct convolution_kernels
{
    using kernels =
        tegula::convolution_family<tegula::convolution_direction::forward, 2, Target, T, float, tegula::epilogue::none>;

    template <class Device>
    static tegula::status launch(Device& device, const convolution_problem& p, const addresses& at)
    {
        const auto& s = p.shape;
        typename kernels::arguments args;
        args.shape = s;
        args.x = tegula::make_images<const T, 2>(at.get<const T>(p.in), s.image, s.channels);
        args.w = {at.get<const T>(p.weight), s.taps() * s.group_channels()};
        args.y = tegula::make_images<float, 2>(at.get<float>(p.out), s.output, s.filters);
        return tegula::launch(device, kernels{}, args);
    }
};

} // namespace ops_example
