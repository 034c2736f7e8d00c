#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tegula::test {

/// Greedy: each row starts from the first pair still missing, and every other factor takes the level that adds most
/// missing pairs; ties go round, so that rows differ. The same on every machine.
class pairwise_search
{
public:
    explicit pairwise_search(std::vector<int> levels) : levels_(std::move(levels))
    {
        for (std::size_t f = 0; f < levels_.size(); ++f) {
            first_.push_back(total_);
            total_ += levels_[f];
        }
        covered_.assign(static_cast<std::size_t>(total_) * static_cast<std::size_t>(total_), false);
        while (start_row())
            finish_row();
    }

    std::vector<std::vector<int>> take() { return std::move(rows_); }

private:
    static constexpr int open = -1;

    std::size_t pair(std::size_t f, int x, std::size_t g, int y) const
    {
        const auto a = static_cast<std::size_t>(first_[f] + x), b = static_cast<std::size_t>(first_[g] + y);
        return a < b ? a * static_cast<std::size_t>(total_) + b : b * static_cast<std::size_t>(total_) + a;
    }

    bool start_row()
    {
        for (std::size_t f = 0; f < levels_.size(); ++f)
            for (std::size_t g = f + 1; g < levels_.size(); ++g)
                for (int x = 0; x < levels_[f]; ++x)
                    for (int y = 0; y < levels_[g]; ++y)
                        if (!covered_[pair(f, x, g, y)]) {
                            row_.assign(levels_.size(), open);
                            row_[f] = x;
                            row_[g] = y;
                            return true;
                        }
        return false;
    }

    int gain(std::size_t f, int level) const
    {
        int missing = 0;
        for (std::size_t g = 0; g < row_.size(); ++g)
            if (g != f && row_[g] != open && !covered_[pair(f, level, g, row_[g])])
                ++missing;
        return missing;
    }

    void finish_row()
    {
        for (std::size_t f = 0; f < row_.size(); ++f) {
            if (row_[f] != open)
                continue;
            int best = open, best_gain = -1;
            for (int i = 0; i < levels_[f]; ++i) {
                const int level = (i + turn_) % levels_[f];
                if (const int g = gain(f, level); g > best_gain) {
                    best = level;
                    best_gain = g;
                }
            }
            row_[f] = best;
            ++turn_;
        }
        for (std::size_t f = 0; f < row_.size(); ++f)
            for (std::size_t g = f + 1; g < row_.size(); ++g)
                covered_[pair(f, row_[f], g, row_[g])] = true;
        rows_.push_back(row_);
    }

    std::vector<int> levels_, first_, row_;
    int total_ = 0;
    int turn_ = 0;
    std::vector<bool> covered_;
    std::vector<std::vector<int>> rows_;
};

/// Rows of levels, one a factor, in which every pair of levels of every two factors stands at least once; levels[f] is
/// the number of levels of factor f.
inline std::vector<std::vector<int>> pairwise_rows(std::vector<int> levels)
{
    return pairwise_search(std::move(levels)).take();
}

} // namespace tegula::test
