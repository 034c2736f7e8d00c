// Linear algebra over F2 on random matrices, against enumeration of whole spans.

#include "test/catch.hpp"

#include <tegula/core/f2.hpp>

#include <algorithm>
#include <random>
#include <set>

namespace {

namespace f2 = tegula::f2;
using f2::vectors;
using f2::word;

class generator
{
public:
    explicit generator(unsigned seed) : engine_(seed) {}
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }
    /// Up to max_columns vectors of `bits` bits; often dependent, sometimes zero.
    vectors matrix(int bits, int max_columns)
    {
        vectors v;
        for (int n = below(max_columns + 1); n > 0; --n)
            v.push_back(engine_() & f2::low_bits(bits));
        return v;
    }

private:
    std::mt19937_64 engine_;
};

/// Every sum of the vectors, by trying every subset.
std::set<word> enumerate(const vectors& v)
{
    std::set<word> all;
    for (word x = 0; x < f2::unit(v.size()); ++x)
        all.insert(f2::apply(v, x));
    return all;
}

TEST_CASE("spans over F2 are what enumeration says", "[f2]")
{
    generator random(1);
    for (int i = 0; i < 3000; ++i) {
        const int bits = 1 + random.below(6);
        const vectors a = random.matrix(bits, 6), b = random.matrix(bits, 6);
        const std::set<word> in_a = enumerate(a), in_b = enumerate(b);
        REQUIRE(in_a.size() == f2::unit(f2::rank(a)));
        REQUIRE(enumerate(f2::basis(a)) == in_a);
        REQUIRE(f2::basis(a).size() == f2::rank(a));
        REQUIRE((f2::basis(a) == f2::basis(b)) == (in_a == in_b));

        std::set<word> both;
        std::set_intersection(in_a.begin(), in_a.end(), in_b.begin(), in_b.end(), std::inserter(both, both.end()));
        REQUIRE(enumerate(f2::intersection(a, b)) == both);

        const vectors rest = f2::complement(a, bits);
        REQUIRE(f2::intersection(a, rest).empty());
        REQUIRE(f2::rank(a) + rest.size() == bits);
        REQUIRE(f2::rank(f2::concatenate(a, rest)) == bits);
        const vectors more = f2::extension(a, b);
        REQUIRE(f2::rank(a) + more.size() == f2::rank(f2::concatenate(a, b)));
    }
}

TEST_CASE("kernel and inverses over F2 are what enumeration says", "[f2]")
{
    generator random(2);
    for (int i = 0; i < 3000; ++i) {
        const int rows = 1 + random.below(6);
        const vectors a = random.matrix(rows, 6);
        const std::set<word> zero = enumerate(f2::kernel(a));
        const vectors p = f2::pseudo_inverse(a, rows);
        REQUIRE(p.size() == rows);
        for (word x = 0; x < f2::unit(a.size()); ++x) {
            REQUIRE((f2::apply(a, x) == 0) == (zero.count(x) == 1));
            // Ascending x: the first with this image is the least.
            const word y = f2::apply(a, x), found = f2::apply(p, y);
            REQUIRE(found <= x);
            REQUIRE(f2::apply(a, found) == y);
        }
    }
}

TEST_CASE("products, inverses and transposes of matrices over F2 up to 64 by 64", "[f2]")
{
    generator random(3);
    int invertible = 0;
    for (int i = 0; i < 400; ++i) {
        const int n = 1 + random.below(64);
        const vectors a = random.matrix(n, 64), b = random.matrix(a.size() == 0 ? 1 : a.size(), 64);
        REQUIRE(f2::transpose(f2::transpose(a, n), a.size()) == a);
        REQUIRE(f2::rank(f2::transpose(a, n)) == f2::rank(a));
        for (int k = 0; k < b.size(); ++k)
            REQUIRE(f2::product(a, b)[k] == f2::apply(a, b[k]));
        REQUIRE(f2::kernel(a).size() + f2::rank(a) == a.size());
        const vectors square = f2::concatenate(f2::independent(a), f2::complement(a, n));
        REQUIRE(f2::is_invertible(square, n));
        REQUIRE(f2::product(f2::inverse(square), square) == f2::identity(n));
        REQUIRE(f2::product(square, f2::inverse(square)) == f2::identity(n));
        invertible += f2::is_invertible(a, n);
    }
    REQUIRE(invertible < 400);
}

} // namespace
