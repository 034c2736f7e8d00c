// PTX ISA: "Data Movement and Conversion Instructions": cvt, cvt.pack, mov.

#include "elementwise.hpp"

namespace ptx {

namespace {

/// A scalar type that cvt reads or writes.
struct number_type
{
    bool is_float = false, is_signed = false;
    int bits = 32;
    float_format format{};
};

number_type number(const std::string& name)
{
    if (name == "tf32")
        return {true, true, 32, format_tf32};
    if (name.starts_with("bf16"))
        return {true, true, 16, format_bf16};
    if (name.starts_with("f16"))
        return {true, true, 16, format_f16};
    if (name.starts_with("e4m3"))
        return {true, true, 8, format_e4m3};
    if (name.starts_with("e5m2"))
        return {true, true, 8, format_e5m2};
    const register_type t = parse_type(name);
    return {t.kind == 'f', t.kind == 's' || t.kind == 'f', t.bits, {}};
}

double read_float(const number_type& t, std::uint64_t bits)
{
    if (t.bits == 64)
        return as_double(bits);
    if (t.bits == 32)
        return as_float(bits);
    return decode_float(static_cast<std::uint32_t>(bits) & ((1u << t.bits) - 1), t.format);
}

struct conversion
{
    number_type to, from;
    rounding mode = rounding::nearest_even;
    bool to_integral = false, flush_to_zero = false, saturate = false, finite = false, relu = false, is_tf32 = false;

    std::uint64_t write_float(double x) const
    {
        if (relu && x < 0)
            x = 0;
        if (saturate)
            x = x > 0 ? (x < 1 ? x : 1.0) : 0.0;
        if (to.bits == 64)
            return bits_of(x);
        if (is_tf32)
            return std::uint64_t{encode_float(x, format_tf32, mode, finite)} << 13;
        if (to.bits == 32) {
            const rounding_scope scope(mode);
            const float y = static_cast<float>(x);
            return bits_of(flush_to_zero ? flush(y) : y);
        }
        return encode_float(x, to.format, mode, finite);
    }

    double round_to_integral(double x) const
    {
        switch (mode) {
        case rounding::zero:
            return std::trunc(x);
        case rounding::down:
            return std::floor(x);
        case rounding::up:
            return std::ceil(x);
        default:
            return std::nearbyint(x);
        }
    }

    /// Out of range is the nearest number of the range; NaN is 0, of 64 bits the largest power of two (2^63).
    std::uint64_t float_to_integer(double x) const
    {
        if (std::isnan(x))
            return to.bits == 64 ? std::uint64_t{1} << 63 : 0;
        x = round_to_integral(x);
        const double limit = std::ldexp(1.0, to.is_signed ? to.bits - 1 : to.bits);
        if (x >= limit)
            return to.is_signed ? (std::uint64_t{1} << (to.bits - 1)) - 1 : ~std::uint64_t{0} >> (64 - to.bits);
        if (to.is_signed)
            return x < -limit ? std::uint64_t{1} << (to.bits - 1)
                              : static_cast<std::uint64_t>(static_cast<std::int64_t>(x));
        return x <= 0 ? 0 : static_cast<std::uint64_t>(x);
    }

    std::uint64_t integer_to_integer(std::uint64_t bits) const
    {
        const int shift = 64 - from.bits;
        const __int128 x = from.is_signed ? static_cast<__int128>(static_cast<std::int64_t>(bits << shift) >> shift)
                                          : static_cast<__int128>(bits << shift >> shift);
        if (!saturate)
            return static_cast<std::uint64_t>(x);
        const __int128 high = (static_cast<__int128>(1) << (to.is_signed ? to.bits - 1 : to.bits)) - 1;
        const __int128 low = to.is_signed ? -high - 1 : 0;
        return static_cast<std::uint64_t>(x < low ? low : x > high ? high : x);
    }

    std::uint64_t operator()(std::uint64_t bits) const
    {
        if (!from.is_float && !to.is_float)
            return integer_to_integer(bits);
        if (!from.is_float) {
            const int shift = 64 - from.bits;
            const rounding_scope scope(mode);
            if (from.is_signed) {
                const std::int64_t x = static_cast<std::int64_t>(bits << shift) >> shift;
                return to.bits == 32 ? bits_of(static_cast<float>(x)) : write_float(static_cast<double>(x));
            }
            const std::uint64_t x = bits << shift >> shift;
            return to.bits == 32 ? bits_of(static_cast<float>(x)) : write_float(static_cast<double>(x));
        }
        double x = read_float(from, bits);
        if (flush_to_zero && from.bits == 32)
            x = flush(static_cast<float>(x));
        if (!to.is_float)
            return float_to_integer(x);
        if (to_integral)
            x = round_to_integral(x);
        return write_float(x);
    }
};

/// "cvt", with the packed forms: cvt.f16x2.f32 d, a, b, where a becomes the upper half; cvt.e4m3x2.f32;
/// cvt.f16x2.e4m3x2.
action convert(decoder& d)
{
    if (d.take("pack")) {
        d.take("sat");
        const std::string to = d.take_type();
        conversion c{number(to), number(d.take_type())};
        c.saturate = true;
        d.take("b32");
        const bool below = d.operands() == 4; // d = c << 2 bits of the type | both
        const std::array from{d.from(1, 32), d.from(2, 32), below ? d.from(3, 32) : source{}};
        return elementwise<3>(d.to(0), from, [c](auto a, auto b, auto rest) {
            const std::uint64_t all = (std::uint64_t{1} << c.to.bits) - 1;
            return rest << 2 * c.to.bits | (c(a) & all) << c.to.bits | (c(b) & all);
        });
    }
    conversion c;
    const std::string mode = d.take_one({"rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"});
    c.mode = rounding_of(mode);
    c.to_integral = mode.ends_with("i");
    c.flush_to_zero = d.take("ftz");
    c.relu = d.take("relu");
    c.finite = d.take("satfinite");
    c.relu = c.relu || d.take("relu");
    c.saturate = d.take("sat");
    const std::string to_name = d.take_type(), from_name = d.take_type();
    c.to = number(to_name);
    c.from = number(from_name);
    c.is_tf32 = to_name == "tf32";
    if (c.to_integral && c.to.is_float && c.to.bits != 32 && c.to.bits != 64)
        c.mode = rounding::nearest_even;
    const destination to = d.to(0);
    if (to_name.ends_with("x2")) {
        const std::uint64_t all = (std::uint64_t{1} << c.to.bits) - 1;
        if (!from_name.ends_with("x2")) // two sources
            return elementwise<2>(to, sources<2>(d, 32),
                                  [c, all](auto a, auto b) { return (c(a) & all) << c.to.bits | (c(b) & all); });
        return elementwise<1>(to, sources<1>(d, 32),
                              [c, all](auto a) { return (c(a >> c.from.bits) & all) << c.to.bits | (c(a) & all); });
    }
    const std::array from = sources<1>(d, c.from.bits);
    if (!c.from.is_float && !c.to.is_float && !c.saturate && c.to.bits <= c.from.bits) {
        // Poison of what is cut off does not matter; a wider register is extended by the sign of the type.
        const int shift = 64 - c.to.bits;
        return [=](warp& w, lane_mask mask) {
            each_lane(mask, [&](int lane) {
                const std::uint64_t x = from[0].values(w)[lane];
                const std::uint64_t value =
                    c.to.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(x << shift) >> shift)
                                   : x << shift >> shift;
                std::uint8_t poison = from[0].poison(w)[lane] & static_cast<std::uint8_t>((1 << c.to.bits / 8) - 1);
                if (c.to.is_signed && to.bits > c.to.bits)
                    poison = spread(poison);
                to.write(w, lane, value, poison);
            });
            return outcome::next;
        };
    }
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            // If the source register is wider than the type, only its low bits count.
            const unsigned poison = from[0].poison(w)[lane] & ((1u << c.from.bits / 8) - 1);
            to.write(w, lane, c(from[0].values(w)[lane]), spread(poison));
        });
        return outcome::next;
    };
}

/// "mov", also of vectors: {a, b} into one register and back, low bits first; poison goes with its bytes.
action move(decoder& d)
{
    const std::string type = d.take_type();
    const int bits = type == "pred" ? 1 : type == "b128" ? 128 : parse_type(type).bits;
    if (bits == 128)
        throw fault("mov.b128 is not in the machine");
    if (d.at(0).what == operand::kind::list) {
        const std::vector<destination> to = d.list_to(0);
        const source from = d.from(1, bits);
        const int each = bits / static_cast<int>(to.size());
        return [=](warp& w, lane_mask mask) {
            each_lane(mask, [&](int lane) {
                const std::uint64_t value = from.values(w)[lane];
                const unsigned poison = from.poison(w)[lane];
                for (std::size_t i = 0; i < to.size(); ++i) {
                    const int shift = each * static_cast<int>(i);
                    to[i].write(w, lane, value >> shift & (~std::uint64_t{0} >> (64 - each)),
                                static_cast<std::uint8_t>(poison >> shift / 8 & ((1u << each / 8) - 1)));
                }
            });
            return outcome::next;
        };
    }
    const destination to = d.to(0);
    const std::vector<source> from = d.list_from(1, bits);
    if (from.size() == 1)
        return [to, x = from[0], own = ~std::uint64_t{0} >> (64 - bits)](warp& w, lane_mask mask) {
            const std::uint64_t* const values = x.values(w);
            const std::uint8_t* const poison = x.poison(w);
            each_lane(mask, [&](int lane) { to.write(w, lane, values[lane] & own, poison[lane]); });
            return outcome::next;
        };
    const int each = bits / static_cast<int>(from.size());
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            std::uint64_t value = 0;
            unsigned poison = 0;
            for (std::size_t i = 0; i < from.size(); ++i) {
                const int shift = each * static_cast<int>(i);
                value |= (from[i].values(w)[lane] & (~std::uint64_t{0} >> (64 - each))) << shift;
                const unsigned own = each == 1 ? 1u : (1u << each / 8) - 1;
                poison |= (from[i].poison(w)[lane] & own) << shift / 8;
            }
            to.write(w, lane, value, static_cast<std::uint8_t>(poison));
        });
        return outcome::next;
    };
}

} // namespace

void add_conversion(decoder_table& table)
{
    table["cvt"] = convert;
    table["mov"] = move;
}

} // namespace ptx
