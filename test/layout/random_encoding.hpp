#pragma once

// Random encodings for property tests, and the meaning of an encoding written directly from its definition.

#include <tegula/layout/encoding_value.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace random_encodings {

using tegula::encoding_value;
using tegula::index_t;
using tegula::long_index_t;
using tegula::rh_digit;
using integers = std::vector<long_index_t>;

struct limits
{
    int max_x = 4;
    int max_digits = 4;      ///< in one tensor dimension
    long_index_t size = 512; ///< largest number of (P, Y) pairs
    int min_x = 1;
};

class generator
{
public:
    explicit generator(unsigned seed) : engine(seed) {}

    int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine); }

    /// A valid encoding with 0 to 3 P, R digits, digits of length 1 and lengths that are no powers of two.
    encoding_value valid(limits l = {})
    {
        encoding_value e;
        long_index_t room = l.size;
        auto length = [&] {
            static constexpr int choices[] = {1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 11};
            const int n = choices[below(11)];
            if (n > room)
                return 1;
            room /= n;
            return n;
        };
        const int num_p = below(4);
        for (int i = 0; i < num_p; ++i)
            e.ps.push_back({});
        for (int n = num_p > 0 ? below(3) : 0; n > 0; --n)
            e.rs.push_back(length());
        for (int i = l.min_x + below(l.max_x - l.min_x + 1); i > 0; --i) {
            e.hs.push_back({});
            for (int n = below(l.max_digits + 1); n > 0; --n)
                e.hs.back().push_back(length());
        }
        deal(e);
        return e;
    }

private:
    /// Gives every digit to a P or a Y, in random order.
    void deal(encoding_value& e)
    {
        std::vector<rh_digit> digits;
        for (int major = 0; major <= e.num_x(); ++major)
            for (int minor = 0; minor < e.lengths(major).size(); ++minor)
                digits.push_back({major, minor});
        std::shuffle(digits.begin(), digits.end(), engine);
        for (rh_digit d : digits) {
            const bool to_p = d.major == 0 || (e.num_p() > 0 && below(2) == 0);
            if (to_p)
                e.ps[below(e.num_p())].push_back(d);
            else
                e.ys.push_back(d);
        }
    }

    std::mt19937 engine;
};

/// All index vectors below `lengths`, last dimension fastest.
inline std::vector<integers> all_indices(const integers& lengths)
{
    std::vector<integers> all{{}};
    for (long_index_t length : lengths) {
        std::vector<integers> longer;
        for (const integers& head : all)
            for (long_index_t i = 0; i < length; ++i) {
                longer.push_back(head);
                longer.back().push_back(i);
            }
        all = std::move(longer);
    }
    return all;
}

/// An encoding read as its definition says: each P is the mixed-radix number of its digits, each Y is a digit, each X
/// is the mixed-radix number of its digits.
struct definition
{
    const encoding_value& e;
    using digit_values = std::map<std::pair<int, int>, long_index_t>;

    integers x_lengths() const
    {
        integers v;
        for (const auto& h : e.hs) {
            v.push_back(1);
            for (index_t n : h)
                v.back() *= n;
        }
        return v;
    }
    integers p_lengths() const
    {
        integers v;
        for (const auto& p : e.ps) {
            v.push_back(1);
            for (rh_digit d : p)
                v.back() *= e.lengths(d.major)[d.minor];
        }
        return v;
    }
    integers y_lengths() const
    {
        integers v;
        for (rh_digit d : e.ys)
            v.push_back(e.lengths(d.major)[d.minor]);
        return v;
    }

    digit_values digits(const integers& p, const integers& y) const
    {
        digit_values value;
        for (int i = 0; i < e.num_p(); ++i) {
            long_index_t rest = p[i];
            for (int k = e.ps[i].size() - 1; k >= 0; --k) {
                const rh_digit d = e.ps[i][k];
                const index_t length = e.lengths(d.major)[d.minor];
                value[{d.major, d.minor}] = rest % length;
                rest /= length;
            }
        }
        for (int i = 0; i < e.num_y(); ++i)
            value[{e.ys[i].major, e.ys[i].minor}] = y[i];
        return value;
    }
    /// Index of the replica that (p, y) is: the mixed-radix number of the R digits.
    long_index_t replica(const integers& p, const integers& y) const { return merged(0, digits(p, y)); }
    integers element(const integers& p, const integers& y) const
    {
        const digit_values value = digits(p, y);
        integers x;
        for (int i = 1; i <= e.num_x(); ++i)
            x.push_back(merged(i, value));
        return x;
    }

private:
    long_index_t merged(int major, const digit_values& value) const
    {
        long_index_t number = 0;
        for (int minor = 0; minor < e.lengths(major).size(); ++minor)
            number = number * e.lengths(major)[minor] + value.at({major, minor});
        return number;
    }
};

} // namespace random_encodings
