// Formats of scales and blocks of elements with a scale, against the definitions in arithmetic of doubles.

#include "float_oracle.hpp"

#include <tegula/core/block_scale.hpp>

using namespace tegula;

namespace {

/// The value of T nearest to x, the one with an even pattern where two are, by looking at all.
template <class T>
std::uint32_t nearest_pattern(double x)
{
    std::uint32_t best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t pattern = 0; pattern <= T::format::max_bits; ++pattern) {
        const double distance = std::fabs(std::fabs(x) - static_cast<double>(T::from_bits(pattern)));
        if (distance < least || (distance == least && pattern % 2 == 0)) {
            best = pattern;
            least = distance;
        }
    }
    return best | (std::signbit(x) ? T::format::sign_bit : 0);
}

std::vector<float> magnitudes()
{
    std::vector<float> values = {0x1p-149f, 0x1p-127f, 0x1.8p-127f, 0x1p-126f, 0x1.fffffep127f};
    for (int e = -149; e < 128; ++e)
        for (float m :
             {1.0f, 1.0f + 0x1p-22f, 1.25f, 1.5f, 1.5f + 0x1p-22f, 1.75f, 1.75f + 0x1p-22f, 1.875f, 2 - 0x1p-22f})
            if (std::ldexp(m, e) > 0 && std::isfinite(std::ldexp(m, e)))
                values.push_back(std::ldexp(m, e));
    return values;
}

} // namespace

TEST_CASE("a scale of 8 exponent bits is the neighbouring power of two", "[core]")
{
    for (int bits = 0; bits < 255; ++bits) {
        const auto scale = float8_e8m0::from_bits(static_cast<std::uint32_t>(bits));
        const double value = std::ldexp(1.0, bits - 127);
        REQUIRE(static_cast<double>(scale) == value);
        for (scale_rounding r : {scale_rounding::up, scale_rounding::down})
            REQUIRE(float8_e8m0(static_cast<float>(scale), r) == scale);
        REQUIRE(float8_e8m0::power(bits - 127) == scale);
    }
    REQUIRE(std::isnan(static_cast<float>(float8_e8m0::from_bits(255))));
    for (float x : magnitudes()) {
        INFO(x);
        const double up = static_cast<double>(float8_e8m0(x, scale_rounding::up));
        const double down = static_cast<double>(float8_e8m0(x, scale_rounding::down));
        REQUIRE((up >= x || up == 0x1p127));
        REQUIRE((up / 2 < x || up == 0x1p-127));
        REQUIRE((down <= x || down == 0x1p-127));
        REQUIRE(down * 2 > x);
    }
    const float infinity = std::numeric_limits<float>::infinity();
    REQUIRE(float8_e8m0(0.0f).bits == 0);
    REQUIRE(float8_e8m0(-0.0f).bits == 0);
    REQUIRE(float8_e8m0(infinity).bits == 254);
    for (float x : {-1.0f, -infinity, std::numeric_limits<float>::quiet_NaN(), -0x1p-149f})
        REQUIRE(float8_e8m0(x).is_nan());
}

TEST_CASE("a scale without sign is the float8_e4m3 of the same value", "[core]")
{
    for (std::uint32_t bits = 0; bits < 127; ++bits) {
        const auto scale = float8_ue4m3::from_bits(bits);
        REQUIRE(static_cast<float>(scale) == static_cast<float>(float8_e4m3::from_bits(bits)));
        REQUIRE(float8_ue4m3(static_cast<float>(scale)) == scale);
    }
    REQUIRE(float8_ue4m3(1e9f).bits == 0x7e);
    REQUIRE(float8_ue4m3(-0.0f).bits == 0);
    REQUIRE(float8_ue4m3(-1.0f).is_nan());
    REQUIRE(float8_ue4m3(std::numeric_limits<float>::quiet_NaN()).is_nan());
}

TEMPLATE_TEST_CASE("packed floats lie without gaps, element 0 in the lowest bits", "[core]", float4_e2m1x2,
                   float6_e2m3x4, float6_e3m2x4)
{
    using value = typename TestType::value_type;
    STATIC_REQUIRE(sizeof(TestType) * 8 == TestType::size * TestType::width);
    STATIC_REQUIRE(std::is_trivial_v<TestType>);
    STATIC_REQUIRE(number_traits<TestType>::packing == TestType::size);
    for (std::uint32_t seed = 0; seed < 1u << TestType::width; ++seed) {
        TestType x{};
        std::uint32_t expected = 0;
        for (int i = TestType::size - 1; i >= 0; --i) {
            const std::uint32_t pattern = (seed * 37 + static_cast<std::uint32_t>(i) * 11) % (1u << TestType::width);
            x.set(i, value::from_bits(pattern));
            expected |= pattern << (TestType::width * i);
        }
        std::uint32_t word = 0;
        std::memcpy(&word, &x, sizeof(x));
        REQUIRE(word == expected);
        for (int i = 0; i < TestType::size; ++i)
            REQUIRE(x[i].bits == ((expected >> (TestType::width * i)) & ((1u << TestType::width) - 1)));
        x.set(0, value(1.0f)); // the others stay
        REQUIRE(x[1].bits == ((expected >> TestType::width) & ((1u << TestType::width) - 1)));
    }
}

TEMPLATE_TEST_CASE("Microscaling blocks follow the definition", "[core]", float4_e2m1, float6_e2m3, float6_e3m2,
                   float8_e4m3, float8_e5m2)
{
    const double most = static_cast<double>(largest_value<TestType>);
    int emax = 0;
    std::frexp(most, &emax);
    REQUIRE(largest_exponent<TestType> == emax - 1);
    for (float largest : magnitudes()) {
        INFO("largest " << largest);
        int exponent = 0;
        std::frexp(static_cast<double>(largest), &exponent);
        const int shared = std::max(exponent - 1 - (emax - 1), -127);
        const float8_e8m0 scale = mx_scale<TestType>(largest);
        REQUIRE(scale.exponent() == shared);
        const float8_e8m0 larger = mx_scale<TestType>(largest, mx_rule::ceil);
        const double largest_element = static_cast<double>(largest) / static_cast<double>(larger);
        REQUIRE(largest_element <= most);
        REQUIRE(
            (larger.bits == 0 || larger == scale || static_cast<double>(largest) / static_cast<double>(scale) > most));
        for (float part : {1.0f, -1.0f, 0.5f, 0.3f, -0.126f, 0.07f, 0.001f, 0.0f}) {
            const float x = largest * part;
            const double exact = static_cast<double>(x) / static_cast<double>(scale);
            INFO("x " << x << ", exact " << exact);
            REQUIRE(mx_element<TestType>(x, scale).bits == nearest_pattern<TestType>(exact));
        }
    }
    REQUIRE(mx_scale<TestType>(0.0f).bits == 0);
    for (float x : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        REQUIRE(mx_scale<TestType>(x).is_nan());
        REQUIRE(mx_element<TestType>(1.0f, mx_scale<TestType>(x)).bits == 0);
    }
}

TEST_CASE("NVFP4 blocks have two levels of scales", "[core]")
{
    for (float tensor_largest : {2688.0f, 1.0f, 3e-5f, 7.7e20f}) {
        const float tensor_scale = nvfp4_tensor_scale(tensor_largest);
        REQUIRE(nvfp4_scale(tensor_largest, tensor_scale).bits == 0x7e); // 448
        REQUIRE(static_cast<float>(
                    nvfp4_element(tensor_largest, nvfp4_scale(tensor_largest, tensor_scale), tensor_scale)) == 6.0f);
        for (float part = 1; part > 1e-7f; part *= 0.61f) {
            const float largest = tensor_largest * part;
            const float8_ue4m3 scale = nvfp4_scale(largest, tensor_scale);
            const double wanted = static_cast<double>(largest) / 6 / static_cast<double>(tensor_scale);
            REQUIRE(scale.bits == Approx(nearest_pattern<float8_e4m3>(wanted)).margin(0)); // ties are not hit
            for (float x : {largest, -largest, 0.4f * largest, 0.0f}) {
                const double unit = static_cast<double>(scale) * static_cast<double>(tensor_scale);
                const float4_e2m1 element = nvfp4_element(x, scale, tensor_scale);
                if (unit > 0)
                    REQUIRE(std::fabs(static_cast<double>(element) - static_cast<double>(x) / unit) <= 1.0001);
                else
                    REQUIRE(element.bits == 0);
            }
        }
    }
    REQUIRE(nvfp4_tensor_scale(0.0f) == 1.0f);
    REQUIRE(nvfp4_scale(0.0f, 1.0f).bits == 0);
    REQUIRE(nvfp4_element(0.0f, nvfp4_scale(0.0f, 1.0f), 1.0f).bits == 0);
}

TEST_CASE("scales lie in atoms of 128 rows by 4 blocks", "[core]")
{
    for (long_index_t rows : {1, 128, 300})
        for (long_index_t blocks : {1, 4, 9}) {
            const long_index_t padded = (rows + 127) / 128 * 128 * ((blocks + 3) / 4 * 4);
            std::vector<int> seen(static_cast<std::size_t>(padded), 0);
            for (long_index_t r = 0; r < rows; ++r)
                for (long_index_t b = 0; b < blocks; ++b) {
                    const long_index_t at = scale_atom_offset(r, b, blocks);
                    REQUIRE(at < padded);
                    REQUIRE(++seen[static_cast<std::size_t>(at)] == 1);
                }
        }
    REQUIRE(scale_atom_offset(1, 0, 4) == 16);
    REQUIRE(scale_atom_offset(32, 0, 4) == 4);
    REQUIRE(scale_atom_offset(0, 3, 4) == 3);
    REQUIRE(scale_atom_offset(0, 4, 8) == 512);
    REQUIRE(scale_atom_offset(128, 0, 8) == 1024);
}
