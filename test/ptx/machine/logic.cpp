// Bits. PTX ISA: "Logic and Shift Instructions"; of "Integer Arithmetic Instructions": popc, clz, bfind, fns, brev,
// bfe, bfi, szext, bmsk; of "Data Movement and Conversion Instructions": prmt.

#include "elementwise.hpp"

namespace ptx {

namespace {

int width(const std::string& type) { return parse_type(type).bits; }

/// "and", "or": a byte that the other operand decides is no poison.
template <bool Or>
action conjunction(decoder& d)
{
    const int bits = width(d.take_type());
    const destination to = d.to(0);
    const auto from = sources<2>(d, bits);
    return [to, from](warp& w, lane_mask mask) {
        const std::uint64_t *a = from[0].values(w), *b = from[1].values(w);
        const std::uint8_t *pa = from[0].poison(w), *pb = from[1].poison(w);
        each_lane(mask, [&](int lane) {
            unsigned poison = 0;
            if (pa[lane] | pb[lane]) {
                const std::uint8_t decides = Or ? 0xff : 0;
                for (int i = 0; i < 8; ++i) {
                    const bool own = pa[lane] >> i & 1, other = pb[lane] >> i & 1;
                    const bool by_a = !own && static_cast<std::uint8_t>(a[lane] >> 8 * i) == decides;
                    const bool by_b = !other && static_cast<std::uint8_t>(b[lane] >> 8 * i) == decides;
                    poison |= static_cast<unsigned>((own || other) && !by_a && !by_b) << i;
                }
                if (to.bits == 1) { // predicates
                    const bool by_a = !pa[lane] && a[lane] == (Or ? 1 : 0), by_b = !pb[lane] && b[lane] == (Or ? 1 : 0);
                    poison = !by_a && !by_b;
                }
            }
            to.write(w, lane, Or ? a[lane] | b[lane] : a[lane] & b[lane], static_cast<std::uint8_t>(poison));
        });
        return outcome::next;
    };
}

/// "xor".
action exclusive_or(decoder& d)
{
    const int bits = width(d.take_type());
    return elementwise<2>(d.to(0), sources<2>(d, bits), [](auto a, auto b) { return a ^ b; });
}

/// "not".
action complement(decoder& d)
{
    const int bits = width(d.take_type());
    return elementwise<1>(d.to(0), sources<1>(d, bits), [](auto a) { return ~a; });
}

/// "cnot": whether a is 0.
action is_zero(decoder& d)
{
    const int bits = width(d.take_type());
    const std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    return elementwise<1>(d.to(0), sources<1>(d, bits), [all](auto a) { return std::uint64_t{(a & all) == 0}; });
}

/// "lop3": bit a b c of the table for each bit.
action lookup_logic(decoder& d)
{
    d.take("b32");
    const auto table = static_cast<std::uint64_t>(d.constant(4));
    return elementwise<3>(d.to(0), sources<3>(d, 32), [table](auto a, auto b, auto c) {
        std::uint64_t result = 0;
        for (unsigned i = 0; i < 8; ++i)
            if (table >> i & 1)
                result |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
        return result & 0xffffffff;
    });
}

/// "shl", "shr": amounts past the width shift everything out.
template <bool Left>
action shift(decoder& d)
{
    const register_type type = parse_type(d.take_type());
    return elementwise<2>(d.to(0), std::array{d.from(1, 0), d.from(2, 32)}, [type](auto a, auto b) -> std::uint64_t {
        const auto amount = static_cast<std::uint32_t>(b), bits = static_cast<std::uint32_t>(type.bits);
        const std::uint32_t cut = 64 - bits;
        if (Left)
            return amount >= bits ? 0 : a << amount << cut >> cut;
        if (type.kind == 's')
            return static_cast<std::uint64_t>((static_cast<std::int64_t>(a << cut) >> cut) >>
                                              (amount >= bits ? bits - 1 : amount))
                       << cut >>
                   cut;
        return amount >= bits ? 0 : (a << cut >> cut) >> amount;
    });
}

/// "shf": the funnel b:a.
action funnel_shift(decoder& d)
{
    const bool left = d.take_one({"l", "r"}) == "l";
    const bool wrap = d.take_one({"wrap", "clamp"}) == "wrap";
    d.take("b32");
    return elementwise<3>(d.to(0), sources<3>(d, 32), [left, wrap](auto a, auto b, auto c) {
        const auto amount = static_cast<std::uint32_t>(c);
        const unsigned n = wrap ? amount & 31 : amount < 32 ? amount : 32;
        const std::uint64_t both = (b & 0xffffffff) << 32 | (a & 0xffffffff);
        return (left ? both << n >> 32 : both >> n) & 0xffffffff;
    });
}

template <class F>
action count_bits(decoder& d, F f)
{
    const int bits = width(d.take_type());
    return elementwise<1>(d.to(0), sources<1>(d, bits), [bits, f](auto a) {
        return static_cast<std::uint64_t>(f(bits == 64 ? a : a & 0xffffffff, bits));
    });
}
/// "popc".
action population(decoder& d)
{
    return count_bits(d, [](std::uint64_t a, int) { return std::popcount(a); });
}
/// "clz".
action leading_zeros(decoder& d)
{
    return count_bits(d, [](std::uint64_t a, int bits) { return std::countl_zero(a) - (64 - bits); });
}
/// "brev".
action reverse(decoder& d)
{
    return count_bits(d, [](std::uint64_t a, int bits) {
        std::uint64_t r = 0;
        for (int i = 0; i < bits; ++i)
            r |= (a >> i & 1) << (bits - 1 - i);
        return r;
    });
}

/// "bfind": the highest bit that differs from the sign, or its distance from the top (.shiftamt); -1 where none is.
action find_bit(decoder& d)
{
    const bool from_top = d.take("shiftamt");
    const register_type type = parse_type(d.take_type());
    return elementwise<1>(d.to(0), sources<1>(d, type.bits), [=](auto a) {
        std::uint64_t x = type.bits == 64 ? a : a & 0xffffffff;
        if (type.kind == 's' && (x >> (type.bits - 1) & 1))
            x = ~x & (type.bits == 64 ? ~std::uint64_t{0} : 0xffffffff);
        if (x == 0)
            return std::uint64_t{0xffffffff};
        const int highest = 63 - std::countl_zero(x);
        return static_cast<std::uint64_t>(from_top ? type.bits - 1 - highest : highest);
    });
}

/// "bfe": c bits from position b; past the top comes the sign.
action extract_field(decoder& d)
{
    const register_type type = parse_type(d.take_type());
    return elementwise<3>(d.to(0), sources<3>(d, type.bits), [type](auto a, auto b, auto c) {
        const unsigned position = b & 0xff, length = c & 0xff, bits = static_cast<unsigned>(type.bits);
        const bool is_signed = type.kind == 's';
        std::uint64_t sign = 0;
        if (is_signed && length != 0)
            sign = a >> std::min(position + length - 1, bits - 1) & 1;
        std::uint64_t result = 0;
        for (unsigned i = 0; i < bits; ++i) {
            const std::uint64_t bit = i < length && position + i < bits ? a >> (position + i) & 1 : sign;
            result |= bit << i;
        }
        return result;
    });
}

/// "bfi": the low d bits of a at position c of b.
action insert_field(decoder& d)
{
    const int bits = width(d.take_type());
    return elementwise<4>(d.to(0), sources<4>(d, bits), [bits](auto a, auto b, auto c, auto n) {
        const unsigned position = c & 0xff, length = n & 0xff;
        std::uint64_t result = b;
        for (unsigned i = 0; i < length && position + i < static_cast<unsigned>(bits); ++i) {
            const std::uint64_t bit = std::uint64_t{1} << (position + i);
            result = (result & ~bit) | ((a >> i & 1) << (position + i));
        }
        return result;
    });
}

/// "bmsk", "szext".
action bit_mask(decoder& d)
{
    const bool wrap = d.take_one({"clamp", "wrap"}) == "wrap";
    d.take("b32");
    return elementwise<2>(d.to(0), sources<2>(d, 32), [wrap](auto a, auto b) {
        const std::uint64_t from = wrap ? a & 31 : std::min<std::uint64_t>(a & 0xffffffff, 32);
        const std::uint64_t length = wrap ? b & 31 : std::min<std::uint64_t>(b & 0xffffffff, 32);
        return (((std::uint64_t{1} << length) - 1) << from) & 0xffffffff;
    });
}

/// "prmt": four bytes picked from b:a, or their signs; poison follows the bytes.
action permute(decoder& d)
{
    d.take("b32");
    const std::string mode = d.take_one({"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"});
    const destination to = d.to(0);
    const auto from = sources<3>(d, 32);
    return [to, from, mode](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const std::uint64_t both = (from[0].values(w)[lane] & 0xffffffff) | from[1].values(w)[lane] << 32;
            const unsigned poisons = (from[0].poison(w)[lane] & 15u) | (from[1].poison(w)[lane] & 15u) << 4;
            const auto selector = static_cast<unsigned>(from[2].checked(w, lane, "the selector of prmt"));
            std::uint64_t result = 0;
            unsigned poison = 0;
            for (unsigned i = 0; i < 4; ++i) {
                unsigned byte = selector >> 4 * i & 7;
                const unsigned n = selector & 3;
                if (mode == "f4e")
                    byte = n + i;
                else if (mode == "b4e")
                    byte = (n + 8 - i) & 7;
                else if (mode == "rc8")
                    byte = n;
                else if (mode == "ecl")
                    byte = std::max(i, n);
                else if (mode == "ecr")
                    byte = std::min(i, n);
                else if (mode == "rc16")
                    byte = (n & 1) * 2 + (i & 1);
                std::uint64_t value = both >> 8 * byte & 0xff;
                if (mode.empty() && selector >> 4 * i & 8)
                    value = value & 0x80 ? 0xff : 0;
                result |= value << 8 * i;
                poison |= (poisons >> byte & 1) << i;
            }
            to.write(w, lane, result, static_cast<std::uint8_t>(poison));
        });
        return outcome::next;
    };
}

} // namespace

void add_logic(decoder_table& table)
{
    table["and"] = conjunction<false>;
    table["or"] = conjunction<true>;
    table["xor"] = exclusive_or;
    table["not"] = complement;
    table["cnot"] = is_zero;
    table["lop3"] = lookup_logic;
    table["shl"] = shift<true>;
    table["shr"] = shift<false>;
    table["shf"] = funnel_shift;
    table["popc"] = population;
    table["clz"] = leading_zeros;
    table["brev"] = reverse;
    table["bfind"] = find_bit;
    table["bfe"] = extract_field;
    table["bfi"] = insert_field;
    table["bmsk"] = bit_mask;
    table["prmt"] = permute;
}

} // namespace ptx
