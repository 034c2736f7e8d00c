#pragma once

// Operations on the rows of dense matrices.
//
//   sizes     rows, columns
//   pointers  X, Y, and of "add" the other summand

#include "library/on_stream.hpp"

#include <tegula/host/launch.hpp>
#include <tegula/normalization.hpp>
#include <tegula/reduction.hpp>

namespace gpu_library {

struct add_numbers
{
    TEGULA_INLINE float operator()(float x, float y) const { return x + y; }
};

/// launch(device, X, Y, pointers) for the operation; Y has the shape of X.
template <class T, class Launch>
tegula::status prepare_rows(const long* sizes, void* const* pointers, starter& start, const Launch& launch)
{
    const auto x = tegula::make_tensor_argument(static_cast<const T*>(pointers[0]), {sizes[0], sizes[1]});
    const auto y = tegula::make_tensor_argument(static_cast<T*>(pointers[1]), {sizes[0], sizes[1]});
    const std::vector<void*> all(pointers, pointers + 3);
    start = on_stream([=](const tegula::gpu_device& device) { return launch(device, x, y, all); });
    return {};
}

template <class Tiles, tegula::norm_kind Kind, class T>
tegula::status prepare_norm(const long* sizes, void* const* pointers, starter& start)
{
    return prepare_rows<T>(sizes, pointers, start, [](const auto& device, const auto& x, const auto& y, const auto&) {
        tegula::norm_arguments<T> norm;
        norm.x = x, norm.y = y;
        return tegula::launch(device, tegula::norm_kernels<Tiles, Kind>{}, norm);
    });
}

template <class Target, class T>
bool add_rows(const std::string& type)
{
    using namespace tegula;
    using tiles = row_tiles_for<Target, 16 / static_cast<int>(sizeof(T))>;
    const auto add_one = [&](const char* name, auto prepare) {
        add({std::string(name) + "/" + type, &no_workspace, +prepare});
    };
    add_one("softmax", [](const long* sizes, void* const* pointers, starter& start) {
        return prepare_rows<T>(sizes, pointers, start,
                               [](const auto& device, const auto& x, const auto& y, const auto&) {
                                   return launch(device, softmax_kernels<tiles>{}, softmax_arguments<T>{x, y});
                               });
    });
    add_one("layernorm", &prepare_norm<tiles, norm_kind::layer, T>);
    add_one("rmsnorm", &prepare_norm<tiles, norm_kind::rms, T>);
    add_one("transpose", [](const long* sizes, void* const* pointers, starter& start) {
        using bits = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;
        return prepare_rows<bits>(
            sizes, pointers, start, [](const auto& device, const auto& x, const auto& y, const auto&) {
                permute_arguments<bits> p{x, make_tensor_argument(y.data, {x.lengths[1], x.lengths[0]}), {1, 0}};
                return launch(device, permute_kernels<Target>{}, p);
            });
    });
    add_one("sum_of_rows", [](const long* sizes, void* const* pointers, starter& start) {
        return prepare_rows<T>(sizes, pointers, start,
                               [](const auto& device, const auto& x, const auto& y, const auto&) {
                                   return launch(device, reduction_kernels<Target>{},
                                                 reduction_arguments<fold_reducer<T, plus>, T>{
                                                     {}, x, make_tensor_argument(y.data, {x.lengths[0]}), 2});
                               });
    });
    add_one("add", [](const long* sizes, void* const* pointers, starter& start) {
        return prepare_rows<T>(sizes, pointers, start,
                               [](const auto& device, const auto& x, const auto& y, const auto& pointers) {
                                   auto r = x;
                                   r.data = static_cast<const T*>(pointers[2]);
                                   auto args = make_elementwise_arguments(add_numbers{}, y, x, r);
                                   return launch(device, elementwise_kernels<Target>{}, args);
                               });
    });
    return true;
}

} // namespace gpu_library
