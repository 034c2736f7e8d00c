// The maps of thousands of random encodings against the definition of an encoding.

#include "test/catch.hpp"
#include "test/layout/random_encoding.hpp"

#include <tegula/layout/digit_table.hpp>

namespace {

using namespace random_encodings;
using tegula::digit_table;
using tegula::long_indices;
using tegula::make_digit_table;

integers vector_of(const long_indices& v) { return {v.begin(), v.end()}; }

TEST_CASE("random encodings are valid and have the lengths of their digits", "[encoding]")
{
    generator random(1);
    for (int i = 0; i < 4000; ++i) {
        const encoding_value e = random.valid();
        REQUIRE(validate(e).empty());
        const definition meaning{e};
        REQUIRE(vector_of(x_lengths(e)) == meaning.x_lengths());
        REQUIRE(vector_of(p_lengths(e)) == meaning.p_lengths());
        REQUIRE(vector_of(y_lengths(e)) == meaning.y_lengths());
        long_index_t pairs = 1;
        for (long_index_t n : meaning.p_lengths())
            pairs *= n;
        REQUIRE(partition_size(e) == pairs);
        long_index_t elements = replication(e);
        for (long_index_t n : meaning.x_lengths())
            elements *= n;
        REQUIRE(pairs * registers_per_lane(e) == elements);
    }
}

TEST_CASE("every (P, Y) holds the element the definition says, every element has `replication` holders", "[encoding]")
{
    generator random(2);
    for (int i = 0; i < 3000; ++i) {
        const encoding_value e = random.valid();
        const definition meaning{e};
        const digit_table table = make_digit_table(e);
        const integers lengths = meaning.x_lengths();
        std::map<integers, long_index_t> holders;
        bool inside = true, same = true;
        for (const integers& p : all_indices(meaning.p_lengths()))
            for (const integers& y : all_indices(meaning.y_lengths())) {
                const integers x = vector_of(calculate_index(table, p, y));
                same = same && x == meaning.element(p, y);
                for (std::size_t k = 0; k < x.size(); ++k)
                    inside = inside && x[k] >= 0 && x[k] < lengths[k];
                ++holders[x];
            }
        REQUIRE(inside);
        REQUIRE(same);
        REQUIRE(holders.size() == all_indices(lengths).size());
        for (const auto& [x, count] : holders)
            REQUIRE(count == replication(e));
    }
}

TEST_CASE("find_owner is the inverse for every replica", "[encoding]")
{
    generator random(3);
    for (int i = 0; i < 3000; ++i) {
        const encoding_value e = random.valid();
        const definition meaning{e};
        const digit_table table = make_digit_table(e);
        bool found = true, lists_replicas = true;
        for (const integers& p : all_indices(meaning.p_lengths()))
            for (const integers& y : all_indices(meaning.y_lengths())) {
                const tegula::owner o = find_owner(table, meaning.element(p, y), meaning.replica(p, y));
                found = found && vector_of(o.p) == p && vector_of(o.y) == y;
            }
        for (const integers& x : all_indices(meaning.x_lengths()))
            for (long_index_t r = 0; r < replication(e); ++r) {
                const tegula::owner o = find_owner(table, x, r);
                lists_replicas = lists_replicas && meaning.element(vector_of(o.p), vector_of(o.y)) == x &&
                                 meaning.replica(vector_of(o.p), vector_of(o.y)) == r;
            }
        REQUIRE(found);
        REQUIRE(lists_replicas);
    }
}

TEST_CASE("an encoding with every digit the value can hold has a table of all of them", "[encoding]")
{
    encoding_value e;
    for (int p = 0; p < encoding_value::max_p; ++p)
        e.ps.push_back({});
    for (int x = 0; x < encoding_value::max_x; ++x) {
        e.hs.push_back({});
        for (int minor = 0; minor < encoding_value::max_minors; ++minor)
            e.hs.back().push_back(minor == 0 ? 2 : 1);
    }
    for (int minor = 0; minor < encoding_value::max_minors; ++minor) {
        e.rs.push_back(minor == 5 ? 3 : 1);
        e.ps[0].push_back({0, minor});
    }
    int dealt = 0;
    for (int major = 1; major <= encoding_value::max_x; ++major)
        for (int minor = 0; minor < encoding_value::max_minors; ++minor)
            e.ps[1 + dealt++ / 24].push_back({major, minor});
    REQUIRE(validate(e).empty());
    const definition meaning{e};
    const digit_table table = make_digit_table(e);
    REQUIRE(table.digits.size() == 84);
    for (const integers& p : all_indices(meaning.p_lengths())) {
        REQUIRE(vector_of(calculate_index(table, p, integers{})) == meaning.element(p, {}));
        const tegula::owner o = find_owner(table, meaning.element(p, {}), meaning.replica(p, {}));
        REQUIRE(vector_of(o.p) == p);
    }
}

TEST_CASE("element spaces pass 32 bits", "[encoding]")
{
    encoding_value e;
    e.hs.push_back({1 << 20, 1 << 20});
    e.hs.push_back({1 << 20});
    e.ps.push_back({rh_digit{1, 0}, rh_digit{2, 0}});
    e.ys.push_back({1, 1});
    REQUIRE(validate(e).empty());
    const digit_table table = make_digit_table(e);
    const integers p{(1LL << 40) - 1}, y{77};
    REQUIRE(tegula::p_length(e, 0) == 1LL << 40);
    REQUIRE(tegula::x_length(e, 0) == 1LL << 40);
    const integers x{((1LL << 20) - 1) * (1LL << 20) + 77, (1LL << 20) - 1};
    REQUIRE(vector_of(calculate_index(table, p, y)) == x);
    const tegula::owner o = find_owner(table, x, 0);
    REQUIRE(vector_of(o.p) == p);
    REQUIRE(vector_of(o.y) == y);
}

} // namespace
