/// The formulas for rows, to which the tests of their kernels compare, and pooling on the emulator, against oneDNN.

#include <tegula/host/emulated_device.hpp>
#include <tegula/reduction.hpp>
#include <tegula/reference/random.hpp>
#include <tegula/reference/rows.hpp>

#include "test/onednn/primitives.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {

constexpr long rows = 5, length = 301;

onednn_array random_rows(std::uint64_t seed, double scale)
{
    onednn_array x({rows, length}, {length, 1});
    random_source random(seed);
    for (float& v : x.values)
        v = static_cast<float>(random.uniform(-scale, scale));
    return x;
}
row_of_doubles row_of(const onednn_array& x, long row)
{
    const auto first = x.values.begin() + row * length;
    return {first, first + length};
}

} // namespace

TEST_CASE("softmax of oneDNN is that of the reference")
{
    onednn_array x = random_rows(1, 9), y = x;
    using primitive = dnnl::softmax_forward;
    run_onednn(primitive(primitive::primitive_desc(primitive::desc(dnnl::prop_kind::forward_inference, x.layout, 1),
                                                   onednn_engine())),
               {{DNNL_ARG_SRC, &x}, {DNNL_ARG_DST, &y}});
    for (long row = 0; row < rows; ++row) {
        const row_of_doubles exact = reference_softmax(row_of(x, row));
        CHECK(agrees({y.values.data() + row * length, length}, exact, exact, 1e-5));
    }
    using logarithm = dnnl::logsoftmax_forward;
    run_onednn(logarithm(logarithm::primitive_desc(logarithm::desc(dnnl::prop_kind::forward_inference, x.layout, 1),
                                                   onednn_engine())),
               {{DNNL_ARG_SRC, &x}, {DNNL_ARG_DST, &y}});
    for (long row = 0; row < rows; ++row) {
        const row_of_doubles exact = reference_softmax(row_of(x, row), true), size(length, 30.0);
        CHECK(agrees({y.values.data() + row * length, length}, exact, size, 1e-6));
    }
}

TEST_CASE("layer norm of oneDNN is that of the reference")
{
    onednn_array x = random_rows(1, 3), y = x, factors({2, length}, {length, 1});
    random_source random(2);
    for (float& v : factors.values)
        v = static_cast<float>(random.uniform(-2, 2));
    const row_of_doubles weight = row_of(factors, 0), bias = row_of(factors, 1);
    using primitive = dnnl::layer_normalization_forward;
    run_onednn(primitive(primitive::primitive_desc(primitive::desc(dnnl::prop_kind::forward_inference, x.layout, 1e-5f,
                                                                   dnnl::normalization_flags::use_scale_shift),
                                                   onednn_engine())),
               {{DNNL_ARG_SRC, &x}, {DNNL_ARG_SCALE_SHIFT, &factors}, {DNNL_ARG_DST, &y}});
    const row_of_doubles size(length, 8.0);
    for (long row = 0; row < rows; ++row)
        CHECK(agrees({y.values.data() + row * length, length},
                     reference_norm(norm_kind::layer, row_of(x, row), weight, bias, 1e-5), size, 1e-6));
}

TEST_CASE("poolings of oneDNN are those of the kernel")
{
    using dims = dnnl::memory::dims;
    using target = arch::gfx942;
    constexpr index_t images = 2, height = 11, width = 8, channels = 12;
    const struct
    {
        pooling kind;
        bool count_padding;
        dnnl::algorithm algorithm;
    } kinds[] = {{pooling::maximum, false, dnnl::algorithm::pooling_max},
                 {pooling::average, false, dnnl::algorithm::pooling_avg_exclude_padding},
                 {pooling::average, true, dnnl::algorithm::pooling_avg_include_padding}};
    for (const auto& [kind, count_padding, algorithm] : kinds) {
        const index_t high = pooled_length(height, 3, 2, 1), wide = pooled_length(width, 2, 1, 0);
        onednn_array x({images, channels, height, width}, {height * width * channels, 1, width * channels, channels}),
            y({images, channels, high, wide}, {high * wide * channels, 1, wide * channels, channels});
        random_source random(1);
        for (float& v : x.values)
            v = static_cast<float>(random.uniform(-1, 1));
        using primitive = dnnl::pooling_forward;
        run_onednn(primitive(primitive::primitive_desc(primitive::desc(dnnl::prop_kind::forward_inference, algorithm,
                                                                       x.layout, y.layout, dims{2, 1}, dims{3, 2},
                                                                       dims{1, 0}, dims{1, 0}),
                                                       onednn_engine())),
                   {{DNNL_ARG_SRC, &x}, {DNNL_ARG_DST, &y}});

        std::vector<float> own(y.values.size(), -7);
        pooling_arguments<float> args{kind};
        args.input = make_tensor_argument<const float>(x.values.data(), {images, height, width, channels});
        args.output = make_tensor_argument(own.data(), {images, high, wide, channels});
        args.window[0] = 3, args.window[1] = 2;
        args.stride[0] = 2, args.stride[1] = 1;
        args.padding[0] = 1, args.padding[1] = 0;
        args.count_padding = count_padding;
        emulated_device device;
        REQUIRE(launch(device, pooling_kernels<target>{}, args).ok());
        const row_of_doubles exact(own.begin(), own.end()), size(own.size(), 1.0);
        CHECK(agrees(y.values, exact, size, 1e-6));
    }
}
