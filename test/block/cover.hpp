#pragma once

/// Brute-force looks at an encoding: who holds what, straight from the definition.

#include <tegula/layout/access_plan.hpp>
#include <tegula/layout/digit_table.hpp>

#include <algorithm>
#include <vector>

namespace tegula::test {

/// How often each element of a two-dimensional tile is held, row-major; empty where a (P, Y) falls outside the tile.
inline std::vector<long_index_t> count_holders(const encoding_value& e)
{
    const digit_table table = make_digit_table(e);
    const long_index_t rows = x_length(e, 0), columns = x_length(e, 1);
    std::vector<long_index_t> holders(static_cast<std::size_t>(rows * columns));
    const long_indices p_all = p_lengths(e), y_all = y_lengths(e);
    for (long_index_t p = 0; p < partition_size(e); ++p)
        for (long_index_t r = 0; r < registers_per_lane(e); ++r) {
            const long_indices x =
                calculate_index(table, unflatten(p, p_all, e.num_p()), unflatten(r, y_all, e.num_y()));
            if (x[0] < 0 || x[0] >= rows || x[1] < 0 || x[1] >= columns)
                return {};
            ++holders[static_cast<std::size_t>(x[0] * columns + x[1])];
        }
    return holders;
}

/// Whether the encoding is valid and holds each element of a rows x columns tile exactly `times` times.
inline bool covers(const encoding_value& e, long_index_t rows, long_index_t columns, long_index_t times)
{
    if (!validate(e).empty() || x_length(e, 0) != rows || x_length(e, 1) != columns || replication(e) != times)
        return false;
    const std::vector<long_index_t> holders = count_holders(e);
    return !holders.empty() && std::all_of(holders.begin(), holders.end(), [&](long_index_t n) { return n == times; });
}

} // namespace tegula::test
