#pragma once

#include "test/kernel/normalization/rows.hpp"

namespace tegula::test {

/// Every kernel on rows of type T, with all tiles, over lengths on both sides of each tile's end.
template <class Target, class T>
void check_rows_grid()
{
    using tiles = row_tiles_for<Target, row_vector<T, T>>;
    using to_float = row_tiles_for<Target, row_vector<T, float>>;
    check_softmax_shapes<Target, T, T>();
    check_softmax_shapes<Target, T, float, softmax_form::log_softmax>();
    check_softmax_sectors<Target, T, T>();
    for (const long_index_t length : {1, 16, 63, 64, 256, 260, 511, 512, 1023, 1024, 2049, 4096, 8192, 8200, 30000})
        for (const bool fused : {false, true}) {
            check_norm<Target, tiles, norm_kind::layer, T, T>(3, length, fused);
            check_norm<Target, tiles, norm_kind::rms, T, std::int8_t>(2, length, fused);
            check_norm<Target, tiles, norm_kind::none, T, float8_e4m3_fnuz>(2, length, fused);
        }
    for (const long_index_t length : {1, 33, 256, 1024, 8192, 9001}) {
        check_norm_backward<Target, to_float, norm_kind::layer, T>(70, length);
        check_norm_backward<Target, to_float, norm_kind::rms, T>(3, length);
        check_cross_entropy<Target, T>(4, length + 1);
        check_topk_softmax<Target, T>(5, length + 32, 32, length % 2 == 0);
    }
}

} // namespace tegula::test
