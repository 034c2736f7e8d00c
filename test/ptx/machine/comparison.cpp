// PTX ISA: "Comparison and Selection Instructions": setp, set, selp, slct, with the operators of "Comparisons".

#include "elementwise.hpp"

#include <optional>

namespace ptx {

namespace {

template <class T>
bool compare(const std::string& op, T a, T b)
{
    const bool unordered = a != a || b != b;
    if (op == "num" || op == "nan")
        return unordered == (op == "nan");
    if (unordered) // equ, ltu and the like are true then
        return op.size() == 3 && op[2] == 'u';
    const std::string plain = op.size() == 3 && op[2] == 'u' ? op.substr(0, 2) : op;
    if (plain == "eq")
        return a == b;
    if (plain == "ne")
        return a != b;
    if (plain == "lt" || plain == "lo")
        return a < b;
    if (plain == "le" || plain == "ls")
        return a <= b;
    if (plain == "gt" || plain == "hi")
        return a > b;
    return a >= b;
}

std::function<bool(std::uint64_t, std::uint64_t)> comparison_of(const std::string& op, const std::string& type,
                                                                bool ftz)
{
    if (type == "f32")
        return [op, ftz](std::uint64_t a, std::uint64_t b) {
            const float x = as_float(a), y = as_float(b);
            return ftz ? compare(op, flush(x), flush(y)) : compare(op, x, y);
        };
    if (type == "f64")
        return [op](std::uint64_t a, std::uint64_t b) { return compare(op, as_double(a), as_double(b)); };
    if (type.starts_with("f16") || type.starts_with("bf16")) {
        const float_format format = type[0] == 'f' ? format_f16 : format_bf16;
        return [op, format](std::uint64_t a, std::uint64_t b) {
            return compare(op, decode_float(a & 0xffff, format), decode_float(b & 0xffff, format));
        };
    }
    const register_type t = parse_type(type);
    const bool is_signed = t.kind == 's' && op != "lo" && op != "ls" && op != "hi" && op != "hs";
    const int shift = 64 - t.bits;
    return [op, is_signed, shift](std::uint64_t a, std::uint64_t b) {
        if (is_signed)
            return compare(op, static_cast<std::int64_t>(a << shift) >> shift,
                           static_cast<std::int64_t>(b << shift) >> shift);
        return compare(op, a << shift >> shift, b << shift >> shift);
    };
}

bool combine(const std::string& op, bool a, bool b)
{
    return op == "and" ? a && b : op == "or" ? a || b : op == "xor" ? a != b : a;
}

/// The common part of "setp" and "set": the comparison, and the predicate that is combined with it.
struct test
{
    std::function<bool(std::uint64_t, std::uint64_t)> holds;
    std::string type;
    source a, b;
    std::optional<predicate> c;

    static std::string take_operator(decoder& d)
    {
        const std::string op = d.take_one({"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu",
                                           "ltu", "leu", "gtu", "geu", "num", "nan"});
        if (op.empty())
            throw fault("a comparison without an operator");
        return op;
    }
    test(decoder& d, const std::string& op, const std::string& of, bool ftz) : type(of)
    {
        holds = comparison_of(op, type, ftz);
        const int bits = type == "f64" ? 64 : 32;
        a = d.from(1, bits);
        b = d.from(2, bits);
        if (d.operands() == 4)
            c = d.test(3);
    }
};

/// "setp": p = a op b, combined with c; q = !(a op b), combined with c. For f16x2 and bf16x2, p and q are the halves.
action set_predicate(decoder& d)
{
    const std::string op = test::take_operator(d);
    const std::string combination = d.take_one({"and", "or", "xor"});
    const bool ftz = d.take("ftz");
    const std::string type = d.take_type();
    const test t(d, op, type, ftz);
    const std::vector<destination> to = d.list_to(0);
    const bool pair = type.ends_with("x2");
    return [=](warp& w, lane_mask mask) {
        const std::uint64_t *a = t.a.values(w), *b = t.b.values(w);
        const std::uint8_t *pa = t.a.poison(w), *pb = t.b.poison(w);
        each_lane(mask, [&](int lane) {
            std::uint8_t poison = spread(pa[lane] | pb[lane]);
            bool c = false;
            if (t.c) {
                poison |= spread(t.c->from.poison(w)[lane]);
                c = (t.c->from.values(w)[lane] & 1) != t.c->negated;
            }
            const bool first = t.holds(a[lane], b[lane]);
            to[0].write(w, lane, combine(combination, first, c), poison);
            if (to.size() > 1)
                to[1].write(w, lane, combine(combination, pair ? t.holds(a[lane] >> 16, b[lane] >> 16) : !first, c),
                            poison);
        });
        return outcome::next;
    };
}

/// "set": all ones or 1.0 where the comparison holds.
action set_value(decoder& d)
{
    const std::string op = test::take_operator(d);
    const std::string combination = d.take_one({"and", "or", "xor"});
    const bool ftz = d.take("ftz");
    const std::string type = d.take_type(); // of the result
    const test t(d, op, d.take_type(), ftz);
    const destination to = d.to(0);
    const std::uint64_t yes = type == "f32"                        ? bits_of(1.0f)
                              : type == "f16" || type == "f16x2"   ? 0x3c00
                              : type == "bf16" || type == "bf16x2" ? 0x3f80
                              : type == "u16" || type == "s16"     ? 0xffff
                                                                   : 0xffffffff;
    const bool pair = t.type.ends_with("x2");
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const std::uint64_t a = t.a.values(w)[lane], b = t.b.values(w)[lane];
            const bool c = t.c && t.c->of(w, lane, "a predicate");
            std::uint64_t result = combine(combination, t.holds(a, b), c) ? yes : 0;
            if (pair) {
                const std::uint64_t one = yes & 0xffff;
                result = (result & one) | (combine(combination, t.holds(a >> 16, b >> 16), c) ? one << 16 : 0);
            }
            to.write(w, lane, result, spread(t.a.poison(w)[lane] | t.b.poison(w)[lane]));
        });
        return outcome::next;
    };
}

/// "selp": poison follows what is selected.
action select(decoder& d)
{
    const std::string type = d.take_type();
    const int bits = type == "f64" ? 64 : 32;
    const destination to = d.to(0);
    const source a = d.from(1, bits), b = d.from(2, bits);
    const predicate p = d.test(3);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const bool first = (p.from.values(w)[lane] & 1) != p.negated;
            const std::uint8_t poison = (first ? a : b).poison(w)[lane] | spread(p.from.poison(w)[lane]);
            to.write(w, lane, (first ? a : b).values(w)[lane], poison);
        });
        return outcome::next;
    };
}

/// "slct": a where c >= 0.
action select_by_sign(decoder& d)
{
    d.take("ftz");
    const std::string type = d.take_type();
    const bool by_float = d.take_type() == "f32";
    const int bits = type == "f64" ? 64 : 32;
    const std::array from{d.from(1, bits), d.from(2, bits), d.from(3, 32)};
    return elementwise<3>(d.to(0), from, [by_float](auto a, auto b, auto c) {
        const bool first = by_float ? as_float(c) >= 0 : static_cast<std::int32_t>(c) >= 0;
        return first ? a : b;
    });
}

} // namespace

void add_comparison(decoder_table& table)
{
    table["setp"] = set_predicate;
    table["set"] = set_value;
    table["selp"] = select;
    table["slct"] = select_by_sign;
}

} // namespace ptx
