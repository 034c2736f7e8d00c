#pragma once

// The cheapest way between two distributions, found by looking for every element in every register of every thread: it
// knows encodings only, and nothing of plans.

#include <tegula/conversion/conversion_plan.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace cheapest {

using tegula::conversion_method;
using tegula::encoding_value;
using integers = std::vector<long>;

/// The coordinates of an element, in every register of every thread; threads count as wave * wave size + lane.
inline std::vector<std::vector<integers>> elements_of(const encoding_value& e, int wave_size)
{
    const auto length = [&](tegula::rh_digit d) { return static_cast<long>(e.lengths(d.major)[d.minor]); };
    long positions = 1, registers = 1;
    for (const auto& p : e.ps)
        for (tegula::rh_digit d : p)
            positions *= length(d);
    for (tegula::rh_digit d : e.ys)
        registers *= length(d);
    // No position of the last P: every lane of a wave holds the same.
    long last = 1;
    if (e.num_p() > 0)
        for (tegula::rh_digit d : e.ps[e.num_p() - 1])
            last *= length(d);
    const long lanes_alike = last == 1 ? wave_size : 1;
    std::vector<std::vector<integers>> held(static_cast<std::size_t>(positions * lanes_alike));
    for (long thread = 0; thread < positions * lanes_alike; ++thread)
        for (long n = 0; n < registers; ++n) {
            std::map<std::pair<int, int>, long> digits;
            long rest = thread / lanes_alike;
            for (int p = e.num_p() - 1; p >= 0; --p)
                for (int i = e.ps[p].size() - 1; i >= 0; --i) {
                    const tegula::rh_digit d = e.ps[p][i];
                    digits[{d.major, d.minor}] = rest % length(d);
                    rest /= length(d);
                }
            rest = n;
            for (int i = e.num_y() - 1; i >= 0; --i) {
                const tegula::rh_digit d = e.ys[i];
                digits[{d.major, d.minor}] = rest % length(d);
                rest /= length(d);
            }
            integers x;
            for (int i = 0; i < e.num_x(); ++i) {
                x.push_back(0);
                for (int minor = 0; minor < e.hs[i].size(); ++minor)
                    x.back() = x.back() * e.hs[i][minor] + digits[{i + 1, minor}];
            }
            held[static_cast<std::size_t>(thread)].push_back(x);
        }
    return held;
}

/// none: every register holds already what it is to hold. registers: every lane holds what it needs. shuffle: every
/// wave does. Fewer threads are repeated until they are as many as those of the other side.
inline conversion_method method_of(const encoding_value& source, const encoding_value& destination, int wave_size)
{
    const auto before = elements_of(source, wave_size), after = elements_of(destination, wave_size);
    const std::size_t threads = std::max(before.size(), after.size());
    std::map<integers, std::set<std::size_t>> waves; // that hold an element
    for (std::size_t t = 0; t < threads; ++t)
        for (const integers& x : before[t % before.size()])
            waves[x].insert(t / static_cast<std::size_t>(wave_size));
    auto cheapest = conversion_method::none;
    const auto needs = [&](conversion_method m) { cheapest = std::max(cheapest, m); };
    for (std::size_t t = 0; t < threads; ++t) {
        const auto& has = before[t % before.size()];
        const auto& wants = after[t % after.size()];
        if (has == wants)
            continue;
        needs(conversion_method::registers);
        const std::set<integers> own(has.begin(), has.end());
        for (const integers& x : wants)
            if (own.count(x) == 0)
                needs(waves[x].count(t / static_cast<std::size_t>(wave_size)) != 0 ? conversion_method::shuffle
                                                                                   : conversion_method::shared);
    }
    return cheapest;
}

} // namespace cheapest
