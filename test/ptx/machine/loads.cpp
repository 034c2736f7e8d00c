// PTX ISA: "Data Movement and Conversion Instructions": ld, ldu, st, cvta, isspacep, mapa, getctarank, prefetch,
// createpolicy, applypriority, discard; "Stack Manipulation Instructions" are not here.

#include "decode.hpp"

namespace ptx {

namespace {

int take_vector(decoder& d)
{
    const std::string v = d.take_one({"v2", "v4", "v8"});
    return v.empty() ? 1 : v[1] - '0';
}

/// Extends a loaded value to a wider register by the sign of the type.
std::uint64_t extend(std::uint64_t value, const register_type& type)
{
    const int shift = 64 - type.bits;
    return type.kind == 's' ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value << shift) >> shift) : value;
}

/// "ld", "ldu".
action load(decoder& d)
{
    const access_order order = take_access_order(d, "weak");
    d.take("nc");
    d.take_cache_hints();
    d.take("L2::cache_hint");
    d.take("unified");
    const std::string space = d.take_space("");
    const int count = take_vector(d);
    const register_type type = parse_type(d.take_type());
    const std::vector<destination> to = d.list_to(0);
    const address from = d.memory(1, space);
    if (to.size() != static_cast<std::size_t>(count))
        throw fault("a vector of " + std::to_string(count) + " into " + std::to_string(to.size()) + " registers");
    const int size = (type.bits + 7) / 8;
    if (size == 16) // a response of clusterlaunchcontrol.try_cancel: its low half
        return [=](warp& w, lane_mask mask) {
            each_lane(mask, [&](int lane) {
                check_alignment(from.of(w, lane), 16);
                place at = from.resolve(w, lane, 16);
                std::uint8_t poison = 0, high_poison = 0;
                const std::uint64_t low = read_bytes(w, at, 8, poison);
                at.offset += 8;
                if (read_bytes(w, at, 8, high_poison) != response_mark && high_poison == 0)
                    throw fault("a register .b128 with other things than responses is not in the machine");
                to[0].write(w, lane, low, spread(poison | high_poison));
            });
            return outcome::next;
        };
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            check_alignment(from.of(w, lane), static_cast<std::uint64_t>(size * count));
            place at = from.resolve(w, lane, static_cast<std::uint64_t>(size * count));
            order_access(w, order, at, true, false);
            w.strong = order.strong;
            for (int i = 0; i < count; ++i, at.offset += static_cast<std::uint64_t>(size)) {
                std::uint8_t poison = 0;
                const std::uint64_t value = read_bytes(w, at, size, poison);
                to[static_cast<std::size_t>(i)].write(w, lane, extend(value, type),
                                                      type.kind == 's' ? spread(poison) : poison);
            }
            w.strong = false;
        });
        return outcome::next;
    };
}

/// "st".
action store(decoder& d)
{
    if (d.take("async"))
        return decode_store_async(d);
    const access_order order = take_access_order(d, "weak");
    d.take_cache_hints();
    d.take("L2::cache_hint");
    const std::string space = d.take_space("");
    const int count = take_vector(d);
    const register_type type = parse_type(d.take_type());
    const address to = d.memory(0, space);
    const std::vector<source> from = d.list_from(1, type.bits);
    if (from.size() != static_cast<std::size_t>(count))
        throw fault("a vector of " + std::to_string(count) + " from " + std::to_string(from.size()) + " registers");
    const int size = (type.bits + 7) / 8;
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            check_alignment(to.of(w, lane), static_cast<std::uint64_t>(size * count));
            place at = to.resolve(w, lane, static_cast<std::uint64_t>(size * count));
            order_access(w, order, at, false, true);
            w.strong = order.strong;
            for (int i = 0; i < count; ++i, at.offset += static_cast<std::uint64_t>(size)) {
                const source& x = from[static_cast<std::size_t>(i)];
                const unsigned own = (1u << size) - 1;
                write_bytes(w, lane, at, size, x.values(w)[lane], static_cast<std::uint8_t>(x.poison(w)[lane] & own));
            }
            w.strong = false;
        });
        return outcome::next;
    };
}

std::uint64_t window_of(const std::string& space)
{
    return space.starts_with("shared") ? window::shared
           : space == "local"          ? window::local
           : space == "param"          ? window::parameter
                                       : 0;
}

template <class F>
action one_to_one(decoder& d, F f)
{
    const destination to = d.to(0);
    const source from = d.from(1);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) { to.write(w, lane, f(from.values(w)[lane]), spread(from.poison(w)[lane])); });
        return outcome::next;
    };
}

/// "cvta", "cvta.to".
action convert_address(decoder& d)
{
    const bool to_space = d.take("to");
    const std::string space = d.take_space("global");
    d.take_type();
    const std::uint64_t base = window_of(space);
    return one_to_one(d, [=](std::uint64_t a) {
        if (!to_space)
            return a | base;
        const bool global = (a & window::mask) >= window::global || a == 0; // no space holds the null address
        if (a != 0 && (base == 0 ? !global : (a & window::mask) != base))
            throw fault(hex(a) + " is not in ." + space);
        return base == 0 ? a : a & ~window::mask;
    });
}

/// "isspacep".
action is_in_space(decoder& d)
{
    const std::string space = d.take_space("");
    const std::uint64_t base = window_of(space);
    const destination to = d.to(0);
    const source from = d.from(1);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const std::uint64_t a = from.checked(w, lane, "the address");
            bool inside = base == 0 ? (a & window::mask) >= window::global : (a & window::mask) == base;
            const std::uint64_t rank = (a & 0xffffffff) >> window::rank_bit;
            if (space == "shared::cta")
                inside = inside && rank == static_cast<std::uint64_t>(w.of->rank);
            to.write(w, lane, inside);
        });
        return outcome::next;
    };
}

/// "mapa": the address of the same place in another block of the cluster.
action map_address(decoder& d)
{
    d.take("shared::cluster");
    d.take_type();
    const destination to = d.to(0);
    const source from = d.from(1), rank = d.from(2, 32);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const std::uint64_t a = from.checked(w, lane, "the address"), r = rank.checked(w, lane, "the rank");
            if (r >= w.of->of->blocks.size())
                throw fault("mapa asks for block " + std::to_string(r) + " of a cluster of " +
                            std::to_string(w.of->of->blocks.size()));
            const std::uint64_t offset = a & ((1u << window::rank_bit) - 1);
            to.write(w, lane, (a & ~std::uint64_t{0xffffffff}) | r << window::rank_bit | offset);
        });
        return outcome::next;
    };
}

/// "getctarank".
action rank_of_address(decoder& d)
{
    d.take("shared::cluster");
    d.take_type();
    const destination to = d.to(0);
    const source from = d.from(1);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            const std::uint64_t rank = (from.checked(w, lane, "the address") & 0xffffffff) >> window::rank_bit;
            to.write(w, lane, rank);
        });
        return outcome::next;
    };
}

/// "prefetch", "prefetchu", "applypriority", "discard": of a tensor map, that it is one; else nothing but the address.
action prefetch(decoder& d)
{
    const bool map = d.take("tensormap");
    const std::string space = d.take_space("");
    d.take_one({"L1", "L2"});
    d.take_cache_hints();
    const address at = d.memory(0, space);
    return [=](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) {
            if (map)
                at.resolve(w, lane, 128);
            else
                at.of(w, lane);
        });
        return outcome::next;
    };
}

/// "createpolicy": a policy changes no result.
action create_policy(decoder& d)
{
    d.take_one({"fractional", "range"});
    d.take_space("");
    d.take_one({"L2::evict_last", "L2::evict_normal", "L2::evict_first", "L2::evict_unchanged"});
    d.take_one({"L2::evict_first", "L2::evict_unchanged"});
    d.take("b64");
    const destination to = d.to(0);
    return [to](warp& w, lane_mask mask) {
        each_lane(mask, [&](int lane) { to.write(w, lane, 0); });
        return outcome::next;
    };
}

} // namespace

void add_memory(decoder_table& table)
{
    table["ld"] = load;
    table["ldu"] = load;
    table["st"] = store;
    table["cvta"] = convert_address;
    table["isspacep"] = is_in_space;
    table["mapa"] = map_address;
    table["getctarank"] = rank_of_address;
    table["prefetch"] = prefetch;
    table["prefetchu"] = prefetch;
    table["applypriority"] = prefetch;
    table["createpolicy"] = create_policy;
}

} // namespace ptx
