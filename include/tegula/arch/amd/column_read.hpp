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

/// Gives sixteen lanes columns in exchange for the elements that they addressed. Host only.
template <class Word>
struct column_read
{
    static constexpr int depth =
        8 / static_cast<int>(sizeof(Word)); ///< rows of a column, and elements that a lane addresses
    Word row[depth];
    array<Word, depth> column;

    static void exchange(column_read& mine, const char* name, const call_site& where)
    {
        tegula::emulator::internal::lane_state& me = *emulator::internal::current_lane;
        me.wave->arguments[me.lane] = &mine;
        emulator::internal::with_whole_wave(name, where, [](emulator::internal::lane_state& last) {
            const auto of = [&](int lane) { return static_cast<column_read*>(last.wave->arguments[lane]); };
            for (int lane = 0; lane < 64; ++lane)
                for (int row = 0; row < depth; ++row)
                    of(lane)->column[row] =
                        of(lane / 16 * 16 + lane % 16 / depth + 16 / depth * row)->row[lane % depth];
        });
    }
};

} // namespace emulated
#endif

#if defined(__gfx950__)
namespace issued {

template <class Word>
using column = std::conditional_t<sizeof(Word) == 2, short __attribute__((ext_vector_type(4))),
                                  int __attribute__((ext_vector_type(2)))>;
template <class Word>
using columns = __attribute__((address_space(3))) column<Word>*;

/// `restrict` tells LLVM 22 enough about what is read. Without it the read waits for all direct loads in flight;
/// direct_barrier() has waited for those that are read.
template <class Word>
TEGULA_INLINE array<Word, 8 / sizeof(Word)> read_column(columns<Word> __restrict__ from)
{
    if constexpr (sizeof(Word) == 2)
        return __builtin_bit_cast(array<Word, 4>, __builtin_amdgcn_ds_read_tr16_b64_v4i16(from));
    else
        return __builtin_bit_cast(array<Word, 8>, __builtin_amdgcn_ds_read_tr8_b64_v2i32(from));
}

} // namespace issued
#endif

/// ds_read_b64_tr_b16 and ds_read_b64_tr_b8 of gfx950, for elements of 16 bits (Word std::uint16_t) and of 8
/// (std::uint8_t) in shared memory: D = 4 or 8 rows of 16 elements. Lane 16 / D r + q of 16 lanes addresses elements D
/// q to D q + D - 1 of row r, at a multiple of 8 bytes; lane l gets column l, element by row.
template <class Word = std::uint16_t>
TEGULA_INLINE array<Word, 8 / sizeof(Word)> read_column([[maybe_unused]] const void* part_of_row,
                                                        [[maybe_unused]] call_site where = call_site::here())
{
    static_assert(sizeof(Word) <= 2, "tegula: transposing reads are for elements of 8 and 16 bits");
#if defined(__gfx950__)
    return issued::read_column<Word>((issued::columns<Word>)const_cast<void*>(part_of_row));
#elif !TEGULA_DEVICE_PASS
    emulated::column_read<Word> mine;
    emulator::load_shared<8>(mine.row, part_of_row, true, where);
    emulated::column_read<Word>::exchange(mine, sizeof(Word) == 2 ? "ds_read_b64_tr_b16" : "ds_read_b64_tr_b8", where);
    return mine.column;
#else
    return {};
#endif
}

} // namespace tegula::arch::amd
