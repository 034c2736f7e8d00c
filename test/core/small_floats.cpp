// half, bfloat16 and the 8-, 6- and 4-bit floats: every pattern, every tie, and digests made with NumPy and ml_dtypes.

#include "float_goldens.hpp"
#include "float_oracle.hpp"

using namespace tegula;

namespace {

template <class T>
std::uint32_t pattern_of(T x)
{
    return x.bits;
}

template <class T>
bool is_nan(T x)
{
    return std::isnan(static_cast<float>(x));
}

template <class T>
std::uint64_t digest_of_conversion()
{
    constexpr std::uint32_t all_ones = (1u << (8 * sizeof(T))) - 1;
    std::uint64_t digest = 0xcbf29ce484222325ull;
    for (std::uint32_t i = 0; i < 1u << 20; ++i)
        for (std::uint32_t d : {0u, 1u, 0xfffu}) {
            const T converted(float_of((i << 12) + d), overflow::special);
            digest = (digest ^ (is_nan(converted) ? all_ones : pattern_of(converted))) * 0x100000001b3ull;
        }
    return digest;
}

template <class T>
void check_every_pattern_round_trips()
{
    using format = typename T::format;
    disagreements wrong;
    for (std::uint32_t pattern = 0; pattern < 2 * format::sign_bit; ++pattern) {
        const T x = T::from_bits(pattern);
        const auto as_float = static_cast<float>(x);
        const auto as_double = static_cast<double>(x);
        for (overflow policy : {overflow::special, overflow::saturate}) {
            if (std::isnan(as_float)) {
                REQUIRE(std::isnan(static_cast<float>(T(as_float, policy))));
                REQUIRE(std::isnan(static_cast<float>(T(as_double, policy))));
                REQUIRE_FALSE(x == x);
            } else if (std::isinf(as_float) && policy == overflow::saturate) {
                wrong.check(as_float, format::max_bits | (pattern & format::sign_bit), T(as_float, policy).bits);
            } else {
                wrong.check(as_float, pattern, T(as_float, policy).bits);
                wrong.check(as_double, pattern, T(as_double, policy).bits);
            }
        }
    }
    wrong.require_none();
}

template <class T>
void check_every_value_is_that_of_the_definition()
{
    using format = typename T::format;
    const auto values = values_of<format>();
    disagreements wrong;
    for (std::uint32_t pattern = 0; pattern <= format::max_bits; ++pattern) {
        wrong.check(values[pattern], bits_as<std::uint32_t>(static_cast<float>(values[pattern])),
                    bits_as<std::uint32_t>(static_cast<float>(T::from_bits(pattern))));
        if (format::specials != float_specials::fnuz || pattern != 0)
            wrong.check(-values[pattern], bits_as<std::uint32_t>(static_cast<float>(-values[pattern])),
                        bits_as<std::uint32_t>(static_cast<float>(T::from_bits(pattern | format::sign_bit))));
    }
    wrong.require_none();
}

template <class T>
void check_saturation_differs_only_past_the_largest_value()
{
    using format = typename T::format;
    disagreements wrong;
    for (std::uint64_t i = 0; i < 1u << 20; ++i) {
        const float x = float_of(static_cast<std::uint32_t>(i << 12) + 5);
        const T special(x, overflow::special);
        const bool overflowed = !std::isnan(x) && !std::isfinite(static_cast<float>(special));
        const std::uint32_t limit = format::max_bits | (std::signbit(x) ? format::sign_bit : 0);
        wrong.check(x, overflowed ? limit : special.bits, T(x, overflow::saturate).bits);
    }
    wrong.require_none();
}

template <class T, std::size_t Count>
void check_golden_values(const std::uint32_t (&values)[Count])
{
    STATIC_REQUIRE(Count == 1u << T::format::width);
    for (std::uint32_t pattern = 0; pattern < Count; ++pattern) {
        INFO("pattern " << pattern);
        const auto x = static_cast<float>(T::from_bits(pattern));
        if (std::isnan(float_of(values[pattern])))
            REQUIRE(std::isnan(x));
        else
            REQUIRE(bits_as<std::uint32_t>(x) == values[pattern]);
    }
}

} // namespace

TEMPLATE_TEST_CASE("small floats convert exactly both ways", "[core]", half, bfloat16, float8_e4m3, float8_e5m2,
                   float8_e4m3_fnuz, float8_e5m2_fnuz, float4_e2m1, float6_e2m3, float6_e3m2)
{
    using format = typename TestType::format;
    STATIC_REQUIRE(sizeof(TestType) * 8 == (format::width < 8 ? 8 : format::width));
    STATIC_REQUIRE(std::is_trivial_v<TestType>);
    STATIC_REQUIRE(std::is_standard_layout_v<TestType>);

    SECTION("every pattern comes back") { check_every_pattern_round_trips<TestType>(); }
    SECTION("values") { check_every_value_is_that_of_the_definition<TestType>(); }
    SECTION("midpoints between neighbours, from float")
    {
        for (overflow policy : {overflow::special, overflow::saturate})
            check_midpoints<TestType, float>([=](float x) { return pattern_of(TestType(x, policy)); },
                                             policy == overflow::special ? format::overflow_bits : format::max_bits);
    }
    SECTION("midpoints between neighbours, from double: one step of a double decides")
    {
        for (overflow policy : {overflow::special, overflow::saturate})
            check_midpoints<TestType, double>([=](double x) { return pattern_of(TestType(x, policy)); },
                                              policy == overflow::special ? format::overflow_bits : format::max_bits);
    }
    SECTION("saturation") { check_saturation_differs_only_past_the_largest_value<TestType>(); }
    SECTION("the least and the greatest doubles")
    {
        REQUIRE(static_cast<float>(TestType(5e-324)) == 0.f);
        REQUIRE(TestType(-5e-324).bits == (format::specials == float_specials::fnuz ? 0u : format::sign_bit));
        REQUIRE(TestType(1.7e308, overflow::saturate).bits == format::max_bits);
        REQUIRE(TestType(1.7e308, overflow::special).bits == format::overflow_bits);
    }
}

TEST_CASE("conversions agree with NumPy and ml_dtypes", "[core]")
{
    REQUIRE(digest_of_conversion<half>() == goldens::half_digest);
    REQUIRE(digest_of_conversion<bfloat16>() == goldens::bfloat16_digest);
    REQUIRE(digest_of_conversion<float8_e4m3>() == goldens::float8_e4m3_digest);
    REQUIRE(digest_of_conversion<float8_e5m2>() == goldens::float8_e5m2_digest);
    REQUIRE(digest_of_conversion<float8_e4m3_fnuz>() == goldens::float8_e4m3_fnuz_digest);
    REQUIRE(digest_of_conversion<float8_e5m2_fnuz>() == goldens::float8_e5m2_fnuz_digest);
    REQUIRE(digest_of_conversion<float4_e2m1>() == goldens::float4_e2m1_digest);
    REQUIRE(digest_of_conversion<float6_e2m3>() == goldens::float6_e2m3_digest);
    REQUIRE(digest_of_conversion<float6_e3m2>() == goldens::float6_e3m2_digest);

    check_golden_values<float4_e2m1>(goldens::float4_e2m1_values);
    check_golden_values<float6_e2m3>(goldens::float6_e2m3_values);
    check_golden_values<float6_e3m2>(goldens::float6_e3m2_values);
    check_golden_values<float8_e4m3>(goldens::float8_e4m3_values);
    check_golden_values<float8_e5m2>(goldens::float8_e5m2_values);
    check_golden_values<float8_e4m3_fnuz>(goldens::float8_e4m3_fnuz_values);
    check_golden_values<float8_e5m2_fnuz>(goldens::float8_e5m2_fnuz_values);
}

#if defined(__FLT16_MANT_DIG__)
TEST_CASE("half agrees with the compiler's own half", "[core]")
{
    pattern_source next;
    disagreements wrong;
    for (std::uint32_t pattern = 0; pattern < 1u << 16; ++pattern) {
        const auto ours = static_cast<float>(half::from_bits(pattern));
        const auto theirs = static_cast<float>(bits_as<_Float16>(static_cast<std::uint16_t>(pattern)));
        if (std::isnan(theirs))
            REQUIRE(std::isnan(ours));
        else
            wrong.check(pattern, bits_as<std::uint32_t>(theirs), bits_as<std::uint32_t>(ours));
    }
    for (int i = 0; i < 2'000'000; ++i) {
        const float x = float_of(static_cast<std::uint32_t>(next()));
        // Mostly within the range of half: an exponent from 2^-26 to 2^17.
        const double y =
            std::ldexp(1 + static_cast<double>(next() >> 12) * 0x1p-52, static_cast<int>(next() % 44) - 26);
        if (!std::isnan(x))
            wrong.check(x, bits_as<std::uint16_t>(static_cast<_Float16>(x)), half(x).bits);
        wrong.check(y, bits_as<std::uint16_t>(static_cast<_Float16>(y)), half(y).bits);
        wrong.check(y, bits_as<std::uint16_t>(static_cast<_Float16>(static_cast<float>(y))),
                    half(static_cast<float>(y)).bits);
    }
    wrong.require_none();
}
#endif
