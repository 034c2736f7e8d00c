// PTX ISA: "Extended-Precision Integer Arithmetic Instructions": add.cc, addc, sub.cc, subc, mad.cc, madc. The condition
// code's carry flag CC.CF is a bit a lane; it is poison until an instruction with .cc writes it.

#include "elementwise.hpp"

namespace ptx {

namespace {

__extension__ using unsigned_wide = unsigned __int128;

/// The half of the product that the modifier names, to which a mad adds.
std::uint64_t half_of_product(std::uint64_t a, std::uint64_t b, const register_type& t, bool high)
{
    const int shift = 64 - t.bits;
    const auto extend = [&](std::uint64_t x) -> wide {
        return t.kind == 's' ? wide{static_cast<std::int64_t>(x << shift) >> shift} : wide{x << shift >> shift};
    };
    const auto product = static_cast<unsigned_wide>(extend(a)) * static_cast<unsigned_wide>(extend(b));
    return static_cast<std::uint64_t>(high ? product >> t.bits : product) << shift >> shift;
}

/// "addc", "subc", "madc". Reads: the carry takes part.
template <carry_operation What, bool Reads>
action carrying(decoder& d)
{
    return decode_carry(d, What, Reads);
}

} // namespace

action decode_carry(decoder& d, carry_operation what, bool reads)
{
    const bool multiplies = what == carry_operation::mad;
    const bool high = multiplies && d.take_one({"lo", "hi"}) == "hi";
    const bool writes = d.take("cc");
    const register_type t = parse_type(d.take_type());
    if ((t.kind != 'u' && t.kind != 's') || t.bits < 32)
        throw fault(d.what().text() + ": the types are u32, s32, u64 and s64");
    const destination to = d.to(0);
    const source a = d.from(1, 0), b = d.from(2, 0), c = multiplies ? d.from(3, 0) : source{};
    return [=](warp& w, lane_mask mask) {
        const std::uint64_t all = ~std::uint64_t{0} >> (64 - t.bits);
        each_lane(mask, [&](int lane) {
            const std::uint64_t first =
                multiplies ? half_of_product(a.values(w)[lane], b.values(w)[lane], t, high) : a.values(w)[lane] & all;
            const std::uint64_t second = (multiplies ? c : b).values(w)[lane] & all;
            const std::size_t i = static_cast<std::size_t>(lane);
            const unsigned_wide carry = reads ? w.carry[i] & 1 : 0;
            const unsigned poison =
                a.poison(w)[lane] | b.poison(w)[lane] | c.poison(w)[lane] | (reads && w.carry[i] == no_carry ? 1 : 0);
            const unsigned_wide result = what == carry_operation::sub ? unsigned_wide{first} - second - carry
                                                                      : unsigned_wide{first} + second + carry;
            if (writes)
                w.carry[i] = poison != 0 ? no_carry : static_cast<std::uint8_t>(result >> t.bits & 1);
            to.write(w, lane, static_cast<std::uint64_t>(result) & all, spread(poison));
        });
        return outcome::next;
    };
}

void add_carries(decoder_table& table)
{
    table["addc"] = carrying<carry_operation::add, true>;
    table["subc"] = carrying<carry_operation::sub, true>;
    table["madc"] = carrying<carry_operation::mad, true>;
}

} // namespace ptx
