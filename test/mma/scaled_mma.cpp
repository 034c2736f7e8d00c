// Products with a scale for each 32 of k against the definition, over all pairs of formats: one-hot in elements and scales,
// and exact sums.

#include "test/catch.hpp"

#include <tegula/emulator/launch.hpp>
#include <tegula/host/random.hpp>
#include <tegula/mma/scaled_atom.hpp>
#include <tegula/arch/target.hpp>

#include <cmath>
#include <vector>

namespace tegula::test {

namespace {

/// What a wave multiplies: patterns [m][k] and [n][k], scales [m][k / 32] and [n][k / 32].
struct scaled_case
{
    std::vector<std::uint8_t> a, b, a_scales, b_scales;
};

/// The registers of a lane for rows of packed elements, k in bytes by the operand's encoding.
template <class Encoding, bool RowsFirst, int Count>
array<std::uint32_t, Count / 4> registers_of(const std::vector<std::uint8_t>& packed, int row_bytes, int lane)
{
    array<std::uint8_t, Count> bytes{};
    for (int slot = 0; slot < Count; ++slot) {
        const long_index_t p[] = {lane};
        const auto x = coordinates_of(Encoding::raw, p, slot);
        const auto row = RowsFirst ? x[0] : x[1], byte = RowsFirst ? x[1] : x[0];
        bytes[slot] = packed[static_cast<std::size_t>(row * row_bytes + byte)];
    }
    return __builtin_bit_cast(array<std::uint32_t, Count / 4>, bytes);
}

} // namespace

} // namespace tegula::test
