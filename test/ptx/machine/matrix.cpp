// PTX ISA: "Warp Level Matrix Multiply-Accumulate Instructions": mma, ldmatrix, stmatrix, movmatrix.

#include "fragments.hpp"
#include "matrix_types.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ptx {

namespace {

/// The scales of one operand of an mma.sync with .block_scale (9.7.14.3 "Block Scaling for mma.sync"): `count` bytes for each
/// row of A or column of B, from the selected byte of a selected lane's register on.
struct block_scales
{
    source word;
    std::vector<source> selectors; ///< byte-id, thread-id
    int count = 0;
    bool of_a = false, powers = true;

    block_scales() = default;
    block_scales(decoder& d, std::size_t operand, int number, bool is_a, bool are_powers)
        : word(d.from(operand, 32)), selectors(d.list_from(operand + 1, 16)), count(number), of_a(is_a),
          powers(are_powers)
    {
        if (selectors.size() != 2)
            throw fault(d.what().text() + ": a byte-id and a thread-id select a scale");
    }
    /// f(row or column, number along k, value, poisoned) for all.
    template <class F>
    void each(warp& w, F f) const
    {
        const auto byte = static_cast<int>(selectors[0].checked(w, 0, "a byte-id"));
        const auto thread = static_cast<int>(selectors[1].checked(w, 0, "a thread-id"));
        if (byte % count != 0 || byte > 3 || thread >= (of_a ? 2 : 4))
            throw fault("the document has no byte-id " + std::to_string(byte) + " with thread-id " +
                        std::to_string(thread) + " for " + std::to_string(count) + " scales of " + (of_a ? "A" : "B"));
        for (int row = 0; row < (of_a ? 16 : 8); ++row) {
            // The thread-id selects two of q's four lanes for A's rows q and q + 8, or one lane for a column of B.
            const int lane = of_a ? row % 8 * 4 + 2 * thread + row / 8 : row * 4 + thread;
            for (int s = 0; s < count; ++s) {
                const auto code = static_cast<std::uint32_t>(word.values(w)[lane] >> 8 * (byte + s) & 0xff);
                const double value = !powers        ? decode_float(code & 0x7f, format_e4m3)
                                     : code == 0xff ? std::numeric_limits<double>::quiet_NaN()
                                                    : std::ldexp(1.0, static_cast<int>(code) - 127);
                f(row, s, value, (word.poison(w)[lane] >> (byte + s) & 1) != 0);
            }
        }
    }
};

/// How many scales of a row an instruction of the kind has; the document's table of kinds, vector sizes and types of scales.
int scales_of(decoder& d, const std::string& kind, int k, bool powers)
{
    const std::string vector =
        d.take_one({"scale_vec::1X", "scale_vec::2X", "scale_vec::4X"}, kind == "kind::mxf8f6f4" ? "scale_vec::1X"
                                                                        : kind == "kind::mxf4"   ? "scale_vec::2X"
                                                                                                 : "");
    const int count = vector.empty() ? 0 : vector[11] - '0';
    const bool known = kind == "kind::mxf8f6f4" ? count == 1 && k == 32 && powers
                       : kind == "kind::mxf4"   ? count == 2 && k == 64 && powers
                                                : (count == 2 && powers) || (count == 4 && !powers);
    if (!known || (kind == "kind::mxf4nvf4" && k != 64))
        throw fault(d.what().text() + ": the document has no such scales");
    return count;
}

/// "mma.sync": D = A * B + C. The order of the sums is not stated; here they are in double and round once.
action multiply(decoder& d)
{
    d.take("sync");
    d.result().aligned = d.take("aligned");
    const matrix_shape shape = take_shape(d);
    if (!d.take("row") || !d.take("col"))
        throw fault("only mma.row.col is in the machine");
    const bool saturate = d.take("satfinite");
    const std::string kind = d.take_one({"kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"});
    const bool in_bytes = kind.ends_with("f8f6f4"), scaled = d.take("block_scale");
    if (scaled != kind.starts_with("kind::mx"))
        throw fault(d.what().text() + ": the document has no such kind");
    const bool powers = !scaled || d.take_one({"ue8m0", "ue4m3"}) != "ue4m3";
    const int scales = scaled ? scales_of(d, kind, shape.k, powers) : 0;
    const bool exclusive = d.take_one({"and", "xor"}) == "xor"; // of bits, whose products are counted
    d.take("popc");
    const matrix_type td = matrix_type_of(d.take_type());
    const matrix_type ta = matrix_type_of(d.take_type(), in_bytes), tb = matrix_type_of(d.take_type(), in_bytes);
    const matrix_type tc = matrix_type_of(d.take_type());
    if (shape.n != 8 || (shape.m != 16 && shape.m != 8) || (shape.m == 8 && ta.bits == 16))
        throw fault(d.what().text() + ": the shape is not in the machine");
    const std::vector<destination> to = d.list_to(0);
    const fragment_reader a{d.list_from(1), ta}, b{d.list_from(2), tb}, c{d.list_from(3), tc};
    if (a.slots() * lanes != shape.m * shape.k || b.slots() * lanes != shape.k * 8 || c.slots() * lanes != shape.m * 8)
        throw fault(d.what().text() + ": the fragments have other numbers of registers");
    block_scales sa, sb;
    if (scaled) {
        sa = block_scales(d, 4, scales, true, powers);
        sb = block_scales(d, 6, scales, false, powers);
    }
    return [=](warp& w, lane_mask) {
        double ma[16 * 256], mb[256 * 8], mc[16 * 8];
        bool pa[16] = {}, pb[8] = {}, pc[16 * 8] = {};
        const int k = shape.k;
        a.each(w, [&](int lane, int slot, double x, bool poisoned) {
            const element e = fragment_a(shape.m, ta.bits, lane, slot);
            ma[e.row * k + e.column] = x;
            pa[e.row] |= poisoned;
        });
        b.each(w, [&](int lane, int slot, double x, bool poisoned) {
            const element e = fragment_b(tb.bits, lane, slot);
            mb[e.row * 8 + e.column] = x;
            pb[e.column] |= poisoned;
        });
        c.each(w, [&](int lane, int slot, double x, bool poisoned) {
            const element e = fragment_c(shape.m, lane, slot);
            mc[e.row * 8 + e.column] = x;
            pc[e.row * 8 + e.column] = poisoned;
        });
        if (scaled) {
            const int block = k / scales;
            sa.each(w, [&](int row, int s, double x, bool poisoned) {
                for (int l = s * block; l < (s + 1) * block; ++l)
                    ma[row * k + l] *= x;
                pa[row] |= poisoned;
            });
            sb.each(w, [&](int column, int s, double x, bool poisoned) {
                for (int l = s * block; l < (s + 1) * block; ++l)
                    mb[l * 8 + column] *= x;
                pb[column] |= poisoned;
            });
        }
        for (int i = 0; i < shape.m; ++i)
            for (int l = 0; l < k; ++l)
                for (int j = 0; j < 8; ++j) {
                    const double x = ma[i * k + l], y = mb[l * 8 + j];
                    mc[i * 8 + j] += exclusive ? x + y - 2 * x * y : x * y;
                }
        const int packed = td.bits < 32 ? 2 : 1;
        for (std::size_t r = 0; r < to.size(); ++r)
            for (int lane = 0; lane < lanes; ++lane) {
                std::uint64_t value = 0;
                unsigned poison = 0;
                for (int i = 0; i < packed; ++i) {
                    const element e = fragment_c(shape.m, lane, static_cast<int>(r) * packed + i);
                    const int at = e.row * 8 + e.column;
                    value |= td.encode(mc[at], saturate) << 16 * i;
                    if (pa[e.row] || pb[e.column] || pc[at])
                        poison |= packed == 2 ? 3u << 2 * i : 0xff;
                }
                to[r].write(w, lane, value, static_cast<std::uint8_t>(poison));
            }
        return outcome::next;
    };
}

struct matrix_move
{
    int count = 1;
    bool transposed = false;
    int packed_bits = 0; ///< of elements that are widened to bytes, 16 in a row; 0: rows of 8 elements of 16 bits
    address at;

    explicit matrix_move(decoder& d, std::size_t operand)
    {
        d.take("sync");
        d.result().aligned = d.take("aligned");
        const bool widens = operand == 1 && d.take("m8n16");
        if (!widens && !d.take("m8n8"))
            throw fault("only matrices of 8 x 8, and of 8 x 16 packed elements, are in the machine");
        count = d.take("x4") ? 4 : d.take("x2") ? 2 : 1;
        d.take("x1");
        transposed = !widens && d.take("trans");
        const std::string space = d.take_space("");
        if (widens) {
            d.take("b8x16");
            packed_bits = d.take("b6x16_p32") ? 6 : 4;
            if (packed_bits == 4 && !d.take("b4x16_p64"))
                throw fault("ldmatrix .m8n16 of elements that are neither .b6x16_p32 nor .b4x16_p64");
        } else {
            d.take("b16");
        }
        at = d.memory(operand, space);
    }
    /// Row r of matrix i begins where lane 8i + r says.
    place row(warp& w, int matrix, int r) const
    {
        const int lane = 8 * matrix + r;
        check_alignment(at.of(w, lane), 16);
        return at.resolve(w, lane, 16);
    }
};

/// "ldmatrix" .m8n16: 16 unsigned elements, the first in the low bits, each to a byte of its own; two bytes are an element of
/// the 8 x 8 matrix that a row without packing is.
void widen_row(warp& w, const place& row, int bits, std::uint64_t* codes, std::uint8_t* poison)
{
    std::uint64_t bytes[12]{};
    std::uint8_t without[12]{};
    for (int i = 0; i < 2 * bits; ++i) {
        place at = row;
        at.offset += static_cast<std::uint64_t>(i);
        bytes[i] = read_bytes(w, at, 1, without[i]);
    }
    for (int c = 0; c < 8; ++c) {
        codes[c] = 0;
        poison[c] = 0;
        for (int half = 0; half < 2; ++half) {
            const int first = (2 * c + half) * bits;
            std::uint64_t element = 0;
            for (int bit = first; bit < first + bits; ++bit) {
                element |= (bytes[bit / 8] >> bit % 8 & 1) << (bit - first);
                if (without[bit / 8] != 0)
                    poison[c] = static_cast<std::uint8_t>(poison[c] | 1u << half);
            }
            codes[c] |= element << 8 * half;
        }
    }
}

/// "ldmatrix".
action load_matrix(decoder& d)
{
    const matrix_move move(d, 1);
    const std::vector<destination> to = d.list_to(0);
    if (static_cast<int>(to.size()) != move.count)
        throw fault("ldmatrix into another number of registers");
    return [=](warp& w, lane_mask) {
        std::uint64_t codes[4][8][8];
        std::uint8_t poison[4][8][8];
        for (int m = 0; m < move.count; ++m)
            for (int r = 0; r < 8; ++r) {
                place at = move.row(w, m, r);
                if (move.packed_bits != 0) {
                    widen_row(w, at, move.packed_bits, codes[m][r], poison[m][r]);
                    continue;
                }
                for (int c = 0; c < 8; ++c, at.offset += 2)
                    codes[m][r][c] = read_bytes(w, at, 2, poison[m][r][c]);
            }
        for (int m = 0; m < move.count; ++m) // behind all reads: an address may be in a register that is written
            for (int lane = 0; lane < lanes; ++lane) {
                const element low = fragment_of_matrix(move.transposed, lane, 0),
                              high = fragment_of_matrix(move.transposed, lane, 1);
                to[static_cast<std::size_t>(m)].write(
                    w, lane, codes[m][low.row][low.column] | codes[m][high.row][high.column] << 16,
                    static_cast<std::uint8_t>(poison[m][low.row][low.column] | poison[m][high.row][high.column] << 2));
            }
        return outcome::next;
    };
}

/// "stmatrix".
action store_matrix(decoder& d)
{
    const matrix_move move(d, 0);
    const std::vector<source> from = d.list_from(1, 32);
    if (static_cast<int>(from.size()) != move.count)
        throw fault("stmatrix from another number of registers");
    return [=](warp& w, lane_mask) {
        for (int m = 0; m < move.count; ++m)
            for (int lane = 0; lane < lanes; ++lane)
                for (int i = 0; i < 2; ++i) {
                    const element e = fragment_of_matrix(move.transposed, lane, i);
                    const source& x = from[static_cast<std::size_t>(m)];
                    place at = move.row(w, m, e.row);
                    at.offset += static_cast<std::uint64_t>(2 * e.column);
                    write_bytes(w, lane, at, 2, x.values(w)[lane] >> 16 * i,
                                static_cast<std::uint8_t>(x.poison(w)[lane] >> 2 * i & 3));
                }
        return outcome::next;
    };
}

/// "movmatrix": the transpose of a matrix in registers.
action move_matrix(decoder& d)
{
    d.take("sync");
    d.result().aligned = d.take("aligned");
    d.take("m8n8");
    d.take("trans");
    d.take("b16");
    const destination to = d.to(0);
    const source from = d.from(1, 32);
    return [=](warp& w, lane_mask) {
        std::uint64_t codes[8][8];
        std::uint8_t poison[8][8];
        for (int lane = 0; lane < lanes; ++lane)
            for (int i = 0; i < 2; ++i) {
                const element e = fragment_of_matrix(false, lane, i);
                codes[e.row][e.column] = from.values(w)[lane] >> 16 * i & 0xffff;
                poison[e.row][e.column] = from.poison(w)[lane] >> 2 * i & 3;
            }
        for (int lane = 0; lane < lanes; ++lane) {
            const element low = fragment_of_matrix(true, lane, 0), high = fragment_of_matrix(true, lane, 1);
            to.write(w, lane, codes[low.row][low.column] | codes[high.row][high.column] << 16,
                     static_cast<std::uint8_t>(poison[low.row][low.column] | poison[high.row][high.column] << 2));
        }
        return outcome::next;
    };
}

} // namespace

void add_matrix(decoder_table& table)
{
    table["mma"] = multiply;
    table["ldmatrix"] = load_matrix;
    table["stmatrix"] = store_matrix;
    table["movmatrix"] = move_matrix;
}

} // namespace ptx
