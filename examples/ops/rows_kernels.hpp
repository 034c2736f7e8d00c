#pragma once

// The kernels of rows.cpp's operations for one target and element type, on whatever device.

#include "rows_problem.hpp"

#include <tegula/arch/target.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/normalization.hpp>

namespace ops_example {

template <class Target, class T>
struct row_kernels
{
    template <class U>
    static tegula::tensor_argument<U> tensor(const row_problem& p, U* data)
    {
        tegula::tensor_argument<U> x{data, static_cast<int>(p.lengths.size())};
        for (int i = 0; i < x.rank; ++i) {
            x.lengths[i] = p.lengths[static_cast<std::size_t>(i)];
            x.strides[i] = p.strides[static_cast<std::size_t>(i)];
        }
        return x;
    }
    /// A number for each element of a row.
    static tegula::tensor_argument<const T> of_row(const row_problem& p, const T* data)
    {
        if (data == nullptr)
            return {};
        return tegula::make_tensor_argument(data, {p.lengths[static_cast<std::size_t>(p.axis)]});
    }

    using tiles = tegula::few_row_tiles_for<Target, tegula::row_vector<T, float>>;

    template <tegula::softmax_form Form, class Device>
    static tegula::status softmax(Device& device, const row_problem& p, const addresses& at)
    {
        return tegula::launch(device, tegula::softmax_kernels<tiles, Form>{},
                              tegula::softmax_arguments<T, float>{tensor(p, at.get<const T>(p.in)),
                                                                  tensor(p, at.get<float>(p.out)), p.axis});
    }
    template <tegula::norm_kind Kind, class Device>
    static tegula::status norm(Device& device, const row_problem& p, const addresses& at)
    {
        tegula::norm_arguments<T, float> a;
        a.x = tensor(p, at.get<const T>(p.in));
        a.y = tensor(p, at.get<float>(p.out));
        a.axis = p.axis;
        a.epsilon = p.eps;
        if (p.residual != problem::none) {
            a.residual = tensor(p, at.get<const T>(p.residual));
            a.sum = tensor(p, at.get<T>(p.sum));
        }
        a.weight = of_row(p, at.get<const T>(p.weight));
        a.bias = of_row(p, at.get<const T>(p.bias));
        return tegula::launch(device, tegula::norm_kernels<tiles, Kind>{}, a);
    }
    template <class Device>
    static tegula::status cross_entropy(Device& device, const row_problem& p, const addresses& at)
    {
        tegula::cross_entropy_arguments<T, float> a;
        a.x = tensor(p, at.get<const T>(p.in));
        a.axis = p.axis;
        a.labels = at.get<const long_index_t>(p.labels);
        a.losses = at.get<float>(p.out);
        return tegula::launch(device, tegula::cross_entropy_kernels<tiles>{}, a);
    }
    template <class Device>
    static tegula::status topk_softmax(Device& device, const row_problem& p, const addresses& at)
    {
        tegula::topk_softmax_arguments<T> a;
        a.x = tensor(p, at.get<const T>(p.in));
        a.axis = p.axis;
        a.k = p.k;
        a.weights = at.get<float>(p.out);
        a.indices = at.get<long_index_t>(p.indices);
        return tegula::launch(device, tegula::topk_softmax_kernels<tiles>{}, a);
    }

    template <class Device>
    static tegula::status launch(Device& device, const row_problem& p, const addresses& at)
    {
        switch (p.operation) {
        case row_operation::softmax:
            return softmax<tegula::softmax_form::softmax>(device, p, at);
        case row_operation::log_softmax:
            return softmax<tegula::softmax_form::log_softmax>(device, p, at);
        case row_operation::layernorm:
            return norm<tegula::norm_kind::layer>(device, p, at);
        case row_operation::rmsnorm:
            return norm<tegula::norm_kind::rms>(device, p, at);
        case row_operation::cross_entropy:
            return cross_entropy(device, p, at);
        default:
            return topk_softmax(device, p, at);
        }
    }
};

} // namespace ops_example
