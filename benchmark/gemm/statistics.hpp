#pragma once

// The arithmetic of measuring: nothing here knows a GPU.

#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace gemm_benchmark {

/// The middle value, or the mean of the two in the middle; NaN of nothing.
inline double median(std::vector<double> values)
{
    if (values.empty())
        return std::nan("");
    const std::size_t middle = values.size() / 2;
    std::sort(values.begin(), values.end());
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// exp(mean(log)); NaN of nothing or where a value is not above 0.
inline double geometric_mean(const std::vector<double>& values)
{
    double sum = 0;
    for (double value : values)
        sum += value > 0 ? std::log(value) : std::nan("");
    return values.empty() ? std::nan("") : std::exp(sum / static_cast<double>(values.size()));
}

/// Median of the ratios of what was measured one after the other, so that a drift of the clock counts little.
inline double median_ratio(const std::vector<double>& over, const std::vector<double>& under)
{
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(over.size(), under.size()); ++i)
        ratios.push_back(over[i] / under[i]);
    return median(std::move(ratios));
}

/// The largest value less the least, divided by the median; NaN of nothing.
inline double spread(const std::vector<double>& values)
{
    if (values.empty())
        return std::nan("");
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return (*most - *least) / median(values);
}

inline double teraflops(const shape& s, double seconds) { return s.flops() / seconds * 1e-12; }

/// How many sets of matrices of `set_bytes` launches go through in turn, so that none finds its own in a cache of
/// `cache_bytes`: together at least `factor` times the cache, and two at least. As many as fit `free_bytes`, and one
/// where even two do not; of small matrices `most`, which then do stay in the cache.
inline int rotation_count(double set_bytes, double cache_bytes, double free_bytes, double factor = 2.5, int most = 128)
{
    const double wanted = std::max(2., std::ceil(factor * cache_bytes / set_bytes));
    const double fitting = std::floor(free_bytes / set_bytes);
    return static_cast<int>(std::max(1., std::min({wanted, fitting, static_cast<double>(most)})));
}

/// Launches to time together, so that they take about `wanted_seconds`: whole turns through `sets` sets of matrices.
inline int launches_of_group(double seconds_each, double wanted_seconds, int sets, int most = 10000)
{
    const double wanted = seconds_each > 0 ? wanted_seconds / seconds_each : most;
    const int turns = static_cast<int>(std::ceil(std::clamp(wanted, 1., static_cast<double>(most)) / sets));
    return turns * sets;
}

/// Tells when times have stopped to drift: the median of the last `window` times is within `tolerance` of that of the
/// `window` before.
class settling
{
public:
    explicit settling(int window = 8, double tolerance = 0.005)
        : window_(static_cast<std::size_t>(window)), tolerance_(tolerance)
    {}

    void add(double seconds) { times_.push_back(seconds); }
    bool settled() const
    {
        if (times_.size() < 2 * window_)
            return false;
        const auto end = times_.end(), middle = end - offset(window_), begin = middle - offset(window_);
        const double before = median({begin, middle}), after = median({middle, end});
        return std::fabs(after - before) <= tolerance_ * before;
    }
    std::size_t count() const { return times_.size(); }

private:
    static std::ptrdiff_t offset(std::size_t n) { return static_cast<std::ptrdiff_t>(n); }

    std::size_t window_;
    double tolerance_;
    std::vector<double> times_;
};

} // namespace gemm_benchmark
