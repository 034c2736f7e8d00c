/// reference_convolution, to which the tests of all convolution kernels compare, against oneDNN: forward, the gradient of
/// the input, the gradient of the filters, in two and three dimensions.

#include <tegula/reference/convolution.hpp>
#include <tegula/reference/random.hpp>

#include "test/onednn/primitives.hpp"

using namespace tegula;
using namespace tegula::test;
using enum convolution_direction;

namespace {

using dims = dnnl::memory::dims;

/// Images [image, position..., channel] as oneDNN sees them: [image, channel, position...].
template <int Dims>
onednn_array images_of(long_index_t images, long_index_t channels, const array<long_index_t, Dims>& lengths)
{
    dims all{images, channels}, strides{convolution_shape<Dims>::volume(lengths) * channels, 1};
    long_index_t stride = strides[0];
    for (int d = 0; d < Dims; ++d) {
        stride /= lengths[d];
        all.push_back(lengths[d]), strides.push_back(stride);
    }
    return {all, strides};
}

/// Filters [filter, tap..., channel of the group], seen as [group, filter, channel, tap...].
template <int Dims>
onednn_array filters_of(const convolution_shape<Dims>& s)
{
    const long_index_t channels = s.group_channels(), whole = s.taps() * channels;
    dims all{s.groups, s.group_filters(), channels}, strides{s.group_filters() * whole, whole, 1};
    long_index_t stride = whole;
    for (int d = 0; d < Dims; ++d) {
        stride /= s.filter[d];
        all.push_back(s.filter[d]), strides.push_back(stride);
    }
    return {all, strides};
}

/// Values that are exact in both kinds.
std::vector<double> fill(onednn_array& x, std::uint64_t seed)
{
    random_source random(seed);
    for (float& v : x.values)
        v = static_cast<float>(random.uniform(-1, 1));
    return {x.values.begin(), x.values.end()};
}

template <int Dims>
void check(const convolution_shape<Dims>& s)
{
    const auto list = [](const array<long_index_t, Dims>& x, long_index_t less = 0) {
        dims l;
        for (const long_index_t v : x)
            l.push_back(v - less);
        return l;
    };
    const dims strides = list(s.stride), dilates = list(s.dilation, 1), padding = list(s.padding);
    onednn_array x = images_of<Dims>(s.images, s.channels, s.image), y = images_of<Dims>(s.images, s.filters, s.output),
                 w = filters_of(s), dx = x, dw = w;
    constexpr auto direct = dnnl::algorithm::convolution_direct;
    const auto& on = onednn_engine();
    using from = dnnl::convolution_forward;
    const from::primitive_desc forward_plan(from::desc(dnnl::prop_kind::forward_training, direct, x.layout, w.layout,
                                                       y.layout, strides, dilates, padding, padding),
                                            on);
    using data = dnnl::convolution_backward_data;
    const data::primitive_desc data_plan(
        data::desc(direct, x.layout, w.layout, y.layout, strides, dilates, padding, padding), on, forward_plan);
    using weights = dnnl::convolution_backward_weights;
    const weights::primitive_desc weights_plan(
        weights::desc(direct, x.layout, w.layout, y.layout, strides, dilates, padding, padding), on, forward_plan);

    const auto pixels = fill(x, 1), filters = fill(w, 2);
    run_onednn(from(forward_plan), {{DNNL_ARG_SRC, &x}, {DNNL_ARG_WEIGHTS, &w}, {DNNL_ARG_DST, &y}});
    const convolution_result output = reference_convolution(forward, s, pixels, filters);
    CHECK(agrees(y.values, output.values, output.magnitudes, 1e-5));

    const auto slopes = fill(y, 3);
    run_onednn(data(data_plan), {{DNNL_ARG_DIFF_DST, &y}, {DNNL_ARG_WEIGHTS, &w}, {DNNL_ARG_DIFF_SRC, &dx}});
    const convolution_result of_input = reference_convolution(backward_data, s, slopes, filters);
    CHECK(agrees(dx.values, of_input.values, of_input.magnitudes, 1e-5));

    run_onednn(weights(weights_plan), {{DNNL_ARG_DIFF_DST, &y}, {DNNL_ARG_SRC, &x}, {DNNL_ARG_DIFF_WEIGHTS, &dw}});
    const convolution_result of_filters = reference_convolution(backward_weight, s, pixels, slopes);
    CHECK(agrees(dw.values, of_filters.values, of_filters.magnitudes, 1e-5));
}

} // namespace

TEST_CASE("convolutions of oneDNN are those of the reference")
{
    for (const long_index_t stride : {1, 2, 3})
        for (const long_index_t dilation : {1, 2})
            for (const long_index_t groups : {1, 3}) {
                INFO("stride " << stride << ", dilation " << dilation << ", groups " << groups);
                convolution_shape<2> s{2, 6, 9, groups, {9, 12}, {3, 2}, {0, 0}, {stride, 2}, {1, 2}, {dilation, 1}};
                s.output = output_lengths(s);
                check(s);
                convolution_shape<3> volume{
                    1, 3, 6, groups, {5, 6, 7}, {2, 3, 3}, {0, 0}, {1, stride, 2}, {1, 0, 2}, {1, 2, dilation}};
                volume.output = output_lengths(volume);
                check(volume);
            }
}
