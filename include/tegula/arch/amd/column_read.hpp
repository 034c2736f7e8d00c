#pragma once

#include <tegula/arch/amd/primitives.hpp>
#include <tegula/core/array.hpp>

#if !TEGULA_DEVICE_PASS
#include <tegula/emulator/async_matrix.hpp>
#include <tegula/emulator/interface.hpp>
#endif

namespace tegula::arch::amd {

#if !TEGULA_DEVICE_PASS
namespace emulated {

/// Sixteen lanes exchange the elements they named against columns. Host only.
struct column_read
{
    std::uint16_t row[4];
    array<std::uint16_t, 4> column;

    static void exchange(column_read& mine, const call_site& where)
    {
        tegula::emulator::internal::lane_state& me = *emulator::internal::current_lane;
        me.wave->arguments[me.lane] = &mine;
        emulator::internal::with_whole_wave("ds_read_b64_tr_b16", where, [](emulator::internal::lane_state& last) {
            const auto of = [&](int lane) { return static_cast<column_read*>(last.wave->arguments[lane]); };
            for (int lane = 0; lane < 64; ++lane)
                for (int row = 0; row < 4; ++row)
                    of(lane)->column[row] = of(lane / 16 * 16 + lane % 16 / 4 + 4 * row)->row[lane % 4];
        });
    }
};

} // namespace emulated
#endif

/// ds_read_b64_tr_b16 of gfx950, for elements of 16 bits in shared memory. Of 16 lanes, lane 4 r + q names elements
/// 4 q to 4 q + 3 of row r of four rows of 16, at a multiple of 8 bytes; lane l gets column l, element by row.
TEGULA_INLINE array<std::uint16_t, 4> read_column([[maybe_unused]] const void* quarter_row,
                                                  [[maybe_unused]] call_site where = call_site::here())
{
#if defined(__gfx950__)
    using vector = short __attribute__((ext_vector_type(4)));
    using place = __attribute__((address_space(3))) vector*;
    const vector column = __builtin_amdgcn_ds_read_tr16_b64_v4i16((place) const_cast<void*>(quarter_row));
    return __builtin_bit_cast(array<std::uint16_t, 4>, column);
#elif !TEGULA_DEVICE_PASS
    emulated::column_read mine;
    emulator::load_shared<8>(mine.row, quarter_row, true, where);
    emulated::column_read::exchange(mine, where);
    return mine.column;
#else
    return {};
#endif
}

} // namespace tegula::arch::amd
