#pragma once

#include <tegula/core/math.hpp>
#include <tegula/layout/encoding_value.hpp>
#include <tegula/mma/table/instruction.hpp>

/// Register layouts of matrix instructions as encodings, derived from the integers of a row.
///
/// Dimensions are [M, K] for A, [K, N] for B, [M, N] for C and D, after a dimension of blocks if there are several.
/// One P, the lane. Y in slot order: slots count from a lane's first register upwards, low bits first.
/// Sources: AMD matrix instruction ISA guides (CDNA 3 section 7.1.4, RDNA 3 and 4 WMMA), PTX ISA (mma, wgmma, ldmatrix
/// fragments); checked against the golden layouts. gfx950's f8f6f4: the register maps in Composable Kernel's tests of
/// these instructions (test/mx_mfma_op). gfx1250's WMMA: AMD's emulator rocjitsu (shared/mma/layout.h).

namespace tegula {

enum class operand { a, b, c };

namespace detail {

/// Collects digits, dropping those of length 1.
struct operand_builder
{
    encoding_value e;
    static constexpr rh_digit nothing = {-1, -1};

    constexpr explicit operand_builder(int num_x)
    {
        for (int i = 0; i < num_x; ++i)
            e.hs.push_back({});
        e.ps.push_back({});
    }

    /// Appends a factor to a dimension (X0 is major 1), or to R (major 0); call from the most significant down.
    constexpr rh_digit digit(int major, int length)
    {
        if (length == 1)
            return nothing;
        e.lengths(major).push_back(length);
        return {major, e.lengths(major).size() - 1};
    }

    /// The lane number from its most significant digit down.
    template <class... Digits>
    constexpr operand_builder& lane(Digits... ds)
    {
        (add(e.ps[0], ds), ...);
        return *this;
    }
    /// The slot number from its most significant digit down.
    template <class... Digits>
    constexpr operand_builder& slots(Digits... ds)
    {
        (add(e.ys, ds), ...);
        return *this;
    }

    /// The encoding; a dimension of length 1 keeps one digit so that every dimension has one.
    constexpr encoding_value finish()
    {
        for (int i = 0; i < e.num_x(); ++i)
            if (e.hs[i].empty()) {
                e.hs[i].push_back(1);
                e.ys.push_back({i + 1, 0});
            }
        return e;
    }

private:
    template <class List>
    static constexpr void add(List& list, rh_digit d)
    {
        if (d.major >= 0)
            list.push_back(d);
    }
};

/// Majors of an operand's dimensions: `outer` is M of A and N of B, `k` their common one.
struct operand_dims
{
    int count;
    int block;
    int outer;
    int k;
    int outer_length;
};

constexpr operand_dims input_dims(const instruction& i, operand which)
{
    const int first = i.blocks > 1 ? 1 : 0;
    return which == operand::a ? operand_dims{first + 2, 1, first + 1, first + 2, i.m}
                               : operand_dims{first + 2, 1, first + 2, first + 1, i.n};
}

/// Lane = [k group, block, row]. Each lane has a run of consecutive k; more than 16 bytes of k (8-bit f8f6f4 of gfx950)
/// are two runs, one in each half of k.
constexpr encoding_value mfma_input(const instruction& i, operand which)
{
    const operand_dims dims = input_dims(i, which);
    const int groups = i.wave / (dims.outer_length * i.blocks);
    operand_builder b(dims.count);
    const rh_digit block = i.blocks > 1 ? b.digit(dims.block, i.blocks) : b.nothing;
    const rh_digit row = b.digit(dims.outer, dims.outer_length);
    const int per_lane = i.k / groups;
    const int halves = info(which == operand::a ? i.a : i.b).bits == 8 && per_lane > 16 ? 2 : 1;
    const rh_digit half = b.digit(dims.k, halves);
    const rh_digit group = b.digit(dims.k, groups);
    const rh_digit run = b.digit(dims.k, per_lane / halves);
    return b.lane(group, block, row).slots(half, run).finish();
}

/// Rows go to registers in runs of 4 (f64: 1), then to lanes. The low digits of the lane are columns and blocks, the
/// others count rows.
constexpr encoding_value mfma_output(const instruction& i)
{
    const int run = i.c == element_kind::f64 ? 1 : 4;
    const int all = i.wave * run / (i.n * i.m);
    const int lane_blocks = max(all, 1);
    const int lane_rows = i.wave / (lane_blocks * i.n);
    const int row_groups = i.m / (run * lane_rows);
    const int first = i.blocks > 1 ? 1 : 0;
    operand_builder b(first + 2);
    const rh_digit block_hi = i.blocks > 1 ? b.digit(1, i.blocks / lane_blocks) : b.nothing;
    const rh_digit block_lo = i.blocks > 1 ? b.digit(1, lane_blocks) : b.nothing;
    const rh_digit row_hi = b.digit(first + 1, row_groups);
    const rh_digit row_mid = b.digit(first + 1, lane_rows);
    const rh_digit row_lo = b.digit(first + 1, run);
    const rh_digit column = b.digit(first + 2, i.n);
    return b.lane(row_mid, block_lo, column).slots(block_hi, row_hi, row_lo).finish();
}

/// Each lane holds a whole row; every group of 16 lanes holds the same.
constexpr encoding_value wmma_gfx11_input(const instruction& i, operand which)
{
    const operand_dims dims = input_dims(i, which);
    operand_builder b(2);
    const rh_digit copies = b.digit(0, i.wave / dims.outer_length);
    const rh_digit row = b.digit(dims.outer, dims.outer_length);
    const rh_digit run = b.digit(dims.k, i.k);
    return b.lane(copies, row).slots(run).finish();
}

/// Rows alternate between the groups of 16 lanes.
constexpr encoding_value wmma_gfx11_output(const instruction& i)
{
    operand_builder b(2);
    const rh_digit row_hi = b.digit(1, i.m * i.n / i.wave);
    const rh_digit row_lo = b.digit(1, i.wave / i.n);
    const rh_digit column = b.digit(2, i.n);
    return b.lane(row_lo, column).slots(row_hi).finish();
}

/// In wave32, runs of 64 bits of k alternate between the half-waves. In wave64, the upper half of each lane's registers
/// goes to lanes 32-63; if there is only one register those lanes are idle.
constexpr encoding_value wmma_gfx12_input(const instruction& i, operand which)
{
    const operand_dims dims = input_dims(i, which);
    const int per_lane = i.k / 2;
    const int bits = info(which == operand::a ? i.a : i.b).bits;
    const int upper = i.wave == 64 && per_lane * bits > 32 ? 2 : 1;
    const int run = min(64 / bits, per_lane);
    const int runs = per_lane / run;
    operand_builder b(2);
    const rh_digit row = b.digit(dims.outer, dims.outer_length);
    const rh_digit run_hi = b.digit(dims.k, runs);
    const rh_digit half = b.digit(dims.k, 2);
    if (upper == 1)
        return b.lane(half, row).slots(run_hi, b.digit(dims.k, run)).finish();
    if (runs > 1)
        return b.lane(run_hi, half, row).slots(b.digit(dims.k, run)).finish();
    const rh_digit run_upper = b.digit(dims.k, 2);
    return b.lane(run_upper, half, row).slots(b.digit(dims.k, run / 2)).finish();
}

constexpr encoding_value wmma_gfx12_output(const instruction& i)
{
    const int upper = i.wave / 32;
    operand_builder b(2);
    const rh_digit half = b.digit(1, 2);
    const rh_digit row_upper = b.digit(1, upper);
    const rh_digit row_lo = b.digit(1, i.m / (2 * upper));
    const rh_digit column = b.digit(2, i.n);
    return b.lane(row_upper, half, column).slots(row_lo).finish();
}

/// Runs of 16 bytes of k, of 32 elements narrower than a byte, alternate between the half-waves; rows past 16 are a
/// second set of registers.
constexpr encoding_value wmma_gfx1250_input(const instruction& i, operand which)
{
    const operand_dims dims = input_dims(i, which);
    const int bits = info(which == operand::a ? i.a : i.b).bits;
    const int run = min(bits < 8 ? 32 : 128 / bits, i.k / 2);
    operand_builder b(2);
    const rh_digit row_hi = b.digit(dims.outer, dims.outer_length / 16);
    const rh_digit row = b.digit(dims.outer, 16);
    const rh_digit run_hi = b.digit(dims.k, i.k / (2 * run));
    const rh_digit half = b.digit(dims.k, 2);
    const rh_digit element = b.digit(dims.k, run);
    return b.lane(half, row).slots(row_hi, run_hi, element).finish();
}

/// Eight rows per half-wave, then the 16 rows below.
constexpr encoding_value wmma_gfx1250_output(const instruction& i)
{
    operand_builder b(2);
    const rh_digit row_hi = b.digit(1, i.m / 16);
    const rh_digit half = b.digit(1, 2);
    const rh_digit row_lo = b.digit(1, 8);
    const rh_digit column = b.digit(2, i.n);
    return b.lane(half, column).slots(row_hi, row_lo).finish();
}

/// Lane = [8 rows, 4 threads]; a 32-bit register holds consecutive k, A has a second half 8 rows below.
constexpr encoding_value mma_sync_input(const instruction& i, operand which, int slot_bits)
{
    const operand_dims dims = input_dims(i, which);
    const int run = slot_bits < 32 ? 32 / slot_bits : 1;
    const int warps = i.wave / 32;
    operand_builder b(2);
    const rh_digit warp = which == operand::a ? b.digit(dims.outer, warps) : b.nothing;
    const rh_digit half = b.digit(dims.outer, dims.outer_length / (8 * (which == operand::a ? warps : 1)));
    const rh_digit row = b.digit(dims.outer, 8);
    const rh_digit k_hi = b.digit(dims.k, i.k / (4 * run));
    const rh_digit thread = b.digit(dims.k, 4);
    const rh_digit k_lo = b.digit(dims.k, run);
    return b.lane(warp, row, thread).slots(k_hi, half, k_lo).finish();
}

/// Lane = [8 rows, 4 threads]; pairs of columns, then rows 8 below, then further columns.
constexpr encoding_value mma_sync_output(const instruction& i)
{
    const int warps = i.wave / 32;
    operand_builder b(2);
    const rh_digit warp = b.digit(1, warps);
    const rh_digit half = b.digit(1, i.m / (8 * warps));
    const rh_digit row = b.digit(1, 8);
    const rh_digit column_hi = b.digit(2, i.n / 8);
    const rh_digit thread = b.digit(2, 4);
    const rh_digit pair = b.digit(2, 2);
    return b.lane(warp, row, thread).slots(column_hi, half, pair).finish();
}

/// All elements are in the one lane. One step multiplies 32 bits of k, or one element if k is 1 or the element is
/// longer. A has rows of such words, B has words of k by columns.
constexpr encoding_value x86_input(const instruction& i, operand which)
{
    const int bits = info(which == operand::a ? i.a : i.b).bits;
    const int run = bits < 32 && i.k > 1 ? 32 / bits : 1;
    const operand_dims dims = input_dims(i, which);
    operand_builder b(2);
    const rh_digit outer = b.digit(dims.outer, dims.outer_length);
    const rh_digit word = b.digit(dims.k, i.k / run);
    const rh_digit within = b.digit(dims.k, run);
    return which == operand::a ? b.slots(outer, word, within).finish() : b.slots(word, outer, within).finish();
}

constexpr encoding_value x86_output(const instruction& i)
{
    operand_builder b(2);
    const rh_digit row = b.digit(1, i.m);
    const rh_digit column = b.digit(2, i.n);
    return b.slots(row, column).finish();
}

} // namespace detail

/// Bits of one slot of the operand: those of the element, except for narrow floats that are kept in bytes.
constexpr int slot_bits(const instruction& i, operand which)
{
    if (which == operand::c)
        return info(i.c).bits;
    return i.input_slot_bits != 0 ? i.input_slot_bits : info(which == operand::a ? i.a : i.b).bits;
}

/// Whether the operand is in registers: B of a wgmma and the inputs of a copy are not.
constexpr bool in_registers(const instruction& i, operand which)
{
    return kind_of(i) == instruction_kind::mma || (kind_of(i) == instruction_kind::wgmma && which != operand::b);
}

/// Layout of A [M, K] or B [K, N]. Precondition: in_registers(i, which).
constexpr encoding_value input_encoding(const instruction& i, operand which)
{
    switch (i.family) {
    case instruction_family::mfma:
        return detail::mfma_input(i, which);
    case instruction_family::wmma_gfx11:
        return detail::wmma_gfx11_input(i, which);
    case instruction_family::wmma_gfx12:
        return detail::wmma_gfx12_input(i, which);
    case instruction_family::wmma_gfx1250:
        return detail::wmma_gfx1250_input(i, which);
    case instruction_family::x86_vector:
    case instruction_family::x86_tile:
        return detail::x86_input(i, which);
    default:
        return detail::mma_sync_input(i, which, slot_bits(i, which));
    }
}

constexpr encoding_value a_encoding(const instruction& i) { return input_encoding(i, operand::a); }
constexpr encoding_value b_encoding(const instruction& i) { return input_encoding(i, operand::b); }

/// Layout of the accumulator and of the result, [M, N].
constexpr encoding_value c_encoding(const instruction& i)
{
    switch (i.family) {
    case instruction_family::mfma:
        return detail::mfma_output(i);
    case instruction_family::wmma_gfx11:
        return detail::wmma_gfx11_output(i);
    case instruction_family::wmma_gfx12:
        return detail::wmma_gfx12_output(i);
    case instruction_family::wmma_gfx1250:
        return detail::wmma_gfx1250_output(i);
    case instruction_family::x86_vector:
    case instruction_family::x86_tile:
        return detail::x86_output(i);
    default:
        return detail::mma_sync_output(i);
    }
}

/// Registers of a matrix copy, [8 * matrices rows, 8 columns] of 16-bit elements: lane = [8 rows, 4 pairs of columns]
/// or, in the transposing form, [8 columns, 4 pairs of rows]; one matrix per register.
constexpr encoding_value copy_encoding(const instruction& i)
{
    detail::operand_builder b(2);
    const rh_digit matrix = b.digit(1, i.m / 8);
    const int paired = i.transposes ? 1 : 2;
    const int single = 3 - paired;
    const rh_digit pair_hi = paired == 1 ? b.digit(1, 4) : b.nothing;
    const rh_digit pair_lo = paired == 1 ? b.digit(1, 2) : b.nothing;
    const rh_digit line = b.digit(single, 8);
    const rh_digit thread = paired == 1 ? pair_hi : b.digit(2, 4);
    const rh_digit element = paired == 1 ? pair_lo : b.digit(2, 2);
    return b.lane(line, thread).slots(matrix, element).finish();
}

constexpr encoding_value operand_encoding(const instruction& i, operand which)
{
    return which == operand::a ? a_encoding(i) : which == operand::b ? b_encoding(i) : c_encoding(i);
}

/// Which slots of a lane hold the elements of the encoding: element e is slot e * stride + offset.
struct slot_pattern
{
    int stride = 1;
    int offset = 0;
};

/// 16-bit results of gfx11 use one half of each register; everything else is packed.
constexpr slot_pattern slots_of(const instruction& i, operand which)
{
    if (i.family == instruction_family::wmma_gfx11 && which == operand::c && info(i.c).bits == 16)
        return {2, i.variant == instruction_variant::opsel_hi ? 1 : 0};
    return {};
}

} // namespace tegula
