// How the kernels of test/device/shape_ops.cpp and shape_reductions.cpp are started.

#include "launches.hpp"

#include <tegula/reduction.hpp>

namespace tegula {

struct add // of shape_ops.cpp
{
    TEGULA_INLINE float operator()(float x, float y) const { return x + y; }
};

namespace {

/// One kernel has the name; another would be a case that the launcher's choice does not reach.
template <class Kernel>
struct of_function
{
    template <class Chosen>
    static std::string symbol()
    {
        return std::is_same_v<Kernel, Chosen> ? symbol_of_function(name()) : "not the kernel that is compiled";
    }
    static std::string& name()
    {
        static std::string kept;
        return kept;
    }
};

template <class Kernel>
recorder<of_function<Kernel>> device_of(const char* target, const char* source, const char* name)
{
    of_function<Kernel>::name() = name;
    return {target, source, name};
}

template <class T>
tensor_argument<T> tensor(int number, std::initializer_list<long_index_t> lengths)
{
    return make_tensor_argument(array_address<T>(number), lengths);
}

template <class Target>
void record_moves()
{
    const char* const target = Target::chip().name;
    using rows = elementwise_kernel<Target, add, tuple<half>, tuple<half, half>, 8>;
    using elements = elementwise_kernel<Target, add, tuple<half>, tuple<half, half>, 1>;
    auto a = device_of<rows>(target, "shape_ops", "add_rows");
    auto sum = make_elementwise_arguments(add{}, tensor<half>(0, {40, 88}), tensor<const half>(1, {40, 88}),
                                          tensor<const half>(2, {88}));
    using sums = elementwise_kernels<Target>;
    must(launch(a, sums{}, sum));
    auto b = device_of<elements>(target, "shape_ops", "add_elements");
    sum = make_elementwise_arguments(add{}, tensor<half>(0, {40, 87}), tensor<const half>(1, {40, 87}),
                                     tensor<const half>(2, {40, 1}));
    must(launch(b, sums{}, sum));
    auto c = device_of<permute_kernel<Target, std::uint16_t, true>>(target, "shape_ops", "turn_halves");
    must(launch(c, permute_kernels<Target>{},
                permute_arguments<std::uint16_t>{
                    tensor<const std::uint16_t>(0, {3, 72, 104}), tensor<std::uint16_t>(1, {3, 104, 72}), {0, 2, 1}}));
    auto d = device_of<permute_kernel<Target, std::uint32_t, false>>(target, "shape_ops", "turn_elements");
    must(launch(d, permute_kernels<Target>{},
                permute_arguments<std::uint32_t>{
                    tensor<const std::uint32_t>(0, {5, 67, 3}), tensor<std::uint32_t>(1, {3, 67, 5}), {2, 1, 0}}));
    auto e = device_of<gather_kernel<Target, half, std::int64_t, reduce_layout::wave, 8>>(target, "shape_ops",
                                                                                          "gather_rows");
    must(launch(e, gather_kernels<Target>{},
                gather_arguments<half, std::int64_t>{tensor<const half>(0, {20, 1024}),
                                                     tensor<const std::int64_t>(1, {13}), tensor<half>(2, {13, 1024}),
                                                     array_address<int>(3)}));
    auto f = device_of<elementwise_kernel<Target, rotate_pair, tuple<float, float>,
                                          tuple<float, float, long_index_t, std::uint64_t>, 4>>(target, "shape_ops",
                                                                                                "rotate");
    must(launch(f, rotary_kernels<Target>{},
                rotary_arguments<float>{tensor<const float>(0, {3, 7, 64}), tensor<float>(1, {3, 7, 64}),
                                        tensor<const long_index_t>(2, {7}), array_address<std::uint64_t>(3)}));
    auto g = device_of<pooling_kernel<Target, bfloat16, 8>>(target, "shape_ops", "pool");
    pooling_arguments<bfloat16> pool;
    pool.input = tensor<const bfloat16>(0, {2, 9, 11, 16}), pool.output = tensor<bfloat16>(1, {2, 5, 6, 16});
    pool.window[0] = pool.window[1] = 3, pool.stride[0] = pool.stride[1] = 2, pool.padding[0] = pool.padding[1] = 1;
    must(launch(g, pooling_kernels<Target>{}, pool));
}

template <class Target>
void record_reductions()
{
    const char* const target = Target::chip().name;
    const auto sums = [&](auto device, std::initializer_list<long_index_t> in, std::initializer_list<long_index_t> out,
                          unsigned axes) {
        must(launch(device, reduction_kernels<Target>{},
                    reduction_arguments<fold_reducer<half, plus>, half>{
                        {}, tensor<const half>(0, in), tensor<half>(1, out), axes}));
    };
    sums(device_of<reduce_kernel<Target, fold_reducer<half, plus>, half, reduce_layout::block, 8>>(
             target, "shape_reductions", "sum_of_rows"),
         {3, 20000}, {3}, 2);
    sums(device_of<reduce_kernel<Target, fold_reducer<half, plus>, half, reduce_layout::across, 8>>(
             target, "shape_reductions", "sum_of_columns"),
         {61, 520}, {520}, 1);
    auto c = device_of<reduce_kernel<Target, arg_reducer<float>, long_index_t, reduce_layout::wave, 4>>(
        target, "shape_reductions", "largest_of_rows");
    must(launch(c, reduction_kernels<Target>{},
                reduction_arguments<arg_reducer<float>, long_index_t>{
                    {}, tensor<const float>(0, {7, 500}), tensor<long_index_t>(1, {7}), 2}));
    auto d = device_of<scan_kernel<Target, half, plus, half, reduce_layout::block, 8>>(target, "shape_reductions",
                                                                                       "scan_rows");
    scan_arguments<half, plus, half> scan;
    scan.input = tensor<const half>(0, {2, 5000}), scan.output = tensor<half>(1, {2, 5000});
    must(launch(d, scan_kernels<Target>{}, scan));
    auto e = device_of<topk_kernel<Target, half, 8>>(target, "shape_reductions", "topk");
    must(launch(e, topk_kernels<Target>{},
                topk_arguments<half>{tensor<const half>(0, {2, 3000}), tensor<half>(1, {2, 520}),
                                     tensor<long_index_t>(2, {2, 520})})); // in two launches
}

} // namespace

void record_shapes()
{
    record_moves<arch::gfx942>(), record_moves<arch::gfx1100>(), record_moves<arch::sm_80>();
    record_reductions<arch::gfx942>(), record_reductions<arch::gfx1201>(), record_reductions<arch::sm_80>();
}

} // namespace tegula
