// embed, reduce, transpose and slice of random encodings against what they mean element by element.

#include "test/catch.hpp"
#include "test/layout/random_encoding.hpp"

#include <tegula/layout/digit_table.hpp>
#include <tegula/layout/encoding_algebra.hpp>

#include <numeric>
#include <optional>
#include <set>

namespace {

using namespace random_encodings;

integers joined(integers a, const integers& b)
{
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

long_index_t pick(generator& random, const integers& lengths, integers& index)
{
    index.clear();
    for (long_index_t n : lengths)
        index.push_back(random.below(static_cast<int>(n)));
    return static_cast<long_index_t>(index.size());
}

TEST_CASE("embed puts the inner tile inside every element of the outer one", "[encoding]")
{
    generator random(11);
    for (int i = 0; i < 2000; ++i) {
        const int dims = 1 + i % 4;
        const limits l{dims, 3, 256, dims};
        const encoding_value outer = random.valid(l), inner = random.valid(l);
        const encoding_value e = embed(outer, inner);
        if (outer.num_p() + inner.num_p() > encoding_value::max_p) {
            REQUIRE(validate(e)[0].rule == tegula::encoding_rule::capacity);
            continue;
        }
        REQUIRE(validate(e).empty());
        const definition meaning{e}, out{outer}, in{inner};
        REQUIRE(meaning.p_lengths() == joined(out.p_lengths(), in.p_lengths()));
        REQUIRE(meaning.y_lengths() == joined(out.y_lengths(), in.y_lengths()));
        for (int k = 0; k < 20; ++k) {
            integers po, pi, yo, yi;
            pick(random, out.p_lengths(), po);
            pick(random, in.p_lengths(), pi);
            pick(random, out.y_lengths(), yo);
            pick(random, in.y_lengths(), yi);
            integers x = out.element(po, yo);
            for (int dim = 0; dim < dims; ++dim)
                x[dim] = x[dim] * in.x_lengths()[dim] + in.element(pi, yi)[dim];
            REQUIRE(meaning.element(joined(po, pi), joined(yo, yi)) == x);
            REQUIRE(meaning.replica(joined(po, pi), joined(yo, yi)) ==
                    out.replica(po, yo) * replication(inner) + in.replica(pi, yi));
        }
    }
}

/// Which elements every partition index holds, without the dimensions in `dropped`.
std::set<std::pair<integers, integers>> held(const encoding_value& e, tegula::dim_set dropped)
{
    const definition meaning{e};
    std::set<std::pair<integers, integers>> all;
    for (const integers& p : all_indices(meaning.p_lengths()))
        for (const integers& y : all_indices(meaning.y_lengths())) {
            integers kept;
            const integers x = meaning.element(p, y);
            for (std::size_t dim = 0; dim < x.size(); ++dim)
                if (!dropped.contains(static_cast<int>(dim)))
                    kept.push_back(x[dim]);
            all.insert({p, kept});
        }
    return all;
}

TEST_CASE("after reduce each lane holds the results of what it held, once", "[encoding]")
{
    generator random(12);
    for (int i = 0; i < 2000; ++i) {
        const encoding_value e = random.valid({4, 3, 256});
        const tegula::dim_set dims{static_cast<unsigned>(random.below(1 << e.num_x()))};
        const encoding_value r = reduce(e, dims);
        REQUIRE(validate(r).empty());
        const auto before = held(e, dims), after = held(r, {});
        REQUIRE(before == after);
        REQUIRE(static_cast<long_index_t>(after.size()) == partition_size(r) * registers_per_lane(r));
    }
}

TEST_CASE("transpose reorders the coordinates of every lane's registers", "[encoding]")
{
    generator random(13);
    for (int i = 0; i < 2000; ++i) {
        const encoding_value e = random.valid();
        std::vector<int> order(e.num_x());
        std::iota(order.begin(), order.end(), 0);
        for (int k = e.num_x() - 1; k > 0; --k)
            std::swap(order[k], order[random.below(k + 1)]);
        const encoding_value t = transpose(e, order);
        REQUIRE(validate(t).empty());
        const definition from{e}, to{t};
        bool same = from.p_lengths() == to.p_lengths() && from.y_lengths() == to.y_lengths();
        for (const integers& p : all_indices(from.p_lengths()))
            for (const integers& y : all_indices(from.y_lengths()))
                for (int k = 0; k < e.num_x(); ++k)
                    same = same && to.element(p, y)[k] == from.element(p, y)[order[k]];
        REQUIRE(same);
    }
}

struct register_box
{
    integers first, lengths;
};

/// The registers of partition index p that lie in [begin, end), if they are a full box.
std::optional<register_box> registers_inside(const definition& meaning, const integers& p, const integers& begin,
                                             const integers& end)
{
    integers low, high;
    long_index_t count = 0;
    for (const integers& y : all_indices(meaning.y_lengths())) {
        const integers x = meaning.element(p, y);
        bool inside = true;
        for (std::size_t k = 0; k < x.size(); ++k)
            inside = inside && begin[k] <= x[k] && x[k] < end[k];
        if (!inside)
            continue;
        if (count++ == 0)
            low = high = y;
        for (std::size_t k = 0; k < y.size(); ++k) {
            low[k] = std::min(low[k], y[k]);
            high[k] = std::max(high[k], y[k]);
        }
    }
    register_box box{low, {}};
    long_index_t volume = 1;
    for (std::size_t k = 0; k < low.size(); ++k) {
        box.lengths.push_back(high[k] - low[k] + 1);
        volume *= box.lengths.back();
    }
    return count > 0 && count == volume ? std::optional(box) : std::nullopt;
}

/// The box of registers all lanes share, if there is one.
std::optional<register_box> common_box(const encoding_value& e, const integers& begin, const integers& end)
{
    const definition meaning{e};
    std::optional<register_box> common;
    for (const integers& p : all_indices(meaning.p_lengths())) {
        const auto box = registers_inside(meaning, p, begin, end);
        if (!box || (common && (common->first != box->first || common->lengths != box->lengths)))
            return std::nullopt;
        common = box;
    }
    return common;
}

TEST_CASE("a slice is possible exactly where all lanes keep one box of registers, and maps them", "[encoding]")
{
    generator random(14);
    int possible = 0;
    for (int i = 0; i < 6000; ++i) {
        const encoding_value e = random.valid({2, 3, 64});
        const definition whole{e};
        integers begin, end;
        for (long_index_t n : whole.x_lengths()) {
            const bool all = random.below(3) == 0;
            begin.push_back(all ? 0 : random.below(static_cast<int>(n)));
            end.push_back(all ? n : begin.back() + 1 + random.below(static_cast<int>(n - begin.back())));
        }
        const auto box = common_box(e, begin, end);
        const tegula::sliced_encoding s = slice(e, begin, end);
        REQUIRE(s.possible == box.has_value());
        if (!box)
            continue;
        ++possible;
        REQUIRE(validate(s.encoding).empty());
        REQUIRE(integers(s.y_origins.begin(), s.y_origins.end()) == box->first);
        const definition part{s.encoding};
        REQUIRE(part.y_lengths() == box->lengths);
        REQUIRE(part.p_lengths() == whole.p_lengths());
        bool same = true;
        for (const integers& p : all_indices(part.p_lengths()))
            for (const integers& y : all_indices(part.y_lengths())) {
                integers source = y, x = part.element(p, y);
                for (std::size_t k = 0; k < y.size(); ++k)
                    source[k] += box->first[k];
                for (std::size_t k = 0; k < x.size(); ++k)
                    x[k] += begin[k];
                same = same && whole.element(p, source) == x;
            }
        REQUIRE(same);
    }
    REQUIRE(possible > 500);
}

} // namespace
