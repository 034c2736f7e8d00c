// Laws of the shape:stride algebra on random layouts, checked coordinate by coordinate.

#include "test/catch.hpp"
#include "test/notation/notation_words.hpp"

#include <tegula/notation/strided_algebra.hpp>
#include <tegula/notation/strided_text.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace tegula;
using namespace notation_words;

class generator
{
public:
    explicit generator(unsigned seed) : engine_(seed) {}
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }

    /// A layout of up to `max_size` coordinates, nested at random; strides of any kind, often compact ones.
    strided_layout any(int max_size = 200)
    {
        std::vector<strided_leaf> leaves(1 + below(4));
        int room = max_size;
        for (strided_leaf& leaf : leaves) {
            leaf.shape = 1 + below(std::min(room, 8));
            room /= static_cast<int>(leaf.shape);
        }
        place(leaves);
        return nested(leaves);
    }
    /// A layout that takes each coordinate to an offset of its own, with divisible strides and gaps.
    strided_layout injective()
    {
        std::vector<strided_leaf> leaves(1 + below(4));
        std::vector<int> order(leaves.size());
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), engine_);
        long_index_t stride = 1;
        for (int i : order) {
            stride *= below(3) == 0 ? 1 + below(3) : 1;
            leaves[i] = {1 + below(4), stride, 0, 0};
            stride *= leaves[i].shape;
        }
        return nested(leaves);
    }

private:
    void place(std::vector<strided_leaf>& leaves)
    {
        const int kind = below(3);
        long_index_t stride = 1;
        if (kind == 0) // compact in another order, so that compositions often exist
            std::shuffle(leaves.begin(), leaves.end(), engine_);
        for (strided_leaf& leaf : leaves) {
            leaf.stride = kind == 2 ? below(13) : stride * (kind == 1 ? 1 + below(2) : 1);
            stride = leaf.stride * leaf.shape;
        }
        if (kind != 2)
            std::shuffle(leaves.begin(), leaves.end(), engine_);
    }
    /// Parentheses around everything and around some neighbours.
    strided_layout nested(const std::vector<strided_leaf>& leaves)
    {
        strided_tuple all;
        for (std::size_t i = 0; i < leaves.size();) {
            const std::size_t n = std::min<std::size_t>(leaves.size() - i, 1 + below(3));
            strided_tuple part;
            for (std::size_t j = i; j < i + n; ++j)
                part.add(leaves[j].shape, leaves[j].stride);
            all.add(n == 1 && below(2) == 0 ? part.compact() : part.tuple());
            i += n;
        }
        return below(4) == 0 ? all.compact() : all.tuple();
    }

    std::mt19937 engine_;
};

std::set<long_index_t> image(const strided_layout& l)
{
    std::set<long_index_t> offsets;
    for (long_index_t c = 0; c < size(l); ++c)
        offsets.insert(offset(l, c));
    return offsets;
}

void require_same(const strided_layout& a, const strided_layout& b)
{
    for (long_index_t c = 0; c < size(a) + 5; ++c)
        REQUIRE(offset(a, c) == offset(b, c));
}

TEST_CASE("a shape:stride layout is read back as it was printed", "[strided]")
{
    generator random(1);
    for (int i = 0; i < 3000; ++i) {
        const strided_layout l = random.any();
        INFO(print(l));
        const auto read = parse_strided_layout(print(l).c_str());
        REQUIRE(read.ok());
        REQUIRE(read.value == l);
        strided_tuple modes;
        for (int k = 0; k < num_modes(l); ++k)
            modes.add(mode(l, k));
        REQUIRE((is_scalar(l) ? modes.compact() : modes.tuple()) == l);
    }
}

TEST_CASE("coalesce and flatten keep every offset, also past the size", "[strided]")
{
    generator random(2);
    for (int i = 0; i < 3000; ++i) {
        const strided_layout l = random.any();
        INFO(print(l));
        require_same(l, coalesce(l));
        require_same(l, flatten(l));
        require_same(l, coalesce_modes(l));
        REQUIRE(coalesce(l).leaves.size() <= flatten(l).leaves.size());
        REQUIRE(coalesce(coalesce(l)) == coalesce(l));
        REQUIRE(cosize(l) == 1 + *image(l).rbegin());
    }
}

/// Whether the offsets f(0) = 0, f(1), ... are those of some shape and strides: tries each length of the fastest number.
bool has_shape(const std::vector<long_index_t>& f)
{
    const std::size_t n = f.size();
    for (std::size_t length = 2; length <= n; ++length) {
        std::vector<long_index_t> rest;
        bool fits = n % length == 0;
        for (std::size_t i = 0; fits && i < n; ++i) {
            const std::size_t first = i / length * length;
            fits = f[i] == f[first] + static_cast<long_index_t>(i - first) * f[1];
            if (i == first)
                rest.push_back(f[i]);
        }
        if (fits && has_shape(rest))
            return true;
    }
    return n == 1;
}

/// Whether b's shape, each number of it cut in any way, has strides that give a(b(c)) for every c.
bool has_composition(const strided_layout& a, const strided_layout& b)
{
    for (const strided_leaf& leaf : b.leaves) {
        std::vector<long_index_t> offsets;
        for (long_index_t x = 0; x < leaf.shape; ++x)
            offsets.push_back(offset(a, x * leaf.stride));
        if (!has_shape(offsets))
            return false;
    }
    for (long_index_t c = 0; c < size(b); ++c) {
        long_index_t rest = c, sum = 0;
        for (const strided_leaf& leaf : b.leaves) {
            sum += offset(a, rest % leaf.shape * leaf.stride);
            rest /= leaf.shape;
        }
        if (sum != offset(a, offset(b, c)))
            return false;
    }
    return true;
}

/// Requires that composition(a, b) gives a(b(c)) for every c, or that no shape does. Whether there is one.
bool check_composition(const strided_layout& a, const strided_layout& b)
{
    const auto c = composition(a, b);
    INFO(print(a) << " after " << print(b));
    if (!c.ok()) {
        INFO(c.error.message());
        REQUIRE(!has_composition(a, b));
        return false;
    }
    INFO(print(c.value));
    REQUIRE(size(c.value) == size(b));
    if (!is_scalar(b))
        REQUIRE(num_modes(c.value) == num_modes(b));
    for (long_index_t x = 0; x < size(b); ++x)
        REQUIRE(offset(c.value, x) == offset(a, offset(b, x)));
    return true;
}

TEST_CASE("composition(A, B)(c) = A(B(c)) for every c, and is refused only if no shape has these offsets", "[strided]")
{
    generator random(3);
    int exist = 0, refused = 0;
    for (int i = 0; i < 20000; ++i) {
        const strided_layout a = random.any(), b = random.any(60);
        (check_composition(a, b) ? exist : refused) += 1;
    }
    CHECK(exist > 6000);
    CHECK(refused > 6000);
}

TEST_CASE("composition with a mode of any step, where carries cancel out or never do", "[strided]")
{
    generator random(4);
    int exist = 0, refused = 0;
    for (int i = 0; i < 20000; ++i) {
        strided_layout a = random.any();
        for (strided_leaf& leaf : a.leaves)
            leaf.stride = i % 2 == 0 ? random.below(4) : 1 + random.below(1 << 30);
        const strided_layout b = i % 4 < 2 ? make_strided(1 + random.below(24), random.below(40))
                                           : join(make_strided(1 + random.below(4), random.below(8)),
                                                  make_strided(1 + random.below(6), random.below(12)));
        (check_composition(a, b) ? exist : refused) += 1;
    }
    CHECK(exist > 2000);
    CHECK(refused > 2000);
}

TEST_CASE("a complement is disjoint, ordered, bounded and fills every gap", "[strided]")
{
    generator random(5);
    int exist = 0;
    for (int i = 0; i < 6000; ++i) {
        const strided_layout l = i % 2 == 0 ? random.injective() : random.any();
        const long_index_t bound = 1 + random.below(300);
        const auto rest = complement(l, bound);
        INFO(print(l) << " in " << bound);
        if (!rest.ok()) {
            REQUIRE(i % 2 == 1);
            continue;
        }
        ++exist;
        INFO(print(rest.value));
        const std::set<long_index_t> own = image(l);
        for (long_index_t c = 1; c < size(rest.value); ++c) {
            REQUIRE(offset(rest.value, c) > offset(rest.value, c - 1));
            REQUIRE(own.count(offset(rest.value, c)) == 0);
        }
        long_index_t span = 1;
        for (const strided_leaf& leaf : l.leaves)
            span = std::max(span, leaf.shape > 1 ? leaf.shape * leaf.stride : 1);
        REQUIRE(cosize(rest.value) <= (bound + span - 1) / span * span);
        const std::set<long_index_t> both = image(join(coalesce(l), rest.value));
        for (long_index_t x = 0; x < bound; ++x)
            REQUIRE(both.count(x) == 1);
    }
    CHECK(exist > 3000);
}

/// Whether `offsets` can be grown, number by number, to an ascending layout below `limit` whose offsets below `bound`
/// are `wanted`, and none of which but 0 is one of `taken`.
bool grows_to(const std::set<long_index_t>& wanted, const std::set<long_index_t>& taken, long_index_t bound,
              long_index_t limit, const std::vector<long_index_t>& offsets = {0})
{
    const auto missing = std::find_if(wanted.begin(), wanted.end(), [&](long_index_t x) {
        return !std::binary_search(offsets.begin(), offsets.end(), x);
    });
    if (missing == wanted.end())
        return true;
    if (*missing < offsets.back())
        return false;
    std::vector<long_index_t> grown = offsets;
    for (long_index_t step = *missing;; step += *missing) {
        for (long_index_t x : offsets) {
            const long_index_t y = x + step;
            if (y >= limit || taken.count(y) == 1 || (y < bound && wanted.count(y) == 0))
                return false;
            grown.push_back(y);
        }
        if (grows_to(wanted, taken, bound, limit, grown))
            return true;
    }
}

/// Whether there is a complement: below the bound the least number that is not reached is always its next offset.
bool has_complement(const strided_layout& l, long_index_t bound)
{
    std::vector<long_index_t> own{0};
    long_index_t span = 1;
    for (const strided_leaf& leaf : l.leaves) {
        const std::vector<long_index_t> lower = own;
        for (long_index_t k = 1; leaf.stride > 0 && k < leaf.shape; ++k)
            for (long_index_t x : lower)
                own.push_back(x + k * leaf.stride);
        span = std::max(span, leaf.shape > 1 ? leaf.shape * leaf.stride : 1);
    }
    std::set<long_index_t> wanted, reached;
    for (long_index_t next = 0; next < bound; ++next) {
        if (reached.count(next) == 1)
            continue;
        wanted.insert(next);
        for (long_index_t x : own)
            if (next + x < bound && !reached.insert(next + x).second)
                return false;
    }
    return grows_to(wanted, {own.begin(), own.end()}, bound, (bound + span - 1) / span * span);
}

TEST_CASE("a complement is refused only if there is none", "[strided]")
{
    generator random(9);
    int refused = 0;
    for (int i = 0; i < 8000; ++i) {
        const strided_layout l = random.any();
        const long_index_t bound = 1 + random.below(60);
        const bool ok = complement(l, bound).ok();
        refused += !ok;
        INFO(print(l) << " in " << bound);
        REQUIRE(ok == has_complement(l, bound));
    }
    CHECK(refused > 500);
}

TEST_CASE("a division visits every offset of the layout, tile by tile", "[strided]")
{
    generator random(6);
    int exist = 0;
    for (int i = 0; i < 6000; ++i) {
        const strided_layout l = random.any(), tiler = random.injective();
        const auto divided = logical_divide(l, tiler);
        INFO(print(l) << " by " << print(tiler));
        if (!divided.ok())
            continue;
        ++exist;
        REQUIRE(num_modes(divided.value) == 2);
        for (long_index_t c = 0; c < size(tiler); ++c)
            REQUIRE(offset(divided.value, c, 0) == offset(l, offset(tiler, c)));
        const std::set<long_index_t> all = image(l), reached = image(divided.value);
        REQUIRE(std::includes(reached.begin(), reached.end(), all.begin(), all.end()));
    }
    CHECK(exist > 1500);
}

TEST_CASE("a product is refused if modes of the block above all copies let them meet", "[strided]")
{
    generator random(10);
    int exist = 0, meet = 0;
    for (int i = 0; i < 4000; ++i) {
        strided_tuple modes;
        modes.add(1 + random.below(4), 1 + random.below(3));
        for (int k = random.below(3); k >= 0; --k)
            modes.add(2 + random.below(2), 20 + random.below(100));
        const strided_layout block = modes.tuple(), tiler = make_strided(1 + random.below(4), 1);
        INFO(print(block) << " times " << print(tiler));
        const auto product = logical_product(block, tiler);
        const auto room = complement(block, size(block) * cosize(tiler));
        if (!room.ok() || !composition(room.value, tiler).ok()) {
            REQUIRE(!product.ok());
            continue;
        }
        // The copies that there would be.
        std::set<long_index_t> places, all;
        for (long_index_t c = 0; c < size(tiler); ++c)
            places.insert(offset(room.value, c));
        const std::set<long_index_t> own = image(block);
        for (long_index_t place : places)
            for (long_index_t x : own)
                all.insert(place + x);
        const bool right = all.size() == own.size() * places.size();
        REQUIRE(product.ok() == right);
        (right ? exist : meet) += 1;
    }
    CHECK(exist > 1000);
    CHECK(meet > 50);
}

TEST_CASE("a product places copies that do not meet", "[strided]")
{
    generator random(7);
    int exist = 0;
    for (int i = 0; i < 6000; ++i) {
        const strided_layout block = random.injective(), tiler = random.injective();
        const auto product = logical_product(block, tiler);
        INFO(print(block) << " times " << print(tiler));
        if (!product.ok())
            continue;
        ++exist;
        REQUIRE(mode(product.value, 0) == block);
        REQUIRE(size(product.value) == size(block) * size(tiler));
        REQUIRE(image(product.value).size() == static_cast<std::size_t>(size(product.value)));
        const auto blocked = blocked_product(block, tiler), raked = raked_product(block, tiler);
        if (blocked.ok())
            REQUIRE(image(blocked.value).size() == static_cast<std::size_t>(size(product.value)));
        if (raked.ok())
            REQUIRE(image(raked.value) == image(blocked.value));
    }
    CHECK(exist > 3000);
}

TEST_CASE("inverses undo", "[strided]")
{
    generator random(8);
    int inverted = 0;
    for (int i = 0; i < 6000; ++i) {
        const strided_layout l = i % 2 == 0 ? random.injective() : random.any();
        INFO(print(l));
        const strided_layout right = right_inverse(l);
        INFO(print(right));
        for (long_index_t c = 0; c < size(right); ++c)
            REQUIRE(offset(l, offset(right, c)) == c);
        const auto left = left_inverse(l);
        if (!left.ok()) {
            REQUIRE(i % 2 == 1);
            continue;
        }
        ++inverted;
        for (long_index_t c = 0; c < size(l); ++c)
            REQUIRE(offset(left.value, offset(l, c)) == c);
    }
    CHECK(inverted > 3000);
}

} // namespace
