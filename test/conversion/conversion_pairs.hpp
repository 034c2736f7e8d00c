#pragma once

// Random pairs of distributions of one tile, with waves of a given size: copies, digits of 3, 5 and 7, and cuts that do
// not refine each other included. Usable in constant expressions, so that a seed can name a pair of types.

#include <tegula/layout/encoding_value.hpp>

namespace conversion_pairs {

using tegula::encoding_value;
using tegula::index_t;
using tegula::rh_digit;

struct encoding_pair
{
    encoding_value source;
    encoding_value destination;
};

class generator
{
public:
    /// Register bits beyond one a lane are below `max_register_bits`.
    constexpr explicit generator(unsigned seed, int max_register_bits = 5)
        : state_(seed * 0x9e3779b97f4a7c15ULL + 1), max_register_bits_(max_register_bits)
    {}

    constexpr int below(int n)
    {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<int>((state_ >> 33) % static_cast<unsigned>(n));
    }
    constexpr bool chance(int percent) { return below(100) < percent; }

    constexpr encoding_pair pair(int wave_size)
    {
        waves_ = chance(15) ? 3 : 1 << below(3);
        choose_tile(wave_size);
        const bool threads = chance(15);
        encoding_pair both;
        both.source = side(wave_size, threads || chance(10));
        both.destination = both.source;
        if (chance(6))
            shuffle(both.destination.ys);
        else
            both.destination = side(wave_size, threads || chance(10));
        return both;
    }
    constexpr int waves() const { return waves_; }

private:
    using primes = tegula::static_vector<int, 10>;
    using digits = encoding_value::digits_type;

    template <class List>
    constexpr void shuffle(List& list)
    {
        for (int i = list.size() - 1; i > 0; --i) {
            const int k = below(i + 1);
            const auto exchanged = list[i];
            list[i] = list[k];
            list[k] = exchanged;
        }
    }

    /// The prime factors of every dimension, ascending.
    constexpr void choose_tile(int wave_size)
    {
        tile_ = {};
        for (int n = below(3); n >= 0; --n)
            tile_.push_back({});
        for (int n = wave_size * (waves_ == 3 ? 1 : waves_) << below(max_register_bits_); n > 1; n /= 2)
            tile_[below(tile_.size())].push_back(2);
        if (waves_ == 3)
            tile_[below(tile_.size())].push_back(3);
        constexpr int odd[] = {3, 3, 5, 7};
        if (chance(35))
            tile_[below(tile_.size())].push_back(odd[below(4)]);
        mixed_order_ = chance(40);
    }

    constexpr encoding_value side(int wave_size, bool thread_ids)
    {
        encoding_value e;
        digits free;
        for (primes dim : tile_) {
            if (mixed_order_)
                shuffle(dim);
            e.hs.push_back({});
            for (int p : dim) {
                e.hs.back().push_back(p);
                free.push_back({e.num_x(), e.hs.back().size() - 1});
            }
        }
        if (chance(70))
            shuffle(free);
        const int copies = chance(35) ? 1 + below(2) : 0;
        e.ps.push_back({});
        if (thread_ids) {
            fill(e, 0, free, wave_size * waves_, copies);
        } else if (waves_ == 1) {
            fill(e, 0, free, wave_size, copies);
        } else {
            e.ps.push_back({});
            fill(e, 1, free, wave_size, copies);
            fill(e, 0, free, waves_, chance(25) ? 1 : 0);
        }
        for (rh_digit d : free)
            e.ys.push_back(d);
        return e;
    }

    /// Gives P digits until it has `length` positions: `copies` of them of R, and what the tile cannot fill.
    constexpr void fill(encoding_value& e, int p, digits& free, int length, int copies)
    {
        constexpr int factors[] = {3, 2};
        for (int prime : factors)
            for (; length % prime == 0; length /= prime) {
                int at = 0;
                while (at < free.size() && e.length(free[at]) != prime)
                    ++at;
                if (copies-- > 0 || at == free.size()) {
                    e.rs.push_back(prime);
                    e.ps[p].push_back({0, e.rs.size() - 1});
                } else {
                    e.ps[p].push_back(free[at]);
                    for (; at + 1 < free.size(); ++at)
                        free[at] = free[at + 1];
                    --free.count;
                }
            }
        if (chance(60))
            shuffle(e.ps[p]);
    }

    std::uint64_t state_;
    int max_register_bits_;
    int waves_ = 1;
    bool mixed_order_ = false;
    tegula::static_vector<primes, 3> tile_;
};

} // namespace conversion_pairs
