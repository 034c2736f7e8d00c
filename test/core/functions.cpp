// Mathematical functions against the host's in double: every f16 value, and a million f32 values over the whole range.
#include <tegula/arch/target.hpp>
#include <tegula/arch/x86/targets.hpp>
#include <tegula/core/functions.hpp>
#include <tegula/core/half.hpp>

#include "test/catch.hpp"

#include <algorithm>
#include <cmath>

using namespace tegula;
using target = arch::sm_80;

namespace {

/// The largest error in units of the last place of the exact result, over normal results.
template <class F, class Exact>
double worst_error(const F& f, const Exact& exact)
{
    double worst = 0;
    const auto compare = [&](float x) {
        const double right = exact(static_cast<double>(x));
        const float got = f(x);
        if (std::isnan(right)) {
            if (!std::isnan(got))
                worst = INFINITY;
            return;
        }
        const auto nearest = static_cast<float>(right);
        if (std::isinf(nearest) || std::fabs(right) < 0x1p-126) {
            // Overflow may begin one number early or late, and what is subnormal may be 0.
            if (std::isinf(nearest) ? !(std::fabs(got) > 3.4028e38f && std::signbit(got) == std::signbit(nearest))
                                    : !(std::fabs(got) < 0x1.00001p-126f))
                worst = INFINITY;
            return;
        }
        const double unit = std::ldexp(1.0, std::ilogb(right) - 23);
        const double error = std::fabs(static_cast<double>(got) - right) / unit;
        if (!(error <= worst))
            worst = std::isnan(error) ? INFINITY : error;
    };
    for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern)
        compare(static_cast<float>(__builtin_bit_cast(half, static_cast<std::uint16_t>(pattern))));
    for (std::uint64_t pattern = 0; pattern <= 0xffffffff; pattern += 4099)
        compare(__builtin_bit_cast(float, static_cast<std::uint32_t>(pattern)));
    return worst;
}

} // namespace

TEST_CASE("functions of float are as exact as they say", "[core]")
{
    CHECK(worst_error([](float x) { return tegula::exp<target>(x); }, [](double x) { return std::exp(x); }) < 1.5);
    CHECK(worst_error([](float x) { return tegula::log<target>(x); }, [](double x) { return std::log(x); }) < 1.0);
    CHECK(worst_error([](float x) { return tegula::rsqrt<target>(x); }, [](double x) { return 1.0 / std::sqrt(x); }) <
          1.5);
    CHECK(worst_error([](float x) { return tegula::sigmoid<target>(x); },
                      [](double x) { return 1.0 / (1.0 + std::exp(-x)); }) < 2.5);
    CHECK(worst_error([](float x) { return tegula::tanh<target>(x); }, [](double x) { return std::tanh(x); }) < 2.0);
    CHECK(worst_error([](float x) { return tegula::erf<target>(x); }, [](double x) { return std::erf(x); }) < 1.5);
    CHECK(worst_error([](float x) { return tegula::sin<target>(x); }, [](double x) { return std::sin(x); }) < 2.0);
    CHECK(worst_error([](float x) { return tegula::cos<target>(x); }, [](double x) { return std::cos(x); }) < 2.0);
}

TEST_CASE("gelu is as exact as it says", "[core]")
{
    double worst = 0, relative = 0; // the second where the result is a normal number
    const auto compare = [&](float x) {
        if (!(std::fabs(x) > 1e-30f && std::fabs(x) < 1e30f))
            return;
        const double wide = x, exact = 0.5 * wide * std::erfc(-wide / std::sqrt(2.0));
        for (const float y : {gelu<target>(x), gelu<arch::gfx942>(x), gelu<arch::x86_avx2>(x)}) {
            const double error = std::fabs(static_cast<double>(y) - exact);
            worst = std::max(worst, error / std::fabs(wide));
            if (std::fabs(exact) >= 0x1p-126)
                relative = std::max(relative, error / std::fabs(exact));
        }
    };
    for (std::uint32_t pattern = 0; pattern < 0x10000; ++pattern)
        compare(static_cast<float>(__builtin_bit_cast(half, static_cast<std::uint16_t>(pattern))));
    for (std::uint64_t pattern = 0; pattern <= 0xffffffff; pattern += 4099)
        compare(__builtin_bit_cast(float, static_cast<std::uint32_t>(pattern)));
    for (float x = -15; x < -4; x += 0x1p-12f)
        compare(x);
    CHECK(worst < 3e-7); // of the fit, and the rounding of float
    CHECK(relative < 1e-5);
    CHECK(gelu<target>(-1e30f) == 0);
}

TEST_CASE("exponentials of CPUs are as exact as they say, to the largest number", "[core]")
{
    using cpu = arch::x86_avx2;
    double worst = 0;
    for (float x = -80; x < 88.7f; x += 0.0103f) {
        const double right = std::exp(static_cast<double>(x));
        worst = std::max(worst, std::fabs(static_cast<double>(tegula::exp<cpu>(x)) - right) / right);
    }
    CHECK(worst < 1e-6);
    CHECK(std::fabs(tegula::exp<cpu>(88.72f) / std::exp(88.72) - 1) < 1e-6);
    CHECK(cpu::exp2(127.99999f) > 3.4e38f);
    CHECK(cpu::exp2(127.99999f) < INFINITY);
    CHECK(cpu::exp2(128.0f) == INFINITY);
    CHECK(tegula::exp<cpu>(INFINITY) == INFINITY);
    CHECK(tegula::exp<cpu>(-INFINITY) == 0.0f);
    CHECK(std::isnan(tegula::exp<cpu>(NAN)));
}

TEST_CASE("functions keep the signs of zero and the values at the ends", "[core]")
{
    CHECK(std::signbit(tegula::sin<target>(-0.0f)));
    CHECK(std::signbit(tegula::tanh<target>(-0.0f)));
    CHECK(std::signbit(tegula::erf<target>(-0.0f)));
    CHECK(tegula::exp<target>(-INFINITY) == 0.0f);
    CHECK(tegula::exp<target>(INFINITY) == INFINITY);
    CHECK(tegula::exp<target>(0.0f) == 1.0f);
    CHECK(tegula::log<target>(0.0f) == -INFINITY);
    CHECK(tegula::log<target>(INFINITY) == INFINITY);
    CHECK(tegula::log<target>(1.0f) == 0.0f);
    CHECK(tegula::tanh<target>(-INFINITY) == -1.0f);
    CHECK(tegula::erf<target>(INFINITY) == 1.0f);
    CHECK(tegula::sigmoid<target>(-INFINITY) == 0.0f);
    CHECK(std::isnan(tegula::log<target>(-1.0f)));
    CHECK(std::isnan(tegula::cos<target>(INFINITY)));
    CHECK(gelu<target>(INFINITY) == INFINITY);
    CHECK(gelu<target>(-INFINITY) == 0);
    CHECK(std::isnan(gelu<target>(NAN)));
}
