// ldmatrix and stmatrix on the emulator, against the layouts of the instruction table, which are checked against golden
// data; and the bank conflicts they count.
#include "atom_harness.hpp"

#include <tegula/arch/nvidia/matrix_copy.hpp>

#include "test/catch.hpp"

namespace tegula::test {
namespace {

using target = arch::sm_90a;
using arch::nvidia::load_matrices;
using arch::nvidia::store_matrices;

/// The table's row of a load.
template <int Count, bool Transposed>
instruction find_row()
{
    for (const instruction& i : detail::instruction_rows::nvidia)
        if (i.family == instruction_family::matrix_copy && i.name[0] == 'l' && i.m == 8 * Count &&
            i.transposes == Transposed)
            return i;
    return {};
}

template <class Kernel>
emulator::launch_result run_warp(const Kernel& kernel)
{
    emulator::run_config config;
    config.chip = &chip::sm_90a;
    config.block_threads = 32;
    config.shared_bytes = 8192;
    config.cpu_threads = 1;
    return emulator::launch(config, kernel);
}

/// Row `row` of 16 bytes; `pitch`: bytes from one to the next.
std::uint16_t* place(int row, int pitch)
{
    return reinterpret_cast<std::uint16_t*>(target::shared_memory() + row * pitch);
}

/// Matrices whose element (row, column) is 8 row + column, at the start of shared memory.
template <int Count>
void fill(int pitch)
{
    for (int i = target::lane_id(); i < 64 * Count; i += 32)
        target::store_shared(reinterpret_cast<raw_vector<2>*>(place(i / 8, pitch) + i % 8),
                             __builtin_bit_cast(raw_vector<2>, static_cast<std::uint16_t>(i)));
    target::wave_barrier();
}

/// Reads them into registers, which are to be as the table says, and writes them to another place.
template <int Count, bool Transposed>
void copy_there_and_back(int pitch)
{
    static const auto where = positions(copy_encoding(find_row<Count, Transposed>()));
    int wrong = 0;
    const auto result = run_warp([&] {
        fill<Count>(pitch);
        const int lane = target::lane_id();
        const auto registers = load_matrices<Count, Transposed>(place(lane % (8 * Count), pitch));
        for (int i = 0; i < 2 * Count; ++i) {
            const position at = where[static_cast<std::size_t>(lane)][static_cast<std::size_t>(i)];
            wrong += (registers[i / 2] >> 16 * (i % 2) & 0xffff) != static_cast<std::uint32_t>(at.x0 * 8 + at.x1);
        }
        store_matrices<Count, Transposed>(place(32 + lane % (8 * Count), pitch), registers);
        target::wave_barrier();
        for (int i = lane; i < 64 * Count; i += 32) {
            const auto back = target::load_shared(reinterpret_cast<raw_vector<2>*>(place(32 + i / 8, pitch) + i % 8));
            wrong += back.words[0] != i;
        }
    });
    INFO(result.report << result.status.message());
    CHECK(result.status.ok());
    CHECK(wrong == 0);
}

/// Extra cycles of reading Count matrices of that pitch.
template <int Count>
std::int64_t load_conflicts(int pitch)
{
    return run_warp([&] {
               fill<Count>(pitch);
               load_matrices<Count>(place(target::lane_id() % (8 * Count), pitch));
           })
        .counters.shared_load_conflicts;
}

TEST_CASE("Matrices come to the registers that the table says, and go back")
{
    copy_there_and_back<1, false>(16);
    copy_there_and_back<2, false>(48);
    copy_there_and_back<4, false>(80);
    copy_there_and_back<1, true>(32);
    copy_there_and_back<2, true>(16);
    copy_there_and_back<4, true>(80);
}

TEST_CASE("The eight rows of a matrix are one phase of shared memory")
{
    CHECK(load_conflicts<4>(16) == 0);
    CHECK(load_conflicts<4>(80) == 0);
    // Rows 128 bytes apart share their banks: seven extra cycles a matrix.
    CHECK(load_conflicts<4>(128) == 4 * 7);
    CHECK(load_conflicts<1>(128) == 7);
}

} // namespace
} // namespace tegula::test
