/// Kernels on rows on sm_80: float, fp8 outputs, and moments of numbers far from 0.

#include "test/kernel/normalization/row_range.hpp"

using namespace tegula;
using namespace tegula::test;

namespace {
using target = arch::sm_80;
}

TEST_CASE("rows on sm_80: log-softmax") { check_softmax_shapes<target, float, float, softmax_form::log_softmax>(); }

TEST_CASE("rows on sm_80: layer norm of numbers far from 0")
{
    using tiles = few_row_tiles_for<target, row_vector<float, float>>;
    for (const long_index_t length : {7, 1024, 20000})
        check_norm<target, tiles, norm_kind::layer, float, float>(3, length, false, 1000);
}

TEST_CASE("rows on sm_80: layer norm of a constant whose square is no float")
{
    using tiles = few_row_tiles_for<target, row_vector<float, float>>;
    for (const long_index_t length : {7, 1000, 20003}) { // of the tiles' columns some are past the end
        strided_data<float> x({2, length}), y({2, length}), deviations({2});
        std::fill(x.memory.begin(), x.memory.end(), 0x1p66f);
        norm_arguments<float, float> a;
        a.x = x.input(), a.y = y.tensor, a.inverse_deviation = deviations.tensor.data;
        emulated_device device;
        require_ran(launch(device, norm_kernels<tiles, norm_kind::layer>{}, a), device);
        for (long_index_t r = 0; r < 2; ++r) {
            CHECK(deviations.tensor.data[r] == Approx(1 / std::sqrt(a.epsilon)));
            for (long_index_t i = 0; i < length; ++i)
                REQUIRE(y.tensor.data[r * length + i] == 0);
        }
    }
}

TEST_CASE("rows on sm_80: smoothed, residual added, quantised to fp8")
{
    using tiles = few_row_tiles_for<target, row_vector<half, half>>;
    for (const long_index_t length : {16, 999, 20000})
        check_norm<target, tiles, norm_kind::none, half, float8_e4m3>(3, length, true);
}

TEST_CASE("rows on sm_80: the least row that is quantised")
{
    using tiles = few_row_tiles_for<target, row_vector<float, float>>;
    const auto most = static_cast<float>(number_traits<float8_e4m3>::max());
    strided_data<float> x({2, 16}), scales({2});
    strided_data<float8_e4m3> y({2, 16});
    const float least = most * 0x1p-126f;
    std::fill_n(x.tensor.data, 16, least);
    std::fill_n(x.tensor.data + 16, 16, least * 0.75f); // its scale would be no normal number
    norm_arguments<float, float8_e4m3> a;
    a.x = x.input(), a.y = y.tensor, a.scale = scales.tensor.data;
    emulated_device device;
    require_ran(launch(device, norm_kernels<tiles, norm_kind::none>{}, a), device);
    CHECK(scales.tensor.data[0] == 0x1p-126f);
    CHECK(scales.tensor.data[1] == 0);
    for (long_index_t i = 0; i < 16; ++i) {
        CHECK(convert<float>(y.tensor.data[i]) == most);
        CHECK(convert<float>(y.tensor.data[16 + i]) == 0);
    }
}

TEST_CASE("rows on sm_80: cross-entropy") { check_cross_entropy<target, float>(4, 1003); }

TEST_CASE("rows on sm_80: top-k with softmax") { check_topk_softmax<target, bfloat16>(9, 64, 6, true); }

TEST_CASE("rows on sm_80: gradient of log-softmax")
{
    for (const long_index_t length : {7, 1024, 20000})
        check_softmax_backward<target, float, softmax_form::log_softmax>(3, length, length == 1024);
}

TEST_CASE("rows on sm_80: the whole range of float")
{
    CHECK(check_row_range<target, float>(32, 36, 17000).problems == 36);
}
