// PTX ISA: "Parallel Synchronization and Communication Instructions": atom, red.

#include "decode.hpp"

namespace ptx {

namespace {

using update = std::function<std::uint64_t(std::uint64_t old, std::uint64_t b, std::uint64_t c)>;

template <class T>
std::uint64_t update_integer(const std::string& op, std::uint64_t old, std::uint64_t b)
{
    const T x = static_cast<T>(old), y = static_cast<T>(b);
    if (op == "add")
        return old + b;
    if (op == "min")
        return static_cast<std::uint64_t>(x < y ? x : y);
    if (op == "max")
        return static_cast<std::uint64_t>(x < y ? y : x);
    if (op == "inc")
        return x >= y ? 0 : static_cast<std::uint64_t>(x + 1);
    if (op == "dec")
        return x == 0 || x > y ? b : static_cast<std::uint64_t>(x - 1);
    if (op == "and")
        return old & b;
    if (op == "or")
        return old | b;
    if (op == "xor")
        return old ^ b;
    if (op == "exch")
        return b;
    throw fault("the machine does not know the atomic operation ." + op);
}

template <class T>
T update_float(const std::string& op, T x, T y)
{
    if (op == "add")
        return x + y;
    if (x != x || y != y)
        return x != x ? y : x;
    return op == "min" ? (x < y ? x : y) : (x < y ? y : x);
}

update update_of(const std::string& op, const std::string& type)
{
    if (op == "cas")
        return [](std::uint64_t old, std::uint64_t b, std::uint64_t c) { return old == b ? c : old; };
    if (type == "f32")
        return [op](auto old, auto b, auto) { return bits_of(update_float(op, as_float(old), as_float(b))); };
    if (type == "f64")
        return [op](auto old, auto b, auto) { return bits_of(update_float(op, as_double(old), as_double(b))); };
    if (type.starts_with("f16") || type.starts_with("bf16")) {
        const float_format f = type[0] == 'f' ? format_f16 : format_bf16;
        const int parts = type.ends_with("x2") ? 2 : 1;
        return [op, f, parts](std::uint64_t old, std::uint64_t b, auto) {
            std::uint64_t result = 0;
            for (int i = 0; i < parts; ++i) {
                const double x = decode_float(old >> 16 * i & 0xffff, f), y = decode_float(b >> 16 * i & 0xffff, f);
                result |= std::uint64_t{encode_float(update_float(op, x, y), f)} << 16 * i;
            }
            return result;
        };
    }
    const register_type t = parse_type(type);
    if (t.bits == 32 && t.kind == 's')
        return [op](auto old, auto b, auto) { return update_integer<std::int32_t>(op, old, b) & 0xffffffff; };
    if (t.bits == 32)
        return [op](auto old, auto b, auto) { return update_integer<std::uint32_t>(op, old, b) & 0xffffffff; };
    if (t.bits == 16)
        return [op](auto old, auto b, auto) { return update_integer<std::uint16_t>(op, old, b) & 0xffff; };
    if (t.kind == 's')
        return [op](auto old, auto b, auto) { return update_integer<std::int64_t>(op, old, b); };
    return [op](auto old, auto b, auto) { return update_integer<std::uint64_t>(op, old, b); };
}

int bytes_of_type(const std::string& type)
{
    if (type == "f16" || type == "bf16")
        return 2;
    if (type.ends_with("x2"))
        return 4;
    return parse_type(type).bits / 8;
}

/// "atom", "red".
template <bool Result>
action atomic(decoder& d)
{
    if (d.take("async"))
        throw fault("red.async is not in the machine");
    const access_order order = take_access_order(d, "relaxed");
    const std::string space = d.take_space("");
    const std::string op = d.take_one({"and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min", "max"});
    d.take("noftz");
    d.take_one({"L2::cache_hint"});
    const std::string vector = d.take_one({"v2", "v4", "v8"});
    const std::string type = d.take_type();
    const int size = bytes_of_type(type);
    const std::size_t first = Result ? 1 : 0;
    const std::vector<destination> to = Result ? d.list_to(0) : std::vector<destination>{};
    const address at = d.memory(first, space);
    const std::vector<source> b = d.list_from(first + 1, size * 8);
    const source c = op == "cas" ? d.from(first + 2, size * 8) : source{};
    const update f = update_of(op, type);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            check_alignment(at.of(w, lane), static_cast<std::uint64_t>(size) * b.size());
            place here = at.resolve(w, lane, static_cast<std::uint64_t>(size) * b.size());
            order_access(w, order, here, true, true);
            w.strong = true;
            for (std::size_t i = 0; i < b.size(); ++i, here.offset += static_cast<std::uint64_t>(size)) {
                std::uint8_t poison = 0;
                const std::uint64_t all = size == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * size) - 1;
                const std::uint64_t old = read_bytes(w, here, size, poison);
                const std::uint8_t own = spread(b[i].poison(w)[lane] | c.poison(w)[lane]);
                write_bytes(w, lane, here, size, f(old, b[i].values(w)[lane] & all, c.values(w)[lane] & all),
                            op == "exch" ? own : own | spread(poison));
                if (i < to.size()) // last: it may be the register of an operand
                    to[i].write(w, lane, old, spread(poison));
            }
            w.strong = false;
        });
        return outcome::next;
    };
}

} // namespace

void add_atomics(decoder_table& table)
{
    table["atom"] = atomic<true>;
    table["red"] = atomic<false>;
}

} // namespace ptx
