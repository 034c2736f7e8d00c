#pragma once

// The kernels of shapes.cpp's operations for one target and element type, on whatever device: few of
// each operation, as there is one unit for each target.

#include "shapes_problem.hpp"

#include <tegula/arch/target.hpp>
#include <tegula/host/launch.hpp>
#include <tegula/reduction.hpp>

namespace ops_example {

template <class Target, class T>
struct shape_kernels
{
    static constexpr auto choice = tegula::kernel_choice::few;
    using chosen = tegula::chosen_operation;

    template <class U>
    static tegula::tensor_argument<U> tensor(const std::vector<long_index_t>& lengths, U* data)
    {
        tegula::tensor_argument<U> x{data, static_cast<int>(lengths.size())};
        long_index_t stride = 1;
        for (int i = x.rank - 1; i >= 0; --i) {
            x.lengths[i] = lengths[static_cast<std::size_t>(i)];
            x.strides[i] = stride;
            stride *= x.lengths[i];
        }
        return x;
    }

    // Kernels that only move elements move bits of any type: f16 and bf16 share them.
    using word = std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>;

    template <class Device>
    static tegula::status permute(Device& device, const shape_problem& p, const addresses& at)
    {
        tegula::permute_arguments<word> args{tensor(p.in_lengths, at.get<const word>(p.in)),
                                             tensor(p.out_lengths, at.get<word>(p.out))};
        for (std::size_t i = 0; i < p.order.size(); ++i)
            args.order[i] = p.order[i];
        return tegula::launch(device, tegula::permute_kernels<Target>{}, args);
    }

    template <class Device>
    static tegula::status launch(Device& device, const shape_problem& p, const addresses& at)
    {
        const auto in = tensor(p.in_lengths, at.get<const T>(p.in));
        const auto out = [&](auto tag) { return tensor(p.out_lengths, at.get<typename decltype(tag)::type>(p.out)); };
        using tegula::type_tag;
        void* const workspace = at.get<void>(p.workspace);
        switch (p.operation) {
        case shape_operation::reduce:
            return tegula::launch(device, tegula::reduction_kernels<Target, choice>{},
                                  tegula::reduction_arguments<tegula::fold_reducer<T, chosen>, float>{
                                      {{p.op}, p.mean}, in, out(type_tag<float>{}), p.axes, workspace});
        case shape_operation::arg_reduce:
            return tegula::launch(device, tegula::reduction_kernels<Target, choice>{},
                                  tegula::reduction_arguments<tegula::arg_reducer<T>, long_index_t>{
                                      {p.smallest}, in, out(type_tag<long_index_t>{}), p.axes, workspace});
        case shape_operation::scan:
            return tegula::launch(device, tegula::scan_kernels<Target, choice>{},
                                  tegula::scan_arguments<T, chosen, float>{
                                      {p.op}, in, out(type_tag<float>{}), p.axis, p.exclusive, workspace});
        case shape_operation::permute:
            return permute(device, p, at);
        case shape_operation::topk:
            return tegula::launch(device, tegula::topk_kernels<Target>{},
                                  tegula::topk_arguments<T>{in, out(type_tag<T>{}),
                                                            tensor(p.out_lengths, at.get<long_index_t>(p.indices)),
                                                            p.axis});
        case shape_operation::gather:
            return tegula::launch(device, tegula::gather_kernels<Target, choice>{},
                                  tegula::gather_arguments<word, long_index_t>{
                                      tensor(p.in_lengths, at.get<const word>(p.in)),
                                      tensor(p.other_lengths, at.get<const long_index_t>(p.indices)),
                                      out(type_tag<word>{})});
        case shape_operation::rope:
            return tegula::launch(
                device, tegula::rotary_kernels<Target>{},
                tegula::rotary_arguments<T>{in, out(type_tag<T>{}),
                                            tensor(p.other_lengths, at.get<const long_index_t>(p.indices)),
                                            at.get<const std::uint64_t>(p.turns)});
        }
        return {};
    }
};

} // namespace ops_example
