/// The error of powers of two by polynomials against the C library's in double.

#include <tegula/arch/target.hpp>
#include <tegula/block/exponentials.hpp>

#include "test/catch.hpp"

#include <cmath>
#include <limits>

using namespace tegula;

namespace {

/// Stands for a kernel's Target: exp2 of the C library.
struct exact
{
    static float exp2(float x) { return std::exp2(x); }
};

template <int Degree>
double largest_error()
{
    double worst = 0;
    for (float x = -126; x <= 9; x += 0x1p-10f) {
        const double right = std::exp2(static_cast<double>(x));
        worst = std::max(worst, std::fabs(polynomial_exp2<Degree>(x) - right) / right);
    }
    return worst;
}

} // namespace

TEST_CASE("powers of two by polynomials keep their error", "[softmax]")
{
    CHECK(largest_error<3>() < 0x1p-13);
    CHECK(largest_error<4>() < 0x1p-18);
    CHECK(largest_error<5>() < 0x1p-22);
    CHECK(largest_error<3>() > 0x1p-14); // it is the polynomial that was measured
}

TEMPLATE_TEST_CASE_SIG("powers of two by polynomials at special numbers", "[softmax]", ((int Degree), Degree), 3, 4, 5)
{
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (int n = -126; n <= 126; ++n)
        CHECK(polynomial_exp2<Degree>(static_cast<float>(n)) == std::ldexp(1.0f, n));
    CHECK(polynomial_exp2<Degree>(-infinity) == 0);
    CHECK(polynomial_exp2<Degree>(-3e38f) == 0);
    CHECK(polynomial_exp2<Degree>(-127.5f) == 0);
    CHECK(std::isnan(polynomial_exp2<Degree>(std::numeric_limits<float>::quiet_NaN())));
    CHECK(polynomial_exp2<Degree>(-126.4f) >= 0);
    CHECK(polynomial_exp2<Degree>(-126.4f) < 0x1p-125f);
}

TEST_CASE("a share of the exponentials is by polynomials, evenly", "[softmax]")
{
    using some = mixed_exponentials<1, 4, 3>;
    const float x = 0.3f, exactly = std::exp2(x), nearly = polynomial_exp2<3>(x);
    REQUIRE(exactly != nearly);
    CHECK(some::exp2<0, exact>(x) == exactly);
    CHECK(some::exp2<2, exact>(x) == exactly);
    CHECK(some::exp2<3, exact>(x) == nearly);
    CHECK(some::exp2<7, exact>(x) == nearly);
    CHECK(mixed_exponentials<0, 4, 3>::exp2<3, exact>(x) == exactly);
    CHECK(mixed_exponentials<4, 4, 3>::exp2<0, exact>(x) == nearly);
    CHECK(hardware_exponentials::exp2<3, exact>(x) == exactly);
}

TEST_CASE("two powers of two by packed instructions are those of one", "[softmax]")
{
    using packed = detail::two_floats<arch::sm_100a>;
    for (float x = -127.5f; x < 9; x += 0.37f) {
        const array<float, 2> both = polynomial_exp2<4, packed>({x, 0.5f - x});
        CHECK(both[0] == polynomial_exp2<4>(x));
        CHECK(both[1] == polynomial_exp2<4>(0.5f - x));
    }
    const array<float, 2> some = mixed_exponentials<1, 2, 3>::exp2_pair<1, arch::sm_100a>({0.3f, -0.3f});
    CHECK(some[0] == polynomial_exp2<3>(0.3f));
    CHECK(some[1] == polynomial_exp2<3>(-0.3f));
    CHECK(mixed_exponentials<1, 2, 3>::exp2_pair<0, arch::sm_100a>({0.3f, -0.3f})[1] == std::exp2(-0.3f));
}
