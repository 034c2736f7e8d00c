#pragma once

// Losses and gradients of operations on the rows of dense matrices.
//
//   sizes     rows, columns
//   pointers  cross_entropy            x, losses (float), labels (64 bits), log_sum (float)
//             cross_entropy_gradients  x, dx, labels, log_sum
//             softmax_gradients        y, dx, dy
//             layernorm_gradients      x, dx, dy, weight, mean and inverse deviation (float), dweight and dbias (float),
//                                      workspace; and rmsnorm_gradients, which reads no mean and has no dbias

#include "library/on_stream.hpp"

#include <tegula/host/launch.hpp>
#include <tegula/normalization.hpp>

namespace gpu_library {

template <class T>
tegula::tensor_argument<T> rows_at(T* data, const long* sizes)
{
    return tegula::make_tensor_argument(data, {sizes[0], sizes[1]});
}

template <class Target, class T>
bool add_losses(const std::string& type)
{
    using namespace tegula;
    using tiles = row_tiles_for<Target, 16 / static_cast<int>(sizeof(T))>;
    static constexpr auto loss_of = [](const long* sizes, void* const* pointers) {
        cross_entropy_arguments<T> loss;
        loss.x = rows_at(static_cast<const T*>(pointers[0]), sizes);
        loss.labels = static_cast<const long_index_t*>(pointers[2]);
        loss.log_sum = static_cast<float*>(pointers[3]);
        return loss;
    };
    add({"cross_entropy/" + type, &no_workspace, [](const long* sizes, void* const* pointers, starter& start) {
             auto loss = loss_of(sizes, pointers);
             loss.losses = static_cast<float*>(pointers[1]);
             start = on_stream(
                 [loss](const gpu_device& device) { return launch(device, cross_entropy_kernels<tiles>{}, loss); });
             return status();
         }});
    return add({"cross_entropy_gradients/" + type, &no_workspace,
                [](const long* sizes, void* const* pointers, starter& start) {
                    auto loss = loss_of(sizes, pointers);
                    loss.dx = rows_at(static_cast<T*>(pointers[1]), sizes);
                    start = on_stream([loss](const gpu_device& device) {
                        return launch(device, cross_entropy_backward_kernels<tiles>{}, loss);
                    });
                    return status();
                }});
}

template <class Target, class T>
bool add_softmax_gradients(const std::string& type)
{
    using namespace tegula;
    using tiles = row_tiles_for<Target, 16 / static_cast<int>(sizeof(T))>;
    return add(
        {"softmax_gradients/" + type, &no_workspace, [](const long* sizes, void* const* pointers, starter& start) {
             const softmax_backward_arguments<T> args{rows_at(static_cast<const T*>(pointers[2]), sizes),
                                                      rows_at(static_cast<const T*>(pointers[0]), sizes),
                                                      rows_at(static_cast<T*>(pointers[1]), sizes)};
             start = on_stream(
                 [args](const gpu_device& device) { return launch(device, softmax_backward_kernels<tiles>{}, args); });
             return status();
         }});
}

template <class Target, class T, tegula::norm_kind Kind>
bool add_norm_gradients(const std::string& type)
{
    using namespace tegula;
    using tiles = row_tiles_for<Target, 16 / static_cast<int>(sizeof(T))>;
    static constexpr bool has_mean = Kind == norm_kind::layer;
    static constexpr auto arguments_of = [](const long* sizes, void* const* pointers) {
        const auto floats = [&](int i) { return pointers == nullptr ? nullptr : static_cast<float*>(pointers[i]); };
        const auto rows = [&](int i) { return pointers == nullptr ? nullptr : static_cast<T*>(pointers[i]); };
        norm_backward_arguments<T> a;
        a.x = rows_at(static_cast<const T*>(rows(0)), sizes);
        a.dx = rows_at(rows(1), sizes);
        a.dy = rows_at(static_cast<const T*>(rows(2)), sizes);
        a.weight = make_tensor_argument(static_cast<const T*>(rows(3)), {sizes[1]});
        a.mean = has_mean ? floats(4) : nullptr, a.inverse_deviation = floats(5);
        a.dweight = floats(6), a.dbias = has_mean ? floats(7) : nullptr, a.workspace = floats(8);
        return a;
    };
    return add({std::string(has_mean ? "layernorm" : "rmsnorm") + "_gradients/" + type,
                [](const long* sizes) {
                    return static_cast<long>(norm_workspace_size(arguments_of(sizes, nullptr)) *
                                             long_index_t{sizeof(float)});
                },
                [](const long* sizes, void* const* pointers, starter& start) {
                    const auto args = arguments_of(sizes, pointers);
                    start = on_stream([args](const gpu_device& device) {
                        return launch(device, norm_backward_kernels<tiles, strip_tile_for<Target>, Kind>{}, args);
                    });
                    return status();
                }});
}

} // namespace gpu_library
