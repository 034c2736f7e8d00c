#pragma once

// Convolutions of two dimensions as operations of the library. Tensors are packed: images [images, height, width,
// channels], filters [filters, height, width, channels].
//
//   sizes     images, channels, filters, height, width, height and width of a filter, stride, padding
//   pointers  forward: x, w, y; backward_data: dy, w, dx; backward_weight: x, dy, dw, workspace

#include "library/on_stream.hpp"

#include <tegula/convolution.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/host/tensor_map.hpp>

namespace gpu_library {

/// The arguments of kernels; with null pointers for their workspace.
template <class Kernels, tegula::convolution_direction Direction, class T>
typename Kernels::arguments convolution_of(const long* sizes, void* const* pointers)
{
    using namespace tegula;
    convolution_shape<2> s{sizes[0],
                           sizes[1],
                           sizes[2],
                           1,
                           {sizes[3], sizes[4]},
                           {sizes[5], sizes[6]},
                           {},
                           {sizes[7], sizes[7]},
                           {sizes[8], sizes[8]},
                           {1, 1}};
    s.output = output_lengths(s);
    typename Kernels::arguments args;
    args.shape = s;
    const T* const first = static_cast<const T*>(pointers[0]);
    const T* const second = static_cast<const T*>(pointers[1]);
    T* const result = static_cast<T*>(pointers[2]);
    const long_index_t stride = s.taps() * s.channels;
    if constexpr (Direction == convolution_direction::backward_data) {
        args.dy = make_images<const T, 2>(first, s.output, s.filters);
        args.w = {second, stride};
        args.dx = make_images<T, 2>(result, s.image, s.channels);
    } else {
        args.x = make_images<const T, 2>(first, s.image, s.channels);
        if constexpr (Direction == convolution_direction::backward_weight) {
            args.dy = make_images<const T, 2>(second, s.output, s.filters);
            args.dw = {result, stride};
        } else {
            args.w = {second, stride};
            args.y = make_images<T, 2>(result, s.output, s.filters);
        }
    }
    return args;
}

/// By the kernels of a tile; the result has the type of the inputs.
template <class Tile, tegula::convolution_direction Direction>
bool add_convolution(const char* name)
{
    using namespace tegula;
    using T = typename Tile::a_type;
    using kernels = convolution_kernels<Direction, 2, Tile, T, epilogue::none>;
    return add({name,
                [](const long* sizes) {
                    // The sizes alone decide, and how the data lies: 16 bytes are as good as its own addresses.
                    void* const aligned[] = {reinterpret_cast<void*>(16), reinterpret_cast<void*>(16),
                                             reinterpret_cast<void*>(16)};
                    return static_cast<long>(
                        kernels::workspace_bytes(convolution_of<kernels, Direction, T>(sizes, aligned)));
                },
                [](const long* sizes, void* const* pointers, starter& start) {
                    auto args = convolution_of<kernels, Direction, T>(sizes, pointers);
                    if constexpr (Direction == convolution_direction::backward_weight)
                        args.workspace = {pointers[3], kernels::workspace_bytes(args)};
                    start = on_stream([args](const gpu_device& device) { return launch(device, kernels{}, args); });
                    return status();
                }});
}

} // namespace gpu_library
