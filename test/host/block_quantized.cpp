#include <tegula/host/block_quantized.hpp>

#include "test/catch.hpp"

#include <random>

using namespace tegula;

namespace {

std::vector<float> numbers(long_index_t count, unsigned seed)
{
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> x(static_cast<std::size_t>(count));
    for (float& v : x)
        v = std::ldexp(normal(random), static_cast<int>(random() % 20) - 10);
    return x;
}

} // namespace

TEMPLATE_TEST_CASE("a matrix in Microscaling blocks is as near as its elements allow", "[host]", float4_e2m1,
                   float6_e2m3, float6_e3m2, float8_e4m3, float8_e5m2)
{
    for (long_index_t k : {1, 31, 32, 33, 200}) {
        const long_index_t rows = 7;
        const std::vector<float> x = numbers(rows * k, static_cast<unsigned>(k));
        block_quantized<TestType, float8_e8m0> q;
        REQUIRE(quantize_mx<TestType>(x, rows, k, q, mx_rule::ceil).ok());
        REQUIRE(static_cast<long_index_t>(q.scales.size()) == rows * ((k + 31) / 32));
        REQUIRE(static_cast<long_index_t>(q.values.size()) * 8 >= rows * k * TestType::format::width);
        for (long_index_t r = 0; r < rows; ++r)
            for (long_index_t i = 0; i < k; ++i) {
                const double v = static_cast<double>(x[static_cast<std::size_t>(r * k + i)]);
                const double scale = static_cast<double>(q.scale(r, i));
                // Half a step: of the number's own binade, or of the subnormals.
                const int m = TestType::format::mantissa_bits, least = 1 - TestType::format::bias;
                int exponent = 0;
                std::frexp(v / scale, &exponent);
                const double step = std::ldexp(scale, std::max(exponent - 1, least) - m);
                INFO("row " << r << ", " << i << ": " << v << " became " << q.value(r, i));
                REQUIRE(std::fabs(q.value(r, i) - v) <= step / 2 * (1 + 1e-12));
            }
    }
}

TEST_CASE("elements of 4 bits lie two in a byte, the first in the low half; scales lie in atoms", "[host]")
{
    const std::vector<float> x = {6, -0.5f, 1, 0, 3}; // the scale is 1
    block_quantized<float4_e2m1, float8_e8m0> q;
    REQUIRE(quantize_mx<float4_e2m1>(x, 1, 5, q).ok());
    REQUIRE(q.scales[0].exponent() == 0);
    REQUIRE(q.values == std::vector<std::byte>{std::byte{0x97}, std::byte{0x02}, std::byte{0x05}});
    const auto atoms = q.scale_atoms();
    REQUIRE(atoms.size() == 512);
    REQUIRE(atoms[0] == q.scales[0]);
    REQUIRE(atoms[1].bits == 0);
}

TEST_CASE("NVFP4 keeps what its two scales and 4 bits can", "[host]")
{
    const std::vector<float> x = numbers(5 * 40, 3);
    block_quantized<float4_e2m1, float8_ue4m3> q;
    REQUIRE(quantize_nvfp4(x, 5, 40, q).ok());
    REQUIRE(q.block == 16);
    REQUIRE(q.scales.size() == 15);
    for (long_index_t r = 0; r < 5; ++r)
        for (long_index_t i = 0; i < 40; ++i) {
            const double unit = static_cast<double>(q.scale(r, i)) * static_cast<double>(q.tensor_scale);
            // Steps are at most 2 units wide; a block's scale may be rounded down by 1/16, below the subnormals to 0.
            REQUIRE(std::fabs(q.value(r, i) - static_cast<double>(x[static_cast<std::size_t>(r * 40 + i)])) <=
                    1.5 * unit + 6 * 0x1p-10 * static_cast<double>(q.tensor_scale));
        }
}

TEST_CASE("what cannot be quantised is refused with a sentence, or said by a scale", "[host]")
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> x(64, 1.0f);
    x[40] = nan;
    block_quantized<float8_e4m3, float8_e8m0> mx;
    REQUIRE(quantize_mx<float8_e4m3>(x, 1, 64, mx).ok());
    REQUIRE_FALSE(mx.scales[0].is_nan());
    REQUIRE(mx.scales[1].is_nan());
    block_quantized<float4_e2m1, float8_ue4m3> fp4;
    const status refused = quantize_nvfp4(x, 1, 64, fp4);
    REQUIRE_FALSE(refused.ok());
    REQUIRE(std::string(refused.message()).find("NaN") != std::string::npos);
    REQUIRE(fp4.rows == 0);
    const status short_of = quantize_mx<float8_e4m3>(x, 3, 64, mx);
    REQUIRE(std::string(short_of.message()).find("192 numbers, but 64") != std::string::npos);
    REQUIRE(quantize_mx<float8_e4m3>({}, 0, 64, mx).ok());
}

TEST_CASE("NVFP4 of tiny and huge tensors", "[host]")
{
    for (const float size : {1e-37f, 1e-36f, 1e-30f, 1e-20f, 1.0f, 1e30f, 3e38f}) {
        block_quantized<float4_e2m1, float8_ue4m3> q;
        REQUIRE(quantize_nvfp4(std::vector<float>(32, size), 1, 32, q).ok());
        INFO(size << ": " << q.value(0, 0));
        CHECK(q.tensor_scale >= 0x1p-126f);
        CHECK(std::fabs(q.value(0, 0) / static_cast<double>(size) - 1) < 1.0 / 16); // the block's scale has 3 bits
        for (const float other : {q.tensor_scale, 1.0f, 0x1p-126f, 0x1p116f}) {
            const nvfp4_product_scale of(q.tensor_scale, other);
            const double exact = static_cast<double>(q.tensor_scale) * static_cast<double>(other);
            CHECK(of.tensor_scale >= 0x1p-126f);
            CHECK(of.tensor_scale <= 0x1p107f);
            if (exact >= 0x1p-226) // smaller ones leave no result: 2^53 is the largest sum
                CHECK(std::fabs(static_cast<double>(of.tensor_scale) * static_cast<double>(of.of_alpha) / exact - 1) <
                      1e-7);
        }
    }
    CHECK(nvfp4_product_scale(0.25f, 0.5f).tensor_scale == 0.125f);
    CHECK(nvfp4_product_scale(0.25f, 0.5f).of_alpha == 1);
}

TEST_CASE("the examples of docs/formats.md", "[host]")
{
    const float largest = 7; // of a block of 32
    static_assert(mx_scale<float4_e2m1>(7.0f).exponent() == 0);
    static_assert(mx_scale<float4_e2m1>(7.0f, mx_rule::ceil).exponent() == 1);
    const float8_e8m0 scale = mx_scale<float4_e2m1>(largest);
    const float4_e2m1 element = mx_element<float4_e2m1>(2.4f, scale); // 2, as 2 and 3 are neighbours
    REQUIRE(static_cast<float>(element) == 2.0f);

    const float tensor_scale = nvfp4_tensor_scale(2688 * 0.01f); // of the tensor's largest magnitude
    const float8_ue4m3 block_scale = nvfp4_scale(0.6f, tensor_scale);
    const float4_e2m1 small = nvfp4_element(-0.3f, block_scale, tensor_scale);
    REQUIRE(static_cast<float>(block_scale) == 10.0f);
    REQUIRE(static_cast<float>(small) == -3.0f);

    const long_index_t rows = 2, k = 40;
    const std::vector<float> values = numbers(rows * k, 1);
    block_quantized<float4_e2m1, float8_e8m0> quantized;
    const status done = quantize_mx<float4_e2m1>(values, rows, k, quantized);
    const double back = quantized.value(1, 33); // element * scale, exactly
    REQUIRE(done.ok());
    REQUIRE(std::fabs(back - static_cast<double>(values[73])) <= static_cast<double>(quantized.scale(1, 33)) * 2);
}
