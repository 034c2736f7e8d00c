// Conversion plans of random pairs, each run step by step on the numbers of all elements.

#include "cheapest_conversion.hpp"
#include "conversion_pairs.hpp"

#include <tegula/notation/text.hpp>
#include <tegula/reference/run_conversion.hpp>

#include "test/catch.hpp"

#include <map>
#include <string>
#include <utility>

using namespace tegula;

namespace {

struct string_sink
{
    std::string text;
    void write(const char* part, int size) { text.append(part, static_cast<std::size_t>(size)); }
};

std::string pair_text(const encoding_value& a, const encoding_value& b)
{
    string_sink sink;
    write_json(sink, a);
    sink.text += " -> ";
    write_json(sink, b);
    return sink.text;
}

std::vector<long_index_t> lengths_of(const encoding_value& e)
{
    std::vector<long_index_t> lengths;
    for (long_index_t n : x_lengths(e))
        lengths.push_back(n);
    return lengths;
}

std::string kind_of(const conversion_plan& plan)
{
    std::string kind = name_of(plan.method);
    if (plan.by_gather)
        kind += ", gathered";
    if (plan.method == conversion_method::shared)
        kind += std::string(plan.staging.by_xor ? ", xor" : ", padded") +
                (plan.staging.chunks() > 1 ? ", chunks" : "") +
                (plan.staging.store.matrices + plan.staging.load.matrices > 0 ? ", matrices" : "");
    return kind;
}

/// Plans `count` random conversions on every chip and runs them. Returns how often each kind of plan came.
std::map<std::string, int> run_random_plans(int count, unsigned seed)
{
    const chip_info* const chips[] = {&chip::gfx942, &chip::gfx950, &chip::gfx1100, &chip::sm_80, &chip::sm_90a};
    std::map<std::string, int> kinds;
    conversion_pairs::generator random(seed);
    int wrong_plans = 0;
    for (int i = 0; i < count && wrong_plans < 3; ++i) {
        const chip_info& chip = *chips[i % 5];
        const auto [source, destination] = random.pair(chip.wave_size);
        const int bits = 4 << random.below(5);
        conversion_limits limits;
        limits.force_shared = random.chance(30);
        if (random.chance(20))
            limits.shared_bytes = 16 << random.below(8);
        INFO(chip.name << ", " << bits << " bits: " << pair_text(source, destination));
        REQUIRE(validate(source).empty());
        REQUIRE(validate(destination).empty());
        const status possible = check_conversion(chip, source, destination, bits, limits);
        INFO(possible.message());
        REQUIRE(possible.ok());
        const conversion_plan plan = plan_conversion(chip, source, destination, bits, limits);
        const long_index_t wrong = count_wrong_elements(plan, lengths_of(source));
        CHECK(wrong == 0);
        CHECK(!(limits.force_shared && plan.method != conversion_method::shared));
        wrong_plans += wrong != 0;
        ++kinds[kind_of(plan)];
        if (plan.method == conversion_method::shared && plan.staging.chunks() > 1)
            CHECK(plan.staging.bytes() <= limits.shared_bytes);
    }
    return kinds;
}

const char* const all_kinds[] = {
    "none",
    "register",
    "shuffle",
    "shared, xor",
    "shared, xor, matrices",
    "shared, padded",
    "shared, xor, chunks",
    "shared, padded, chunks",
};

} // namespace

TEST_CASE("random conversions put every element where it belongs", "[conversion]")
{
    const auto kinds = run_random_plans(300, 1);
    for (const char* kind : all_kinds) {
        INFO(kind);
        CHECK(kinds.count(kind) == 1);
    }
}

TEST_CASE("digits that do not refine each other are gathered lane by lane", "[conversion]")
{
    // Blocked and cyclic, 64 * 3.
    encoding_value blocked;
    blocked.hs.push_back({64, 3});
    blocked.ps.push_back({rh_digit{1, 0}});
    blocked.ys.push_back({1, 1});
    encoding_value cyclic;
    cyclic.hs.push_back({3, 64});
    cyclic.ps.push_back({rh_digit{1, 1}});
    cyclic.ys.push_back({1, 0});
    // A cyclic lane has one element of each register of blocked lanes. A blocked one has three of the same register.
    const auto check = [](const encoding_value& source, const encoding_value& destination, int shuffles) {
        const conversion_plan plan = plan_conversion(chip::gfx942, source, destination, 32);
        CHECK(kind_of(plan) == "shuffle, gathered");
        CHECK(plan.shuffles == shuffles);
        CHECK(count_wrong_elements(plan, lengths_of(source)) == 0);
    };
    check(blocked, cyclic, 3);
    check(cyclic, blocked, 9);
}

TEST_CASE("a digit that starts inside a wave is not the same for its lanes", "[conversion]")
{
    // 32 elements in 96 threads: three copies lie across the waves of 32, and the half changes at thread 48.
    encoding_value source;
    source.rs = {3, 2};
    source.hs.push_back({2, 8, 2});
    source.ps.push_back({rh_digit{0, 0}, rh_digit{0, 1}, rh_digit{1, 1}, rh_digit{1, 2}});
    source.ys.push_back({1, 0});
    encoding_value destination;
    destination.rs = {3};
    destination.hs = source.hs;
    destination.ps.push_back({rh_digit{1, 0}, rh_digit{0, 0}, rh_digit{1, 2}, rh_digit{1, 1}});
    REQUIRE(validate(source).empty());
    REQUIRE(validate(destination).empty());
    const conversion_plan plan = plan_conversion(chip::sm_80, source, destination, 32);
    CHECK(kind_of(plan) == "shuffle, gathered");
    CHECK(cheapest::method_of(source, destination, 32) == conversion_method::shuffle);
    CHECK(count_wrong_elements(plan, lengths_of(source)) == 0);
}

TEST_CASE("digits of a dimension continue each other where two ways of cutting them exclude each other", "[conversion]")
{
    for (unsigned seed : {2675U, 5318U, 7686U, 9554U, 3000540U}) {
        INFO("pair " << seed);
        const auto [source, destination] = conversion_pairs::generator(seed).pair(32);
        const conversion_digits both = make_conversion_digits(source, destination, 32);
        for (const held_tile* tile : {&both.source, &both.destination})
            for (int i = 1; i < tile->digits.size(); ++i)
                if (tile->digits[i].x_dim == tile->digits[i - 1].x_dim)
                    REQUIRE(tile->digits[i - 1].x_end() == tile->digits[i].x_stride);
        const conversion_plan plan = plan_conversion(chip::sm_80, source, destination, 8, {true});
        CHECK(count_wrong_elements(plan, lengths_of(source)) == 0);
    }
}

TEST_CASE("many random conversions put every element where it belongs", "[.full]") { run_random_plans(40000, 2); }

namespace {

/// Whether the lanes of a wave are no whole number of copies, as in 96 threads that count 8 elements three times.
bool copies_cross_waves(const held_tile& tile, int wave_size)
{
    for (const copy_digit& c : tile.copies)
        if (c.stride < wave_size && wave_size % (c.stride * c.length) != 0)
            return true;
    return false;
}

/// Plans `count` random pairs and compares the method with the cheapest one there is. Returns how often each came.
std::map<std::string, int> compare_with_cheapest(int count, unsigned seed)
{
    conversion_pairs::generator random(seed, 3);
    std::map<std::string, int> methods;
    int others = 0;
    for (int i = 0; i < count && others < 3; ++i) {
        const chip_info& chip = i % 2 == 0 ? chip::gfx942 : chip::sm_80;
        const auto [source, destination] = random.pair(chip.wave_size);
        if (registers_per_lane(source) > 256 || registers_per_lane(destination) > 256)
            continue; // see plan_conversion()
        INFO(chip.name << ": " << pair_text(source, destination));
        const conversion_plan plan = plan_conversion(chip, source, destination, 32);
        const conversion_method cheapest = cheapest::method_of(source, destination, chip.wave_size);
        if (copies_cross_waves(plan.sides.source, chip.wave_size)) { // see plan_conversion()
            CHECK(plan.method >= cheapest);
            continue;
        }
        if (cheapest == conversion_method::shuffle && plan.method == conversion_method::shared)
            CHECK(plan.cost < plan_conversion(chip, source, destination, 32, {false, 0}).cost);
        else
            CHECK(std::string(name_of(plan.method)) == name_of(cheapest));
        CHECK(count_wrong_elements(plan, lengths_of(source)) == 0);
        others += plan.method < cheapest;
        ++methods[name_of(cheapest)];
    }
    return methods;
}

} // namespace

TEST_CASE("random conversions are planned in the cheapest way there is", "[conversion]")
{
    CHECK(compare_with_cheapest(400, 7).size() == 4);
}

TEST_CASE("many random conversions are planned in the cheapest way there is", "[.full]")
{
    compare_with_cheapest(20000, 8);
}

TEST_CASE("a conversion in many chunks is verified in one walk over each side", "[conversion]")
{
    // 4 x 32 x 512 in 16-byte chunks: 8192 of them, which took a minute chunk by chunk.
    encoding_value source;
    source.hs.push_back({4});
    source.hs.push_back({32});
    source.hs.push_back({512});
    encoding_value destination = source;
    source.ps.push_back({rh_digit{2, 0}});
    source.ys = {rh_digit{1, 0}, rh_digit{3, 0}};
    destination.hs[2] = {16, 32};
    destination.ps.push_back({rh_digit{3, 1}});
    destination.ys = {rh_digit{1, 0}, rh_digit{2, 0}, rh_digit{3, 0}};
    const conversion_limits limits{true, 16};
    conversion_plan plan = plan_conversion(chip::sm_80, source, destination, 16, limits);
    CHECK(plan.staging.chunks() == 8192);
    CHECK(count_wrong_elements(plan, lengths_of(source)) == 0);
    count_conflicts(chip::sm_80, plan);
}

TEST_CASE("what cannot be planned is said in a sentence", "[conversion]")
{
    encoding_value rows; // 32 x 8, a row a lane
    rows.hs.push_back({32});
    rows.hs.push_back({8});
    rows.ps.push_back({rh_digit{1, 0}});
    rows.ys.push_back({2, 0});
    encoding_value longer = rows;
    longer.hs[1][0] = 9;
    const auto message = [](const status& s) { return std::string(s.message()); };
    CHECK(message(check_conversion(chip::sm_80, rows, longer, 16)) ==
          "dimension 1 has length 8 in the source and 9 in the destination; a conversion is between two distributions "
          "of one tile");
    CHECK(message(check_conversion(chip::gfx942, rows, rows, 16)) ==
          "the last P has length 32 and a wave has 64 lanes; the lane has that length, a thread a multiple of it");
    CHECK(message(check_conversion(chip::sm_80, rows, rows, 24)) ==
          "elements of 24 bits are not converted; there are 4, 8, 16, 32 and 64");
    CHECK(message(check_conversion(chip::sm_80, rows, rows, 16, {true, 8})) ==
          "a conversion with 8 bytes of shared memory; give at least 16");
    // Half of a block's threads on one side: nobody in the other half would have anything.
    encoding_value two_waves = rows; // of 32 x 8
    two_waves.hs[1] = {2, 4};
    two_waves.ps = {};
    two_waves.ps.push_back({rh_digit{2, 0}});
    two_waves.ps.push_back({rh_digit{1, 0}});
    two_waves.ys[0] = {2, 1};
    encoding_value four_waves = two_waves;
    four_waves.hs[1] = {4, 2};
    CHECK(
        message(check_conversion(chip::sm_80, two_waves, four_waves, 16)) ==
        "the source is spread over 64 threads and the destination over 128; both must be the block's, or one a single "
        "wave's 32");
    CHECK(
        message(check_conversion(chip::sm_80, four_waves, two_waves, 16)) ==
        "the source is spread over 128 threads and the destination over 64; both must be the block's, or one a single "
        "wave's 32");
    CHECK(check_conversion(chip::sm_80, rows, four_waves, 16).ok());
    encoding_value flat = rows;
    flat.hs.count = 1;
    CHECK(message(check_conversion(chip::sm_80, rows, flat, 16)) ==
          "the source has 2 dimensions and the destination 1; a conversion is between two distributions of one tile");
}
