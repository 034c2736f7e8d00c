/// Which keys a query sees, and which probabilities dropout keeps.

#include <tegula/kernel/attention/dropout.hpp>
#include <tegula/kernel/attention/sequence.hpp>

#include "test/catch.hpp"

#include <cmath>
#include <cstdlib>

using namespace tegula;

namespace {

using arguments = attention_arguments<float, float>;

arguments lengths(index_t seq_q, index_t seq_k, const attention_band& band)
{
    arguments a;
    a.seq_q = seq_q, a.seq_k = seq_k, a.band = band;
    return a;
}

/// Tells whether the band shows what `shows(query, key)` says, and whether keys_of covers it without a key too many
/// where there is no prefix.
template <class Shows>
void check_band(index_t seq_q, index_t seq_k, const attention_band& band, const Shows& shows)
{
    const attention_sequence s = attention_sequence::at(lengths(seq_q, seq_k, band), 0);
    for (index_t i = 0; i < seq_q; ++i) {
        index_t count = 0;
        const key_range range = s.keys_of(i, i + 1);
        for (index_t j = 0; j < seq_k; ++j) {
            INFO("query " << i << ", key " << j);
            const bool seen = s.visible(i, j);
            CHECK(seen == shows(i, j));
            CHECK((!seen || (j >= range.first && j < range.last)));
            count += seen;
        }
        if (band.prefix == 0)
            CHECK(range.last - range.first == count);
        CHECK(!s.visible(i, seq_k));
    }
    if (seq_q > 1) {
        const key_range all = s.keys_of(0, seq_q);
        for (index_t i = 0; i < seq_q; ++i)
            for (index_t j = 0; j < seq_k; ++j)
                CHECK((!s.visible(i, j) || (j >= all.first && j < all.last)));
    }
}

/// Compares all_visible and queries_of of every block of the matrix with what each query sees. A block that the prefix and
/// the band show together need not be known as visible.
void check_blocks(index_t seq_q, index_t seq_k, const attention_band& band)
{
    const attention_sequence s = attention_sequence::at(lengths(seq_q, seq_k, band), 0);
    for (index_t first = 0; first < seq_k; ++first)
        for (index_t last = first + 1; last <= seq_k; ++last) {
            INFO("keys " << first << " to " << last << ", prefix " << band.prefix << ", left " << band.left
                         << ", right " << band.right);
            const auto sees = [&](index_t i, bool all) {
                index_t count = 0;
                for (index_t j = first; j < last; ++j)
                    count += s.visible(i, j);
                return all ? count == last - first : count > 0;
            };
            index_t begin = seq_q, end = 0;
            for (index_t i = 0; i < seq_q; ++i)
                if (sees(i, false))
                    begin = min(begin, i), end = i + 1;
            const key_range range = s.queries_of(first, last);
            CHECK(max(range.last - range.first, 0) == max(end - begin, 0));
            CHECK((begin >= end || range.first == begin));
            for (index_t i = 0; i < seq_q; ++i) {
                bool visible = true;
                for (index_t past = i + 1; past <= seq_q; ++past) {
                    visible = visible && sees(past - 1, true);
                    const bool known = s.all_visible(i, past, first, last);
                    CHECK((visible || !known));
                    if (band.prefix == 0)
                        CHECK(known == visible);
                }
            }
        }
}

} // namespace

TEST_CASE("a band is causal, a window, a prefix")
{
    using enum attention_diagonal;
    const index_t shapes[][2] = {{4, 4}, {3, 7}, {7, 3}, {1, 5}, {5, 1}};
    for (const auto& [q, k] : shapes) {
        const index_t shift = k - q;
        check_band(q, k, {}, [](index_t, index_t) { return true; });
        check_band(q, k, {-1, 0, bottom_right}, [=](index_t i, index_t j) { return j <= i + shift; });
        check_band(q, k, {-1, 0, top_left}, [](index_t i, index_t j) { return j <= i; });
        check_band(q, k, {1, 0, bottom_right},
                   [=](index_t i, index_t j) { return j <= i + shift && j >= i + shift - 1; });
        check_band(q, k, {0, 2, top_left}, [](index_t i, index_t j) { return j >= i && j <= i + 2; });
        check_band(q, k, {2, -1, bottom_right}, [=](index_t i, index_t j) { return j >= i + shift - 2; });
        check_band(q, k, {-1, 0, bottom_right, 2}, [=](index_t i, index_t j) { return j <= i + shift || j < 2; });
        check_band(q, k, {0, 0, bottom_right, 1}, [=](index_t i, index_t j) { return j == i + shift || j < 1; });
    }
}

TEST_CASE("a band knows the queries of a block of keys, and blocks that are visible")
{
    for (const attention_diagonal diagonal : {attention_diagonal::bottom_right, attention_diagonal::top_left})
        for (const index_t prefix : {0, 2, 9})
            for (const index_t left : {-1, 0, 2})
                for (const index_t right : {-1, 0, 1})
                    for (const index_t keys : {3, 6})
                        check_blocks(5, keys, {left, right, diagonal, prefix});
}

TEST_CASE("sequences of a batch have their own lengths, rows and prefixes")
{
    const index_t query_offsets[] = {0, 2, 2, 5}, key_offsets[] = {0, 4, 9, 10}, key_lengths[] = {3, 5, 1};
    const index_t prefixes[] = {0, 1, 7};
    arguments a = lengths(3, 5, {-1, 0, attention_diagonal::bottom_right, 9, prefixes});
    a.lengths = {query_offsets, key_offsets, key_lengths};
    const attention_sequence s = attention_sequence::at(a, 2);
    CHECK((s.queries == 3 && s.keys == 1 && s.first_query == 2 && s.first_key == 9));
    CHECK((s.query_batch == 0 && s.key_batch == 0 && s.band.prefix == 7 && s.shift == -2));
    CHECK(s.keys_of(0, 3).last == 1);
    const attention_sequence first = attention_sequence::at(a, 0);
    CHECK((first.queries == 2 && first.keys == 3 && first.shift == 1 && first.band.prefix == 0));

    a.lengths = {nullptr, nullptr, key_lengths};
    const attention_sequence plain = attention_sequence::at(a, 1);
    CHECK((plain.queries == 3 && plain.keys == 5 && plain.query_batch == 1 && plain.key_batch == 1));
}

TEST_CASE("Philox gives the numbers its authors publish")
{
    // kat_vectors of Random123: philox4x32 with 7 and with 10 rounds.
    using counter = array<std::uint32_t, 4>;
    const counter zeros{}, ones{{~0u, ~0u, ~0u, ~0u}}, pi{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}};
    const array<std::uint32_t, 2> zero_key{}, one_key{{~0u, ~0u}}, pi_key{{0xa4093822, 0x299f31d0}};
    CHECK((philox<7>(zeros, zero_key) == counter{{0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}}));
    CHECK((philox<7>(ones, one_key) == counter{{0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662}}));
    CHECK((philox<7>(pi, pi_key) == counter{{0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}}));
    CHECK((philox<10>(zeros, zero_key) == counter{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
    CHECK((philox<10>(ones, one_key) == counter{{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}));
    CHECK((philox<10>(pi, pi_key) == counter{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));
}

TEST_CASE("dropout keeps the share it is asked for, and each key has a bit of its own")
{
    using mask = attention_dropout_mask;
    bool used[32][8] = {};
    for (index_t key = 0; key < 256; ++key) {
        bool& seen = used[mask::group(key)][mask::member(key)];
        CHECK(!seen);
        seen = true;
    }
    CHECK((mask::group(31) < 4 && mask::group(32) == 4)); // 32 keys share four groups

    const mask quarter{make_dropout(0.25, 17), 3}, none{make_dropout(0, 17), 3};
    CHECK(quarter.factor() == Approx(4.0 / 3));
    int kept = 0, next_also = 0, unlike_other_seed = 0, unlike_other_head = 0;
    const mask other_seed{make_dropout(0.25, 18), 3}, other_head{make_dropout(0.25, 17), 4};
    for (index_t i = 0; i < 64; ++i)
        for (index_t j = 0; j < 64; ++j) {
            CHECK(none.keeps(i, j));
            kept += quarter.keeps(i, j);
            next_also += quarter.keeps(i, j) && quarter.keeps(i, j + 1);
            unlike_other_seed += quarter.keeps(i, j) != other_seed.keeps(i, j);
            unlike_other_head += quarter.keeps(i, j) != other_head.keeps(i, j);
        }
    // 4096 draws: five standard deviations are 5 sqrt(4096 p (1 - p)).
    const auto near = [](int count, double p) { return std::abs(count - 4096 * p) < 320 * std::sqrt(p * (1 - p)); };
    CHECK(near(kept, 0.75));
    CHECK(near(next_also, 0.5625));
    CHECK(near(unlike_other_seed, 0.375));
    CHECK(near(unlike_other_head, 0.375));
}

TEST_CASE("a functor that says nothing of keys hides none", "[attention]")
{
    struct hides_far
    {
        bool visible(const attention_place& at) const { return at.key < 3; }
    };
    CHECK(internal::is_shown(unchanged_score{}, {.key = 3}));
    CHECK(internal::is_shown(hides_far{}, {.key = 2}));
    CHECK_FALSE(internal::is_shown(hides_far{}, {.key = 3}));
}
