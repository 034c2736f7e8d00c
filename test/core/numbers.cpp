// tf32, 4-bit pairs, number_traits, convert, and what holds in constant expressions.

#include "float_oracle.hpp"

#include <tegula/core/convert.hpp>

#include <algorithm>
#include <string>

using namespace tegula;

static_assert(static_cast<float>(half(65504)) == 65504.f);
static_assert(half(65520.f).bits == 0x7c00 && half(65519.996f).bits == 0x7bff);
static_assert(half(0x1p-24f).bits == 1 && half(0x1p-25f).bits == 0 && half(0x1.002p-25f).bits == 1);
static_assert(half(2049).bits == half(2048.f).bits && half(2051).bits == half(2052.f).bits);
static_assert(static_cast<float>(bfloat16(256 + 1)) == 256.f);
static_assert(static_cast<float>(float8_e4m3(1e30f)) == 448.f);
static_assert(float8_e4m3(1e30f, overflow::special).bits == 0x7f);
static_assert(float8_e5m2(1e30f, overflow::special).bits == 0x7c);
static_assert(float8_e4m3_fnuz(-1e30f, overflow::special).bits == 0x80);
static_assert(float8_e4m3_fnuz(-0.f).bits == 0);
static_assert(float8_e4m3(-0.f).bits == 0x80 && float8_e4m3(-0.f) == float8_e4m3(0.f));
static_assert(static_cast<float>(float8_e4m3(half(3.25f))) == 3.25f);
static_assert(static_cast<double>(tfloat32(1.5)) == 1.5 && tfloat32(half(2.f)) == tfloat32(2));

TEST_CASE("tf32 keeps ten mantissa bits", "[core]")
{
    // The definition: a float whose mantissa is rounded to 10 bits; 19-bit patterns are the upper bits of a float.
    const auto upper = [](auto x) { return tfloat32(x).bits >> 13; };
    check_midpoints<tfloat32, float>(upper, tfloat32::format::overflow_bits);
    check_midpoints<tfloat32, double>(upper, tfloat32::format::overflow_bits);

    const auto round = [](float x, overflow policy = overflow::special) {
        return static_cast<float>(tfloat32(x, policy));
    };
    pattern_source next;
    disagreements wrong;
    for (int i = 0; i < 500'000; ++i) {
        const float x = float_of(static_cast<std::uint32_t>(next()) & 0xbfffffffu);
        const float rounded = round(x);
        wrong.check(x, 0, bits_as<std::uint32_t>(rounded) & 0x1fffu);
        wrong.check(x, bits_as<std::uint32_t>(rounded), tfloat32(rounded).bits);
    }
    wrong.require_none();
    REQUIRE(std::isnan(round(float_of(0x7f800001u))));
    REQUIRE(std::isnan(round(float_of(0xffffffffu))));
    REQUIRE(round(std::numeric_limits<float>::infinity()) == std::numeric_limits<float>::infinity());
    REQUIRE(round(std::numeric_limits<float>::max()) == std::numeric_limits<float>::infinity());
    REQUIRE(round(std::numeric_limits<float>::max(), overflow::saturate) == number_traits<tfloat32>::max());
    REQUIRE(std::signbit(round(-0.f)));
}

TEST_CASE("pairs of 4-bit integers", "[core]")
{
    STATIC_REQUIRE(sizeof(int4x2) == 1);
    STATIC_REQUIRE(std::is_trivial_v<int4x2>);
    for (int low = -20; low <= 20; ++low)
        for (int high = -20; high <= 20; ++high) {
            const int4x2 i(low, high);
            REQUIRE(i[0] == std::min(std::max(low, -8), 7));
            REQUIRE(i[1] == std::min(std::max(high, -8), 7));
            const uint4x2 u(low, high);
            REQUIRE(u[0] == std::min(std::max(low, 0), 15));
            REQUIRE(u[1] == std::min(std::max(high, 0), 15));
        }
    for (int pattern = 0; pattern < 256; ++pattern) {
        const auto i = int4x2::from_bits(static_cast<std::uint8_t>(pattern));
        const auto u = uint4x2::from_bits(static_cast<std::uint8_t>(pattern));
        REQUIRE(int4x2(i[0], i[1]) == i);
        REQUIRE(uint4x2(u[0], u[1]) == u);
        REQUIRE(u[0] == pattern % 16); // element 0 is the low half
        REQUIRE(u[1] == pattern / 16);
        int4x2 changed = i;
        changed.set(1, -3);
        REQUIRE(changed == int4x2(i[0], -3));
        changed.set(0, 5);
        REQUIRE(changed == int4x2(5, -3));
    }
}

TEST_CASE("convert rounds once and to nearest even", "[core]")
{
    REQUIRE(convert<std::int8_t>(2.5f) == 2);
    REQUIRE(convert<std::int8_t>(-3.5f) == -4);
    REQUIRE(convert<std::int8_t>(127.49f) == 127);
    REQUIRE(convert<std::int8_t>(1e30f) == 127);
    REQUIRE(convert<std::int8_t>(-std::numeric_limits<float>::infinity()) == -128);
    REQUIRE(convert<std::int8_t>(std::nanf("")) == 0);
    REQUIRE(convert<std::uint8_t>(-0.6f) == 0);
    REQUIRE(convert<std::uint8_t>(255.5) == 255);
    REQUIRE(convert<std::int8_t>(300) == 127);
    REQUIRE(convert<std::int8_t>(half(-7.5f)) == -8);
    REQUIRE(convert<std::int32_t>(2147483647.4) == 2147483647);
    REQUIRE(convert<std::int32_t>(-2147483648.5) == -2147483647 - 1);
    REQUIRE(convert<std::int32_t>(3e9f) == 2147483647);
    for (int i = -2000; i <= 2000; ++i) {
        const double x = i / 8.0;
        const double limited = std::min(std::max(std::nearbyint(x), -128.0), 127.0);
        REQUIRE(convert<std::int8_t>(x) == static_cast<int>(limited));
        REQUIRE(convert<std::int8_t>(static_cast<float>(x)) == static_cast<int>(limited));
        REQUIRE(convert<std::int32_t>(x) == static_cast<int>(std::nearbyint(x)));
    }

    REQUIRE(convert<float8_e4m3>(500.f).bits == 0x7e);
    REQUIRE(convert<float8_e4m3>(500.f, overflow::special).bits == 0x7f);
    REQUIRE(convert<half>(1e6f).bits == 0x7c00);
    REQUIRE(convert<half>(1e6f, overflow::saturate).bits == 0x7bff);
    REQUIRE(convert<half>(std::int8_t{-5}) == half(-5));
    REQUIRE(convert<bfloat16>(half(1.0625f)) == bfloat16(1.0625f));
    REQUIRE(convert<float>(bfloat16(3.f)) == 3.f);
    REQUIRE(convert<double>(tfloat32(3.f)) == 3.0);
    REQUIRE(convert<float>(0.1) == 0.1f);
    REQUIRE(convert<half>(half::from_bits(0x1234)).bits == 0x1234);
}

template <class T>
void check_traits(const std::string& name, int bits, int mantissa_bits, double max)
{
    INFO(name);
    using traits = number_traits<T>;
    REQUIRE(traits::name() == name);
    REQUIRE(traits::bits == bits);
    REQUIRE(traits::bits * traits::packing == 8 * static_cast<int>(sizeof(T)));
    REQUIRE(traits::mantissa_bits == mantissa_bits);
    REQUIRE(static_cast<double>(traits::max()) == max);
    REQUIRE(static_cast<double>(traits::epsilon()) == (traits::is_float ? std::ldexp(1, -mantissa_bits) : 0));
}

TEST_CASE("number_traits", "[core]")
{
    check_traits<half>("f16", 16, 10, 65504);
    check_traits<bfloat16>("bf16", 16, 7, 0x1.fep127);
    check_traits<float8_e4m3>("f8e4m3", 8, 3, 448);
    check_traits<float8_e5m2>("f8e5m2", 8, 2, 57344);
    check_traits<float8_e4m3_fnuz>("f8e4m3fnuz", 8, 3, 240);
    check_traits<float8_e5m2_fnuz>("f8e5m2fnuz", 8, 2, 57344);
    check_traits<tfloat32>("tf32", 32, 10, 0x1.ffcp127);
    check_traits<float>("f32", 32, 23, std::numeric_limits<float>::max());
    check_traits<double>("f64", 64, 52, std::numeric_limits<double>::max());
    check_traits<std::int8_t>("i8", 8, 0, 127);
    check_traits<std::uint8_t>("u8", 8, 0, 255);
    check_traits<std::int32_t>("i32", 32, 0, 2147483647);
    check_traits<int4x2>("i4", 4, 0, 7);
    check_traits<uint4x2>("u4", 4, 0, 15);
    STATIC_REQUIRE(std::is_same_v<number_traits<half>::accumulator, float>);
    STATIC_REQUIRE(std::is_same_v<number_traits<double>::accumulator, double>);
    STATIC_REQUIRE(std::is_same_v<number_traits<int4x2>::accumulator, std::int32_t>);
    STATIC_REQUIRE(number<half>);
    STATIC_REQUIRE_FALSE(number<char*>);
}
