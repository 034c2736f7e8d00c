// Nested layouts at random: what a thread holds, from the formula alone, against the encoding; reshapes, projections
// and the way back.

#include "test/catch.hpp"

#include <tegula/notation/nested_from_encoding.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

using namespace tegula;

namespace {

using lengths = nested_value::lengths_type;
using generator = std::mt19937;

int pick(generator& random, std::initializer_list<int> from)
{
    return from.begin()[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(random)];
}

/// Splits `size` positions into tiles with gaps below, between and above, in a random order of dimensions.
void place_digits(generator& random, lengths& tiles, lengths& strides, index_t size)
{
    std::vector<int> dims(static_cast<std::size_t>(tiles.size()));
    std::iota(dims.begin(), dims.end(), 0);
    std::shuffle(dims.begin(), dims.end(), random);
    index_t below = 1;
    for (int dim : dims) {
        const index_t gap = pick(random, {1, 1, 2, 3});
        const index_t tile = pick(random, {1, 2, 3, 4});
        if (size % (below * gap * tile) != 0)
            continue;
        tiles[dim] = tile;
        strides[dim] = tile > 1 ? below * gap : pick(random, {0, 1, 5});
        below *= tile > 1 ? gap * tile : 1;
    }
}

struct random_case
{
    nested_value layout;
    workgroup_shape workgroup;
};

random_case make_case(generator& random)
{
    const int rank = pick(random, {1, 2, 2, 3});
    random_case c{detail::unit_nested(rank), {pick(random, {12, 16, 32, 48}), pick(random, {1, 2, 4, 6})}};
    place_digits(random, c.layout.thread_tile, c.layout.thread_strides, c.workgroup.subgroup_size);
    place_digits(random, c.layout.subgroup_tile, c.layout.subgroup_strides, c.workgroup.subgroups);
    if (const index_t top = pick(random, {0, 0, 0, 2, 3}); top > 0 && c.layout.thread_tile[0] == 1) {
        // a thread digit past the lanes of a subgroup
        c.layout.subgroup_tile = c.layout.subgroup_strides = detail::unit_nested(rank).subgroup_strides;
        for (index_t& tile : c.layout.subgroup_tile)
            tile = 1;
        c.workgroup.subgroups = 2 * top;
        c.layout.thread_tile[0] = 2 * top;
        c.layout.thread_strides[0] = c.workgroup.subgroup_size;
    }
    for (int i = 0; i < rank; ++i) {
        c.layout.batch_tile[i] = pick(random, {1, 1, 2, 3});
        c.layout.outer_tile[i] = pick(random, {1, 1, 2});
        c.layout.element_tile[i] = pick(random, {1, 2, 4});
    }
    return c;
}

/// Every element a thread holds in register order, written down from the definition: loops over batch of every
/// dimension, outer, element.
std::vector<std::vector<long>> elements_of(const random_case& c, long tid)
{
    const nested_value& v = c.layout;
    std::vector<index_t> counts;
    for (const lengths* level : {&v.batch_tile, &v.outer_tile, &v.element_tile})
        counts.insert(counts.end(), level->begin(), level->end());
    const auto rank = static_cast<std::size_t>(v.rank());
    std::vector<long> at(counts.size(), 0);
    std::vector<std::vector<long>> all;
    for (;;) {
        std::vector<long> x(rank);
        for (std::size_t i = 0; i < rank; ++i) {
            const int d = static_cast<int>(i);
            const long ss = v.subgroup_strides[d] * static_cast<long>(c.workgroup.subgroup_size),
                       ts = v.thread_strides[d];
            const long vs = ss == 0 ? 0 : tid / ss % v.subgroup_tile[d], vt = ts == 0 ? 0 : tid / ts % v.thread_tile[d];
            x[i] = (((vs * v.batch_tile[d] + at[i]) * v.outer_tile[d] + at[rank + i]) * v.thread_tile[d] + vt) *
                       v.element_tile[d] +
                   at[2 * rank + i];
        }
        all.push_back(x);
        std::size_t last = counts.size();
        while (last > 0 && ++at[last - 1] == counts[last - 1])
            at[--last] = 0;
        if (last == 0)
            return all;
    }
}

std::vector<std::vector<long>> elements_of(const encoding_value& e, long tid)
{
    const digit_table t = make_digit_table(e);
    const long_indices p = unflatten(tid, p_lengths(e), e.num_p());
    std::vector<std::vector<long>> all;
    for (long flat = 0; flat < registers_per_lane(e); ++flat) {
        const long_indices x = calculate_index(t, p, unflatten(flat, y_lengths(e), e.num_y()));
        all.emplace_back(x.begin(), x.end());
    }
    return all;
}

/// The row-major number of each element.
std::vector<long> flattened(const std::vector<std::vector<long>>& elements, const long_indices& shape)
{
    std::vector<long> all;
    for (const auto& x : elements) {
        long n = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            n = n * shape[static_cast<int>(i)] + x[i];
        all.push_back(n);
    }
    return all;
}

long threads(const random_case& c) { return static_cast<long>(c.workgroup.subgroup_size) * c.workgroup.subgroups; }

} // namespace

TEST_CASE("the encoding of a nested layout holds what the formula says")
{
    generator random(7);
    int replicated = 0;
    for (int n = 0; n < 1500; ++n) {
        const random_case c = make_case(random);
        REQUIRE(validate(c.layout, c.workgroup).empty());
        const encoding_value e = to_encoding(c.layout, c.workgroup);
        REQUIRE(validate(e).empty());
        REQUIRE(partition_size(e) == threads(c));
        long writers = 0;
        for (long tid = 0; tid < threads(c); ++tid) {
            REQUIRE(elements_of(e, tid) == elements_of(c, tid));
            writers += is_first_replica(make_digit_table(e), unflatten(tid, p_lengths(e), e.num_p()));
        }
        REQUIRE(writers * replication(e) == threads(c)); // each element is written once
        replicated += replication(e) > 1;
    }
    CHECK(replicated > 300);
}

TEST_CASE("the threads of a virtual id are its replicas")
{
    generator random(8);
    for (int n = 0; n < 200; ++n) {
        const random_case c = make_case(random);
        const long_index_t replicas = replication(to_encoding(c.layout, c.workgroup));
        for (long tid = 0; tid < threads(c); tid += 5) {
            const virtual_ids ids = find_virtual_ids(c.layout, c.workgroup, tid);
            std::vector<long> all;
            for (long_index_t r = 0; r < replicas; ++r)
                all.push_back(find_thread(c.layout, c.workgroup, ids, r));
            for (long other = 0; other < threads(c); ++other)
                REQUIRE((std::count(all.begin(), all.end(), other) == 1) ==
                        (find_virtual_ids(c.layout, c.workgroup, other) == ids));
        }
    }
}

TEST_CASE("a nested layout comes back from its encoding")
{
    generator random(9);
    for (int n = 0; n < 1500; ++n) {
        const random_case c = make_case(random);
        const encoding_value e = to_encoding(c.layout, c.workgroup);
        const nested_result back = to_nested(e, c.workgroup.subgroup_size);
        REQUIRE(back);
        REQUIRE(validate(back.value, c.workgroup).empty());
        const encoding_value again = to_encoding(back.value, c.workgroup);
        for (long tid = 0; tid < threads(c); ++tid)
            REQUIRE(elements_of(again, tid) == elements_of(c, tid));
    }
}

TEST_CASE("a reshape keeps thread, register and row-major number of every element, or is refused")
{
    generator random(10);
    int done = 0, refused = 0;
    for (int n = 0; n < 2000; ++n) {
        const random_case c = make_case(random);
        const long_indices shape = undistributed_shape(c.layout);
        long_index_t total = 1;
        for (long_index_t length : shape)
            total *= length;
        long_indices other;
        const long_index_t fast = pick(random, {1, 2, 3, 4, 6, 8, 12, 16, 24});
        if (total % fast != 0)
            continue;
        other.push_back(total / fast);
        other.push_back(fast);
        const nested_result result = reshape(c.layout, other);
        if (!result) {
            ++refused;
            continue;
        }
        ++done;
        REQUIRE(undistributed_shape(result.value) == other);
        REQUIRE(validate(result.value, c.workgroup).empty());
        for (long tid = 0; tid < threads(c); ++tid)
            REQUIRE(flattened(elements_of(random_case{result.value, c.workgroup}, tid), other) ==
                    flattened(elements_of(c, tid), shape));
    }
    CHECK(done > 300);
    CHECK(refused > 100);
}

TEST_CASE("a projection drops coordinates and nothing else")
{
    generator random(11);
    for (int n = 0; n < 300; ++n) {
        const random_case c = make_case(random);
        if (c.layout.rank() < 2)
            continue;
        const random_case kept{project(c.layout, make_dim_set(0)), c.workgroup};
        REQUIRE(validate(kept.layout, kept.workgroup).empty());
        for (long tid = 0; tid < threads(c); tid += 3) {
            auto expected = elements_of(c, tid);
            for (auto& x : expected)
                x.erase(x.begin());
            std::sort(expected.begin(), expected.end());
            expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
            auto held = elements_of(kept, tid);
            std::sort(held.begin(), held.end());
            REQUIRE(held == expected);
        }
    }
}
