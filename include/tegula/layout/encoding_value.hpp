#pragma once

#include <tegula/core/array.hpp>
#include <tegula/core/status.hpp>

namespace tegula {

/// Names one digit of an encoding: major 0 is R, major i + 1 is tensor dimension X_i; minor counts within it.
struct rh_digit
{
    index_t major = 0;
    index_t minor = 0;
    friend constexpr bool operator==(rh_digit, rh_digit) = default;
};

/// A tile distribution encoding as a value: which lane of which wave holds which element in which register.
///
///   rs  replication lengths
///   hs  hs[i] are the factors of tensor dimension X_i, most significant first
///   ps  ps[i] are the digits whose mixed-radix number (first listed most significant) is partition index i
///   ys  ys[i] is the digit counted by register dimension i
///
/// The value may be invalid (it can come from a file): every function below except validate() expects a valid one.
struct encoding_value
{
    static constexpr int max_x = 6;
    static constexpr int max_minors = 12;
    static constexpr int max_p = 4;
    static constexpr int max_y = 24;

    using lengths_type = static_vector<index_t, max_minors>;
    using digits_type = static_vector<rh_digit, 2 * max_minors>;

    lengths_type rs;
    static_vector<lengths_type, max_x> hs;
    static_vector<digits_type, max_p> ps;
    static_vector<rh_digit, max_y> ys;

    constexpr int num_x() const { return hs.size(); }
    constexpr int num_p() const { return ps.size(); }
    constexpr int num_y() const { return ys.size(); }
    constexpr const lengths_type& lengths(int major) const { return major == 0 ? rs : hs[major - 1]; }
    constexpr lengths_type& lengths(int major) { return major == 0 ? rs : hs[major - 1]; }
    constexpr bool contains(rh_digit d) const
    {
        return d.major >= 0 && d.major <= num_x() && d.minor >= 0 && d.minor < lengths(d.major).size();
    }
    constexpr index_t length(rh_digit d) const { return lengths(d.major)[d.minor]; }

    friend constexpr bool operator==(const encoding_value& a, const encoding_value& b)
    {
        return a.rs == b.rs && a.hs == b.hs && a.ps == b.ps && a.ys == b.ys;
    }
};

/// The rules that an encoding can break.
enum class encoding_rule {
    capacity,              ///< more dimensions or digits than this library keeps
    length_is_positive,    ///< a digit of length < 1
    digit_exists,          ///< a P or Y names a digit outside R and H
    y_owns_no_replication, ///< a Y names an R digit
    digit_has_an_owner,    ///< a digit that no P and no Y names
    digit_has_one_owner,   ///< a digit that is named more than once
    size_fits_64_bits,     ///< a product of lengths past 2^63
};

struct violation
{
    encoding_rule rule = encoding_rule::capacity;
    rh_digit digit{};
    index_t value = 0; ///< the length, or the number of owners
};

using violations = static_vector<violation, 32>;

namespace detail {

struct owner_count
{
    int p = 0;
    int y = 0;
};

constexpr owner_count count_owners(const encoding_value& e, rh_digit d)
{
    owner_count n;
    for (const auto& p : e.ps)
        for (rh_digit owned : p)
            n.p += owned == d;
    for (rh_digit owned : e.ys)
        n.y += owned == d;
    return n;
}

constexpr bool over_capacity(const encoding_value& e)
{
    bool over = e.rs.overflowed() || e.hs.overflowed() || e.ps.overflowed() || e.ys.overflowed();
    for (const auto& h : e.hs)
        over |= h.overflowed();
    for (const auto& p : e.ps)
        over |= p.overflowed();
    return over;
}

constexpr void check_named_digit(const encoding_value& e, rh_digit d, bool is_y, violations& found)
{
    if (!e.contains(d))
        found.push_back({encoding_rule::digit_exists, d});
    else if (is_y && d.major == 0)
        found.push_back({encoding_rule::y_owns_no_replication, d});
}

/// Multiplies while the product stays below 2^63; returns 0 past that.
constexpr long_index_t checked_product(long_index_t a, long_index_t b)
{
    return a != 0 && b <= INT64_MAX / a ? a * b : 0;
}

} // namespace detail

/// Every rule an encoding breaks: lengths, then the digits that P and Y name, then the owners of each digit. Empty when
/// it is valid.
constexpr violations validate(const encoding_value& e)
{
    violations found;
    if (detail::over_capacity(e))
        found.push_back({encoding_rule::capacity, {}});
    for (int major = 0; major <= e.num_x(); ++major)
        for (int minor = 0; minor < e.lengths(major).size(); ++minor)
            if (e.lengths(major)[minor] < 1)
                found.push_back({encoding_rule::length_is_positive, {major, minor}, e.lengths(major)[minor]});
    for (const auto& p : e.ps)
        for (rh_digit d : p)
            detail::check_named_digit(e, d, false, found);
    for (rh_digit d : e.ys)
        detail::check_named_digit(e, d, true, found);
    for (int major = 0; major <= e.num_x(); ++major)
        for (int minor = 0; minor < e.lengths(major).size(); ++minor) {
            const detail::owner_count n = detail::count_owners(e, {major, minor});
            if (n.p + n.y == 0)
                found.push_back({encoding_rule::digit_has_an_owner, {major, minor}});
            else if (n.p + n.y > 1)
                found.push_back({encoding_rule::digit_has_one_owner, {major, minor}, n.p + n.y});
        }
    if (!found.empty())
        return found;
    long_index_t total = 1;
    for (int major = 0; major <= e.num_x(); ++major)
        for (index_t length : e.lengths(major))
            total = detail::checked_product(total, length);
    if (total == 0)
        found.push_back({encoding_rule::size_fits_64_bits, {}});
    return found;
}

/// The sentence for a violation: what is wrong, with the numbers, and what to change.
constexpr status explain(const violation& v)
{
    status s(status_code::invalid_argument, "");
    const char* kind = v.digit.major == 0 ? "R digit (" : "H digit (";
    if (v.rule == encoding_rule::capacity)
        return s << "the encoding has more than " << encoding_value::max_x << " tensor dimensions, "
                 << encoding_value::max_minors << " digits in one of them, " << encoding_value::max_p << " P or "
                 << encoding_value::max_y << " Y dimensions; merge digits that stand side by side";
    if (v.rule == encoding_rule::size_fits_64_bits)
        return s << "the product of all digit lengths does not fit 63 bits; use a smaller tile";
    if (v.rule == encoding_rule::digit_exists)
        return s << "digit (" << v.digit.major << "," << v.digit.minor
                 << ") does not exist; a P or a Y names it, use a major and a minor in range";
    s << kind << v.digit.major << "," << v.digit.minor << ") ";
    switch (v.rule) {
    case encoding_rule::length_is_positive:
        s << "has length " << v.value << "; lengths start at 1";
        break;
    case encoding_rule::y_owns_no_replication:
        s << "belongs to a Y; only a P may own replication";
        break;
    case encoding_rule::digit_has_an_owner:
        s << (v.digit.major == 0 ? "belongs to no P; give it to one" : "belongs to no P and no Y; give it to one");
        break;
    default:
        s << "has " << v.value
          << (v.digit.major == 0 ? " owners; give it to exactly one P" : " owners; give it to exactly one P or Y");
    }
    return s;
}

constexpr long_index_t product(const encoding_value::lengths_type& lengths)
{
    long_index_t n = 1;
    for (index_t length : lengths)
        n *= length;
    return n;
}

constexpr long_index_t x_length(const encoding_value& e, int i) { return product(e.hs[i]); }
constexpr index_t y_length(const encoding_value& e, int i) { return e.length(e.ys[i]); }
constexpr long_index_t replication(const encoding_value& e) { return product(e.rs); }

/// Length of partition dimension i; 1 for a P without digits.
constexpr long_index_t p_length(const encoding_value& e, int i)
{
    long_index_t n = 1;
    for (rh_digit d : e.ps[i])
        n *= e.length(d);
    return n;
}

/// Registers a lane needs for the tile: the product of the Y lengths.
constexpr long_index_t registers_per_lane(const encoding_value& e)
{
    long_index_t n = 1;
    for (int i = 0; i < e.num_y(); ++i)
        n *= y_length(e, i);
    return n;
}

/// Product of all P lengths: how many lanes of the block take part.
constexpr long_index_t partition_size(const encoding_value& e)
{
    long_index_t n = 1;
    for (int i = 0; i < e.num_p(); ++i)
        n *= p_length(e, i);
    return n;
}

} // namespace tegula

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::checked_product;
} // namespace tegula::internal
