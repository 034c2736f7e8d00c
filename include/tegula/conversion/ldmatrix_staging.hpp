#pragma once

#include <tegula/conversion/shared_staging_xor.hpp>

namespace tegula {

/// Sides of a staging that copy 8x8 matrices of 16-bit elements: ldmatrix, stmatrix (PTX ISA). Their lanes address
/// whole rows of a matrix, 16 bytes, and hold other elements than those.
///
/// If the digits of such a side are bits, lane bits 0 to 4 and the lowest bits of the register choose in a matrix
///
///               column      row         matrix
///   plain       r0 l0 l1    l2 l3 l4    r1 r2
///   transposed  l2 l3 l4    r0 l0 l1    r1 r2
///
/// Also sides that read columns by ds_read_b64_tr_b16 of gfx950, from four rows of 16 elements. Among 16 lanes,
/// lane 4 r + q addresses four elements of row r; lane l gets column l, one row in each register. Lane and halfword are
/// as in ROCm's gfx950 simulator (rocm-systems pull request 10175).

namespace detail {

/// The digit that is the bit of weight `stride` in the number of the thread or of the register; -1: none.
constexpr int digit_at(const held_tile& tile, bool in_thread, index_t stride)
{
    for (int i = 0; i < tile.digits.size(); ++i)
        if (tile.digits[i].in_thread == in_thread && tile.digits[i].stride == stride && tile.digits[i].length == 2)
            return i;
    return -1;
}

/// The digits that choose a row's elements, then the row, then the matrix.
constexpr static_vector<int, 8> matrix_digits(const held_tile& tile, const staging_side& side)
{
    const int low = digit_at(tile, false, 1);
    const int pairs[] = {low, digit_at(tile, true, 1), digit_at(tile, true, 2)};
    const int eighths[] = {digit_at(tile, true, 4), digit_at(tile, true, 8), digit_at(tile, true, 16)};
    static_vector<int, 8> found;
    for (int i : side.transposed ? eighths : pairs)
        found.push_back(i);
    for (int i : side.transposed ? pairs : eighths)
        found.push_back(i);
    for (int n = 2; n <= side.matrices; n *= 2)
        found.push_back(digit_at(tile, false, n));
    return found;
}

/// Whether the side can copy side.matrices matrices at once.
constexpr bool has_matrices(const held_tile& tile, const staging_side& side)
{
    for (int i : matrix_digits(tile, side))
        if (i < 0)
            return false;
    return true;
}

/// The digits of the column, then of the row, of a side that reads columns.
constexpr static_vector<int, 8> column_digits(const held_tile& tile)
{
    return {digit_at(tile, true, 1), digit_at(tile, true, 2),  digit_at(tile, true, 4),
            digit_at(tile, true, 8), digit_at(tile, false, 1), digit_at(tile, false, 2)};
}

/// The tile as lanes address it for a read of columns: each lane a quarter of a row.
constexpr held_tile quarter_rows(held_tile tile)
{
    const static_vector<int, 8> digits = column_digits(tile);
    for (int n = 0; n < digits.size(); ++n) {
        held_digit& d = tile.digits[digits[n]];
        d.in_thread = n >= 2;
        d.stride = index_t{1} << (n < 2 ? n : n - 2);
    }
    return tile;
}

} // namespace detail

/// The tile as its lanes address memory: the side itself or, for copied matrices, a row in each lane and an element of
/// the row in each register. Lanes from 8 * matrices on address nothing.
constexpr held_tile addressing_tile(const held_tile& tile, const staging_side& side)
{
    if (side.reads_columns)
        return detail::quarter_rows(tile);
    if (side.matrices == 0)
        return tile;
    held_tile rows = tile;
    const static_vector<int, 8> digits = detail::matrix_digits(tile, side);
    for (int n = 0; n < digits.size(); ++n) {
        held_digit& d = rows.digits[digits[n]];
        d.in_thread = n >= 3;
        d.stride = index_t{1} << (n < 3 ? n : n - 3);
    }
    // The other registers: their strides follow the eight elements of a row.
    const index_t copied = 2 * side.matrices;
    for (int i = 0; i < rows.digits.size(); ++i)
        if (!tile.digits[i].in_thread && tile.digits[i].stride >= copied)
            rows.digits[i].stride = tile.digits[i].stride / copied * 8;
    rows.registers = tile.registers / copied * 8;
    return rows;
}

/// Both sides as they address shared memory.
constexpr conversion_digits addressing_sides(const conversion_digits& both, const shared_staging& p)
{
    return {addressing_tile(both.source, p.store), addressing_tile(both.destination, p.load), both.refined};
}

/// Register of the side that holds half `half` of the word that copies matrix `matrix` in the access of the addressing
/// tile's register n.
constexpr index_t matrix_register(const staging_side& side, index_t n, index_t matrix, index_t half)
{
    return n / 8 * 2 * side.matrices + 2 * matrix + half;
}

namespace detail {

struct matrix_choice
{
    const chip_info& chip;
    const conversion_digits& both;
    shared_staging best;
    long_index_t best_cost;

    static constexpr staging_side widest(const held_tile& tile, bool transposed)
    {
        staging_side side;
        side.transposed = transposed;
        for (side.matrices = 4; side.matrices > 1 && !has_matrices(tile, side);)
            side.matrices /= 2;
        return side;
    }

    constexpr void consider(const staging_side& store, const staging_side& load)
    {
        if ((store.matrices > 0 && !has_matrices(both.source, store)) ||
            (load.matrices > 0 && !has_matrices(both.destination, load)))
            return;
        const auto digits =
            store.matrices > 0 ? matrix_digits(both.source, store) : matrix_digits(both.destination, load);
        f2::vectors row;
        for (int i = 0; i < 3; ++i) {
            if (store.matrices > 0 && load.matrices > 0 && matrix_digits(both.destination, load)[i] != digits[i])
                return;
            row.push_back(f2::unit(digits[i]));
        }
        conversion_digits rows = both;
        rows.source = addressing_tile(both.source, store);
        rows.destination = addressing_tile(both.destination, load);
        shared_staging p = make_xor_staging_of(chip, rows, 16, row);
        p.store.matrices = store.matrices;
        p.store.transposed = store.transposed;
        p.load.matrices = load.matrices;
        p.load.transposed = load.transposed;
        const long_index_t cost = staging_cost(chip, p, rows);
        if (cost < best_cost) {
            best = p;
            best_cost = cost;
        }
    }
};

} // namespace detail

/// The staging, or one that copies matrices on one side or both if that is cheaper. Precondition: both sides are
/// linear and elements in memory have 16 bits.
constexpr shared_staging choose_matrix_copies(const chip_info& chip, const conversion_digits& both,
                                              const shared_staging& plain)
{
    detail::matrix_choice choice{chip, both, plain, staging_cost(chip, plain, both)};
    const auto of = [](const held_tile& tile, int kind) {
        return kind == 0 ? staging_side{} : detail::matrix_choice::widest(tile, kind == 2);
    };
    for (int store = 0; store < (chip.has_matrix_store ? 3 : 1); ++store)
        for (int load = store == 0 ? 1 : 0; load < 3; ++load)
            choice.consider(of(both.source, store), of(both.destination, load));
    return choice.best;
}

/// The staging, or one whose load reads columns if that is cheaper. Preconditions as above.
constexpr shared_staging choose_column_read(const chip_info& chip, const conversion_digits& both,
                                            const shared_staging& plain)
{
    const auto digits = detail::column_digits(both.destination);
    for (int i : digits)
        if (i < 0)
            return plain;
    staging_side load;
    load.reads_columns = true;
    conversion_digits rows = both;
    rows.destination = addressing_tile(both.destination, load);
    shared_staging p = detail::make_xor_staging_of(chip, rows, 16, {f2::unit(digits[0]), f2::unit(digits[1])});
    p.load.reads_columns = true;
    return staging_cost(chip, p, rows) < staging_cost(chip, plain, both) ? p : plain;
}

} // namespace tegula
