// validate() names exactly the broken digits, and explain() says it in a sentence.

#include "test/catch.hpp"
#include "test/layout/random_encoding.hpp"

#include <set>
#include <string>
#include <tuple>

namespace {

using namespace random_encodings;
using tegula::encoding_rule;

/// rule, major, minor, value (the length, or the number of owners)
using fault = std::tuple<encoding_rule, int, int, int>;
using faults = std::multiset<fault>;

faults reported(const encoding_value& e)
{
    faults all;
    for (const tegula::violation& v : validate(e))
        all.insert({v.rule, v.digit.major, v.digit.minor, v.value});
    return all;
}

/// The faults of an encoding, counted from lists of names instead of looking for each digit.
faults expected(const encoding_value& e)
{
    faults all;
    std::map<std::pair<int, int>, int> owners;
    for (int major = 0; major <= e.num_x(); ++major)
        for (int minor = 0; minor < e.lengths(major).size(); ++minor) {
            owners[{major, minor}] = 0;
            if (e.lengths(major)[minor] <= 0)
                all.insert({encoding_rule::length_is_positive, major, minor, e.lengths(major)[minor]});
        }
    std::vector<rh_digit> named(e.ys.begin(), e.ys.end());
    for (rh_digit d : named)
        if (d.major == 0 && owners.count({d.major, d.minor}))
            all.insert({encoding_rule::y_owns_no_replication, d.major, d.minor, 0});
    for (const auto& p : e.ps)
        named.insert(named.end(), p.begin(), p.end());
    for (rh_digit d : named) {
        const auto known = owners.find({d.major, d.minor});
        if (known == owners.end())
            all.insert({encoding_rule::digit_exists, d.major, d.minor, 0});
        else
            ++known->second;
    }
    for (const auto& [name, count] : owners)
        if (count == 0)
            all.insert({encoding_rule::digit_has_an_owner, name.first, name.second, 0});
        else if (count > 1)
            all.insert({encoding_rule::digit_has_one_owner, name.first, name.second, count});
    return all;
}

rh_digit random_digit(generator& random, const encoding_value& e)
{
    const int major = random.below(e.num_x() + 2);
    return {major, random.below(5) - 1};
}

/// Breaks something, or at times nothing.
void damage(generator& random, encoding_value& e)
{
    const int major = random.below(e.num_x() + 1);
    auto& lengths = e.lengths(major);
    switch (random.below(6)) {
    case 0: // a length below 1
        if (!lengths.empty())
            lengths[random.below(lengths.size())] = -random.below(3);
        break;
    case 1: // a digit of nobody
        lengths.push_back(2);
        break;
    case 2: // a Y names any digit
        e.ys.push_back(random_digit(random, e));
        break;
    case 3: // a P names any digit
        if (e.num_p() > 0)
            e.ps[random.below(e.num_p())].push_back(random_digit(random, e));
        break;
    case 4: // a Y is renamed
        if (e.num_y() > 0)
            e.ys[random.below(e.num_y())] = random_digit(random, e);
        break;
    default: // a digit vanishes
        if (!lengths.empty())
            --lengths.count;
    }
}

TEST_CASE("validate names exactly the broken digits", "[encoding]")
{
    generator random(21);
    int invalid = 0;
    for (int i = 0; i < 8000; ++i) {
        encoding_value e = random.valid();
        for (int n = 1 + random.below(3); n > 0; --n)
            damage(random, e);
        const faults wanted = expected(e);
        invalid += !wanted.empty();
        REQUIRE(reported(e) == wanted);
    }
    REQUIRE(invalid > 5000);
}

encoding_value one_dimension(encoding_value::lengths_type h)
{
    encoding_value e;
    e.hs.push_back(h);
    for (int minor = 0; minor < h.size(); ++minor)
        e.ys.push_back({1, minor});
    return e;
}

TEST_CASE("sizes past 63 bits are refused, the largest that fit are not", "[encoding]")
{
    const index_t big = 1 << 30;
    REQUIRE(validate(one_dimension({big, big, 7})).empty()); // 7 * 2^60
    REQUIRE(validate(one_dimension({big, big, 8})).size() == 1);
    REQUIRE(validate(one_dimension({big, big, 8}))[0].rule == encoding_rule::size_fits_64_bits);
    REQUIRE(validate(one_dimension({big, big, 3, 3})).size() == 1);
    encoding_value replicated = one_dimension({big, big});
    replicated.rs.push_back(8);
    replicated.ps.push_back({rh_digit{0, 0}});
    REQUIRE(validate(replicated)[0].rule == encoding_rule::size_fits_64_bits);
    // A product that would wrap around to a small number.
    REQUIRE(validate(one_dimension({big, big, big, big, big, big, big, 1 << 16})).size() == 1);
}

TEST_CASE("more digits than an encoding keeps are reported, not dropped", "[encoding]")
{
    encoding_value e = one_dimension({2});
    for (int i = 0; i < encoding_value::max_minors; ++i)
        e.hs[0].push_back(2);
    REQUIRE(validate(e)[0].rule == encoding_rule::capacity);

    encoding_value many = one_dimension({2});
    for (int i = 0; i < encoding_value::max_x; ++i)
        many.hs.push_back({});
    REQUIRE(validate(many)[0].rule == encoding_rule::capacity);

    encoding_value ps = one_dimension({2});
    for (int i = 0; i <= encoding_value::max_p; ++i)
        ps.ps.push_back({});
    REQUIRE(validate(ps)[0].rule == encoding_rule::capacity);
}

std::string sentence(encoding_rule rule, rh_digit digit, index_t value = 0)
{
    return tegula::explain({rule, digit, value}).message();
}

TEST_CASE("each violation is one sentence with the digit and the remedy", "[encoding]")
{
    CHECK(sentence(encoding_rule::digit_has_an_owner, {1, 0}) ==
          "H digit (1,0) belongs to no P and no Y; give it to one");
    CHECK(sentence(encoding_rule::digit_has_an_owner, {0, 1}) == "R digit (0,1) belongs to no P; give it to one");
    CHECK(sentence(encoding_rule::digit_has_one_owner, {2, 1}, 2) ==
          "H digit (2,1) has 2 owners; give it to exactly one P or Y");
    CHECK(sentence(encoding_rule::digit_has_one_owner, {0, 0}, 3) ==
          "R digit (0,0) has 3 owners; give it to exactly one P");
    CHECK(sentence(encoding_rule::y_owns_no_replication, {0, 0}) ==
          "R digit (0,0) belongs to a Y; only a P may own replication");
    CHECK(sentence(encoding_rule::digit_exists, {3, -1}) ==
          "digit (3,-1) does not exist; a P or a Y names it, use a major and a minor in range");
    CHECK(sentence(encoding_rule::length_is_positive, {1, 2}, -4) == "H digit (1,2) has length -4; lengths start at 1");
    CHECK(sentence(encoding_rule::size_fits_64_bits, {}) ==
          "the product of all digit lengths does not fit 63 bits; use a smaller tile");
    CHECK(sentence(encoding_rule::capacity, {}) ==
          "the encoding has more than 6 tensor dimensions, 12 digits in one of them, 4 P or 24 Y dimensions; merge "
          "digits that stand side by side");
}

} // namespace
