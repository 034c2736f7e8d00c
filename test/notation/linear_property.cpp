// Linear layouts on random bases, and what random encodings are in the other notations, element by element.

#include "test/catch.hpp"
#include "test/layout/random_encoding.hpp"
#include "test/notation/notation_words.hpp"

#include <tegula/notations.hpp>

namespace {

using namespace tegula;
using notation_words::print;

class linear_generator
{
public:
    explicit linear_generator(unsigned seed) : engine_(seed) {}
    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine_); }

    linear_layout::dims dims(std::vector<const char*> names, int max_bits)
    {
        linear_layout::dims d;
        std::shuffle(names.begin(), names.end(), engine_);
        for (std::size_t i = 0; i < 1 + static_cast<std::size_t>(below(static_cast<int>(names.size()))); ++i)
            d.push_back({names[i], below(max_bits + 1)});
        return d;
    }
    linear_layout between(const linear_layout::dims& in, const linear_layout::dims& out)
    {
        linear_layout l{in, out, {}};
        for (int i = 0; i < total_bits(in); ++i)
            l.columns.push_back(engine_() & f2::low_bits(total_bits(out)));
        return l;
    }
    linear_layout any() { return between(dims({"register", "lane", "wave"}, 3), dims({"x0", "x1", "x2"}, 3)); }
    linear_layout invertible()
    {
        const linear_layout::dims in = dims({"register", "lane", "wave"}, 3);
        linear_layout::dims out{linear_dim{"x0", total_bits(in) / 2}, linear_dim{"x1", (total_bits(in) + 1) / 2}};
        linear_layout l = between(in, out);
        while (!is_invertible(l))
            l = between(in, out);
        return l;
    }

private:
    std::mt19937_64 engine_;
};

f2::word inputs(const linear_layout& l) { return f2::unit(input_bits(l)); }
linear_indices at(const linear_layout& l, f2::word flat) { return apply(l, unflatten(l.inputs, flat)); }

TEST_CASE("a linear layout is read back as it was printed", "[linear]")
{
    linear_generator random(1);
    for (int i = 0; i < 2000; ++i) {
        const linear_layout l = random.any();
        INFO(print(l));
        REQUIRE(check(l).ok());
        const auto read = parse_linear_layout(print(l).c_str());
        REQUIRE(read.ok());
        REQUIRE(read.value == l);
        const f2::word a = inputs(l) - 1, b = static_cast<f2::word>(random.below(static_cast<int>(inputs(l))));
        for (int d = 0; d < l.outputs.size(); ++d) // linear: f(a ^ b) = f(a) ^ f(b)
            REQUIRE(at(l, a ^ b)[d] == (at(l, a)[d] ^ at(l, b)[d]));
    }
}

TEST_CASE("linear layouts have up to nine dimensions each way", "[linear]")
{
    linear_layout::dims in, out;
    for (const char* name : {"register", "lane", "wave", "block", "cluster", "a", "b", "c", "d"})
        in.push_back({name, 2});
    for (const char* name : {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"})
        out.push_back({name, 2});
    linear_generator random(11);
    const linear_layout l = random.between(in, out);
    REQUIRE(check(l).ok());
    const auto read = parse_linear_layout(print(l).c_str());
    REQUIRE(read.ok());
    CHECK(read.value == l);
    const linear_layout same{in, out, f2::identity(18)};
    const auto composed = compose(linear_layout{out, in, l.columns}, l);
    REQUIRE(composed.ok());
    for (f2::word x : {f2::word{1}, f2::word{5}, f2::unit(17), f2::low_bits(18)})
        CHECK(at(composed.value, x) == unflatten(in, f2::apply(l.columns, f2::apply(l.columns, x))));
    CHECK(std::string(to_encoding(same).error.message()) ==
          "the layout has 9 outputs and 8 inputs beside the register; R/H/P/Y has at most 6 and 4");
    tile_shape tile;
    for (int i = 0; i < 9; ++i)
        tile.push_back(4);
    const strided_layout strided = to_strided(same).value;
    const auto back = to_linear(strided, tile);
    REQUIRE(back.ok());
    CHECK(back.value.columns == same.columns);
    CHECK(back.value.outputs == same.outputs);
    CHECK(std::string(to_encoding(strided, tile).error.message()) ==
          "the tile has 9 dimensions; R/H/P/Y has at most 6, merge some");
    in.push_back({"e", 0});
    CHECK(in.overflowed());
}

TEST_CASE("compose applies one linear layout after the other, and inverses undo", "[linear]")
{
    linear_generator random(2);
    for (int i = 0; i < 2000; ++i) {
        const linear_layout inner = random.any();
        linear_layout::dims between = inner.outputs;
        std::reverse(between.begin(), between.end()); // found by name
        between[0].bits += random.below(2);
        const linear_layout outer = random.between(between, random.dims({"y", "z"}, 4));
        const auto both = compose(outer, inner);
        REQUIRE(both.ok());
        for (f2::word x = 0; x < inputs(inner); ++x) {
            linear_indices middle;
            for (const linear_dim& d : outer.inputs)
                middle.push_back(at(inner, x)[find_dim(inner.outputs, d.name)]);
            REQUIRE(at(both.value, x) == apply(outer, middle));
        }
        const linear_layout l = random.invertible();
        const auto identity = compose(inverse(l).value, l);
        REQUIRE(identity.ok());
        for (f2::word x = 0; x < inputs(l); ++x)
            REQUIRE(at(identity.value, x) == unflatten(l.inputs, x));
        REQUIRE(inverse(inverse(l).value).value == l);
        const linear_layout p = pseudo_inverse(inner);
        for (f2::word x = 0; x < inputs(inner); ++x) {
            REQUIRE(apply(inner, apply(p, at(inner, x))) == at(inner, x));
            REQUIRE(flatten(inner.inputs, apply(p, at(inner, x))) <= x);
        }
        REQUIRE(inverse(inner).ok() == is_invertible(inner));
    }
}

TEST_CASE("a conversion finds every element where the other layout holds it", "[linear]")
{
    linear_generator random(3);
    int possible = 0;
    for (int i = 0; i < 3000; ++i) {
        const linear_layout::dims out = random.dims({"x0", "x1"}, 2);
        const linear_layout from = random.between(random.dims({"register", "lane"}, 3), out);
        const linear_layout to = random.between(random.dims({"register", "lane", "wave"}, 3), out);
        const auto g = invert_and_compose(from, to);
        REQUIRE(g.ok() == (f2::rank(f2::concatenate(to.columns, from.columns)) == rank(to)));
        for (f2::word x = 0; g.ok() && x < inputs(from); ++x)
            REQUIRE(apply(to, at(g.value, x)) == at(from, x));
        possible += g.ok();
    }
    CHECK(possible > 500);
}

TEST_CASE("products repeat, and divisions give the factors back", "[linear]")
{
    linear_generator random(4);
    int no_product = 0;
    for (int i = 0; i < 3000; ++i) {
        const linear_layout a = random.any(), b = random.any();
        const auto c = product(a, b);
        REQUIRE(c.ok());
        REQUIRE(rank(c.value) == rank(a) + rank(b));
        const auto right = divide_left(c.value, a), left = divide_right(c.value, b);
        REQUIRE(right.ok());
        REQUIRE(left.ok());
        REQUIRE(product(a, right.value).value == c.value);
        REQUIRE(arrange(product(left.value, b).value, c.value.inputs, c.value.outputs).value == c.value);
        for (f2::word x = 0; x < inputs(a); ++x) { // the lowest indices are a's
            linear_indices index;
            for (const linear_dim& d : c.value.inputs) {
                const int k = find_dim(a.inputs, d.name);
                index.push_back(k < 0 ? 0 : unflatten(a.inputs, x)[k]);
            }
            for (int d = 0; d < a.outputs.size(); ++d)
                REQUIRE(apply(c.value, index)[d] == at(a, x)[d]);
        }
        const auto unlikely = divide_left(b, a);
        no_product += !unlikely.ok();
        if (!unlikely.ok())
            continue;
        const auto again = arrange(product(a, unlikely.value).value, b.inputs, b.outputs);
        if (again.ok()) // else a has a dimension without bits that b lacks
            REQUIRE(again.value == b);
    }
    CHECK(no_product > 1000);
}

/// A random encoding, its lengths replaced by powers of two.
encoding_value power_of_two(random_encodings::generator& random)
{
    encoding_value e = random.valid();
    for (int major = 0; major <= e.num_x(); ++major)
        for (index_t& length : e.lengths(major))
            length = length == 1 ? 1 : length < 4 ? 2 : length < 8 ? 4 : 8;
    return e;
}

TEST_CASE("encodings of powers of two and linear layouts are the same maps, both ways", "[linear]")
{
    random_encodings::generator random(5);
    for (int i = 0; i < 6000; ++i) {
        const encoding_value e = power_of_two(random);
        const auto l = to_linear(e);
        REQUIRE(l.ok());
        INFO(print(l.value));
        REQUIRE(is_surjective(l.value));
        const auto back = to_encoding(l.value);
        REQUIRE(back.ok());
        REQUIRE(validate(back.value).empty());
        REQUIRE(to_linear(back.value).value == l.value);
        REQUIRE(to_encoding(to_linear(back.value).value).value == back.value);
        REQUIRE(x_lengths(back.value) == x_lengths(e));
        REQUIRE(p_lengths(back.value) == p_lengths(e));
        REQUIRE(registers_per_lane(back.value) == registers_per_lane(e));
        if (partition_size(e) * registers_per_lane(e) > 4096)
            continue;
        const digit_table t = make_digit_table(e), canonical = make_digit_table(back.value);
        for (long_index_t p = 0; p < partition_size(e); ++p)
            for (long_index_t y = 0; y < registers_per_lane(e); ++y) {
                const long_indices lane = unflatten(p, p_lengths(e), e.num_p());
                const long_indices x = calculate_index(t, lane, unflatten(y, y_lengths(e), e.num_y()));
                linear_indices index{y};
                for (int k = e.num_p() - 1; k >= 0; --k)
                    index.push_back(lane[k]);
                const linear_indices reached = apply(l.value, index);
                for (int d = 0; d < e.num_x(); ++d)
                    REQUIRE(reached[d] == x[d]);
                REQUIRE(calculate_index(canonical, lane, unflatten(y, y_lengths(back.value), back.value.num_y())) == x);
            }
    }
}

TEST_CASE("linear layouts that are no encodings are refused, the others keep their map", "[linear]")
{
    linear_generator random(6);
    int possible = 0;
    for (int i = 0; i < 6000; ++i) {
        linear_layout l = random.between(random.dims({"register", "lane", "wave"}, 2), random.dims({"x0", "x1"}, 2));
        for (f2::word& column : l.columns) // few ones
            column &= column - 1;
        const auto e = to_encoding(l);
        INFO(print(l));
        bool unit = is_surjective(l);
        int owned = 0;
        const int registers = find_dim(l.inputs, "register");
        for (int d = 0; d < l.inputs.size(); ++d)
            for (int k = 0; k < l.inputs[d].bits; ++k) {
                const f2::word column = l.columns[first_bit(l.inputs, d) + k];
                unit &= std::popcount(column) == 1 || (column == 0 && d != registers);
                owned += column != 0;
            }
        REQUIRE(e.ok() == (unit && owned == output_bits(l)));
        possible += e.ok();
    }
    CHECK(possible > 100);
}

TEST_CASE("every encoding is a thread-value layout, and comes back from it", "[strided]")
{
    random_encodings::generator random(7);
    for (int i = 0; i < 4000; ++i) {
        const encoding_value e = random.valid();
        const auto l = to_strided(e);
        REQUIRE(l.ok());
        INFO(print(l.value));
        tile_shape tile;
        for (int d = 0; d < e.num_x(); ++d)
            tile.push_back(x_length(e, d));
        const digit_table t = make_digit_table(e);
        for (long_index_t p = 0; p < partition_size(e); ++p)
            for (long_index_t y = 0; y < registers_per_lane(e); ++y) {
                const long_indices x =
                    calculate_index(t, unflatten(p, p_lengths(e), e.num_p()), unflatten(y, y_lengths(e), e.num_y()));
                long_index_t flat = 0;
                for (int d = e.num_x() - 1; d >= 0; --d)
                    flat = flat * tile[d] + x[d];
                REQUIRE(offset(l.value, p, y) == flat);
            }
        const auto back = to_encoding(l.value, tile);
        REQUIRE(back.ok());
        REQUIRE(to_strided(back.value).value == l.value);
        const long_index_t lanes = e.num_p() > 0 ? p_length(e, e.num_p() - 1) : 1;
        const auto waves = to_encoding(l.value, tile, lanes);
        REQUIRE(waves.ok());
        REQUIRE(p_length(waves.value, 1) == lanes);
        REQUIRE(to_strided(waves.value).value == l.value);
    }
}

/// Which flat element of the tile each thread holds in each register, and how often each element is held.
struct held_elements
{
    bool inside = true;
    std::vector<long_index_t> at; ///< [thread][value]
    std::vector<int> count;

    held_elements(const strided_layout& l, long_index_t elements) : count(static_cast<std::size_t>(elements))
    {
        for (long_index_t thread = 0; thread < size(mode(l, 0)); ++thread)
            for (long_index_t value = 0; value < size(mode(l, 1)); ++value) {
                at.push_back(offset(l, thread, value));
                inside &= at.back() < elements;
                if (inside)
                    ++count[static_cast<std::size_t>(at.back())];
            }
    }
    bool is_even() const
    {
        return inside && std::all_of(count.begin(), count.end(), [&](int n) { return n == count[0] && n > 0; });
    }
};

TEST_CASE("a thread-value layout that becomes an encoding held every element as often, and keeps its map", "[strided]")
{
    linear_generator random(10);
    int possible = 0;
    for (int i = 0; i < 10000; ++i) {
        // A layout that fits the tile, then often one number changed a little.
        strided_leaf digits[4];
        long_index_t stride = 1;
        for (strided_leaf& d : digits) {
            d = {1 + random.below(4), random.below(9) == 0 ? 0 : stride, 0, 0};
            stride *= d.stride == 0 ? 1 : d.shape;
        }
        const auto length = [&](int k) { return digits[k].stride == 0 ? 1 : digits[k].shape; };
        const long_index_t lengths[] = {length(0) * length(1), length(2) * length(3)};
        const tile_shape tile{lengths[0], lengths[1]};
        if (random.below(3) > 0)
            digits[random.below(4)].shape += 1;
        if (random.below(3) > 0)
            digits[random.below(4)].stride += 1;
        std::swap(digits[random.below(4)], digits[random.below(4)]);
        strided_tuple modes[2];
        for (const strided_leaf& d : digits)
            modes[random.below(2)].add(d.shape, d.stride);
        const strided_layout l = join(modes[0].tuple(), modes[1].tuple());
        const auto e = to_encoding(l, tile);
        INFO(print(l) << " over " << lengths[0] << " x " << lengths[1]);
        const held_elements held(l, lengths[0] * lengths[1]);
        if (!e.ok())
            continue;
        ++possible;
        REQUIRE(held.is_even());
        const digit_table t = make_digit_table(e.value);
        for (std::size_t k = 0; k < held.at.size(); ++k) {
            const long_index_t y = static_cast<long_index_t>(k) % registers_per_lane(e.value);
            const long_indices x =
                calculate_index(t, long_indices{static_cast<long_index_t>(k) / registers_per_lane(e.value)},
                                unflatten(y, y_lengths(e.value), e.value.num_y()));
            REQUIRE(x[0] + lengths[0] * x[1] == held.at[k]);
        }
    }
    CHECK(possible > 1000);
}

TEST_CASE("power-of-two thread-value layouts and linear layouts agree", "[strided]")
{
    random_encodings::generator random(8);
    for (int i = 0; i < 3000; ++i) {
        const encoding_value e = power_of_two(random);
        tile_shape tile;
        for (int d = 0; d < e.num_x(); ++d)
            tile.push_back(x_length(e, d));
        const strided_layout l = to_strided(e).value;
        const auto linear = to_linear(l, tile);
        REQUIRE(linear.ok());
        REQUIRE(to_strided(linear.value).value == l);
        REQUIRE(to_encoding(l, tile).value == to_encoding(linear.value).value);
        REQUIRE(to_strided(to_linear(e).value).value == l);
        REQUIRE(linear.value.columns == to_linear(e).value.columns);
    }
}

TEST_CASE("swizzles invert themselves and are found again in their matrices and layouts", "[swizzle]")
{
    linear_generator random(9);
    for (int i = 0; i < 3000; ++i) {
        xor_swizzle s;
        s.bits = random.below(4);
        s.shift = (s.bits + random.below(4)) * (random.below(2) == 0 ? 1 : -1);
        s.base = random.below(4);
        REQUIRE(check(s).ok());
        REQUIRE(parse_swizzle(print(s).c_str()).value == s);
        for (long_index_t x = 0; x < 4096; x += 1 + random.below(50)) {
            REQUIRE(s(s(x)) == x);
            REQUIRE(s(x) == static_cast<long_index_t>(f2::apply(to_matrix(s, 14), static_cast<f2::word>(x))));
        }
        const xor_swizzle found = to_swizzle(to_matrix(s, 14)).value;
        REQUIRE(to_matrix(found, 14) == to_matrix(s, 14));
        if (s.bits > 0)
            REQUIRE(found == s);
        const swizzled_layout l = compose(s, parse_strided_layout("(16,(2,8)):(1,(128,16))").value);
        REQUIRE(parse_swizzled_layout(print(l).c_str()).value == l);
        const auto linear = to_linear(l);
        REQUIRE(linear.ok());
        const auto again = to_swizzled(linear.value);
        REQUIRE(again.ok());
        for (long_index_t c = 0; c < size(l); ++c) {
            REQUIRE(apply(linear.value, {c})[0] == offset(l, c));
            REQUIRE(offset(again.value, c) == offset(l, c));
        }
    }
}

} // namespace
