// The adaptor of an encoding against the direct map, over encodings drawn at random while compiling.
#include "test/layout/descriptor/checks.hpp"

#include <tegula/layout/descriptor/distribution_adaptor.hpp>
#include <tegula/layout/digit_table.hpp>
#include <tegula/layout/distribution.hpp>

using namespace tegula;
using namespace tegula::test;

namespace {

/// Uniform enough numbers at compile time (the 64-bit generator of Knuth's MMIX).
struct constexpr_random
{
    std::uint64_t state;

    constexpr int below(int n)
    {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(n));
    }
};

/// 1 to 3 tensor dimensions of up to 3 digits, up to 2 P, up to 1 replication digit; lengths 1 to 5.
constexpr encoding_value random_encoding(unsigned seed)
{
    constexpr_random random{seed * 1000003u + 17u};
    encoding_value e;
    const int num_p = random.below(3);
    for (int p = 0; p < num_p; ++p)
        e.ps.push_back({});
    if (num_p > 0 && random.below(2)) {
        e.rs.push_back(2 + random.below(2));
        e.ps[random.below(num_p)].push_back(rh_digit{0, 0});
    }
    const int num_x = 1 + random.below(3);
    for (int x = 0; x < num_x; ++x) {
        e.hs.push_back({});
        const int digits = x == 0 ? 1 + random.below(3) : random.below(4);
        for (int minor = 0; minor < digits; ++minor) {
            e.hs[x].push_back(1 + random.below(num_x == 3 ? 3 : 5));
            const rh_digit digit{x + 1, minor};
            const int owner = random.below(num_p + 1);
            if (owner < num_p)
                e.ps[owner].push_back(digit);
            else
                e.ys.push_back(digit);
        }
    }
    return e;
}

template <int Seed>
struct random_source
{
    static constexpr encoding_value raw = random_encoding(Seed);
};

template <class Encoding>
void check_adaptor(std::mt19937& random)
{
    constexpr auto adaptor = make_ps_ys_to_xs_adaptor<Encoding>();
    const encoding_value e = Encoding::value;
    const digit_table table = make_digit_table(e);
    const int num_p = e.num_p();
    REQUIRE(adaptor.num_bottom == e.num_x());
    REQUIRE(adaptor.num_top == num_p + e.num_y());
    const auto lengths = adaptor.lengths();
    for (int i = 0; i < adaptor.num_top; ++i)
        REQUIRE(lengths[i] == (i < num_p ? p_length(e, i) : y_length(e, i - num_p)));

    for_each_index(lengths, [&](const auto& top) {
        long_indices p, y;
        for (int i = 0; i < adaptor.num_top; ++i)
            (i < num_p ? p : y).push_back(top[i]);
        const long_indices expected = calculate_index(table, p, y);
        const auto x = adaptor.calculate_bottom_index(top);
        for (int i = 0; i < e.num_x(); ++i)
            if (x[i] != expected[i])
                FAIL("tensor dimension " << i << ": " << x[i] << " instead of " << expected[i]);
    });

    auto at = random_index(random, lengths);
    auto moved = make_coordinate(adaptor, at);
    for (int i = 0; i < 50; ++i) {
        const auto target = random_index(random, lengths);
        move_coordinate(adaptor, moved, difference(target, at));
        at = target;
        REQUIRE(same_everywhere(moved, make_coordinate(adaptor, at)));
    }

    constexpr auto registers = make_ys_to_d_descriptor<Encoding>();
    long_index_t next = 0;
    for_each_index(registers.lengths(), [&](const auto& y) {
        REQUIRE(registers.calculate_offset(y) == next);
        REQUIRE(tile_distribution<Encoding>::register_index(y) == next++);
    });
    REQUIRE(next == registers_per_lane(e));
}

template <int... Seeds>
void check_all(std::integer_sequence<int, Seeds...>)
{
    std::mt19937 random(10);
    (check_adaptor<encoding_from<random_source<Seeds>>>(random), ...);
}

} // namespace

TEST_CASE("the adaptor of an encoding is its direct map", "[layout]")
{
    check_all(std::make_integer_sequence<int, 60>{});
}
