// The algebra of shape:stride layouts. The examples with their results are those of the public documentation of the
// notation (CuTe, "layout algebra"); the laws are checked on random layouts in test/notation/strided_property.cpp.

#include <tegula/notation/strided_algebra.hpp>
#include <tegula/notation/strided_text.hpp>

namespace {

using namespace tegula;

consteval strided_layout layout(const char* text)
{
    const outcome<strided_layout> l = parse_strided_layout(text);
    if (!l.ok())
        throw l.error.message();
    return l.value;
}

constexpr bool is(const outcome<strided_layout>& l, const char* text)
{
    const outcome<strided_layout> expected = parse_strided_layout(text);
    return l.ok() && expected.ok() && l.value == expected.value;
}

constexpr bool prints(const strided_layout& l, const char* text)
{
    short_text out;
    write_text(out, l);
    int i = 0;
    while (text[i] != '\0' && text[i] == out.c_str()[i])
        ++i;
    return text[i] == '\0' && out.size() == i;
}

// Text.
static_assert(prints(layout("((4,8,4),(2,2,8)):((128,1,16),(64,8,512))"), "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))"));
static_assert(prints(layout(" 8 : 1 "), "8:1"));
static_assert(prints(layout("(8,):(1,)"), "(8):(1)"));
static_assert(prints(layout("((2,(2,2)),3)"), "((2,(2,2)),3):((1,(2,4)),8)"));
static_assert(!parse_strided_layout("").ok());
static_assert(!parse_strided_layout("()").ok());
static_assert(!parse_strided_layout("(4,2):(1,2").ok());
static_assert(!parse_strided_layout("(4,2):(1,2))").ok());
static_assert(!parse_strided_layout("(4,2):(1,(2))").ok());
static_assert(!parse_strided_layout("(4,2):1").ok());
static_assert(!parse_strided_layout("(4,2):(1,2,3)").ok());
static_assert(!parse_strided_layout("(4,0):(1,2)").ok());
static_assert(!parse_strided_layout("4:-1").ok());
static_assert(!parse_strided_layout("(4294967296,4294967296)").ok());
static_assert(!parse_strided_layout("9223372036854775808:1").ok());

// Sizes, modes and offsets.
static_assert(size(layout("((2,2),(2,2)):((1,4),(2,8))")) == 16);
static_assert(cosize(layout("(4,3):(6,1)")) == 21);
static_assert(num_modes(layout("8:1")) == 1);
static_assert(num_modes(layout("(8):(1)")) == 1);
static_assert(num_modes(layout("((4,8,4),(2,2,8))")) == 2);
static_assert(num_modes(layout("(1,((2,3),(4)),5,(6,7))")) == 4);
static_assert(mode(layout("(1,((2,3),(4)),5,(6,7))"), 1) == layout("((2,3),(4)):((1,2),(6))"));
static_assert(mode(layout("(1,((2,3),(4)),5,(6,7))"), 3) == layout("(6,7):(120,720)"));
static_assert(offset(layout("(3,(2,3)):(3,(12,1))"), 17) == 20);
static_assert(offset(layout("(3,(2,3)):(3,(12,1))"), 1, 5) == 17);
static_assert(offset(layout("(4,2):(1,4)"), 9) == 9); // past the size the last mode counts on
static_assert(offset(layout("(4,1):(1,7)"), 9) == 9);

// Coalesce.
static_assert(is(coalesce(layout("(2,(1,6)):(1,(6,2))")), "12:1"));
static_assert(is(coalesce_modes(layout("(2,(1,6)):(1,(6,2))")), "(2,6):(1,2)"));
static_assert(is(coalesce(layout("(1,1):(5,7)")), "1:0"));
static_assert(is(flatten(layout("((2),(3,4)):((1),(2,6))")), "(2,3,4):(1,2,6)"));

// Composition.
static_assert(is(composition(layout("(6,2):(8,2)"), layout("(4,3):(3,1)")), "((2,2),3):((24,2),8)"));
static_assert(is(composition(layout("20:2"), layout("(5,4):(4,1)")), "(5,4):(8,2)"));
static_assert(is(composition(layout("(10,2):(16,4)"), layout("(5,4):(1,5)")), "(5,(2,2)):(16,(80,4))"));
static_assert(is(composition(layout("(4,6,8,10):(2,3,5,7)"), layout("6:12")), "(2,3):(9,5)"));
static_assert(is(composition(layout("8:3"), layout("4:0")), "4:0"));
static_assert(!composition(layout("(4,6,8):(2,3,5)"), layout("6:3")).ok());      // 3 and 4 do not divide
static_assert(!composition(layout("(4,4):(1,10)"), layout("(4,2):(1,1)")).ok()); // 3 + 1 carries over 4
// Modes of two and steps that stay inside need no divisor.
static_assert(is(composition(layout("(8,4):(1,100)"), layout("2:3")), "2:3"));
static_assert(is(composition(layout("(4,4):(1,100)"), layout("2:6")), "2:102"));

// A step that is no divisor, but carries at regular places; numbers that no compiler counts through.
static_assert(is(composition(layout("(11,5):(1,100)"), layout("8:3")), "(4,2):(3,101)"));
static_assert(is(composition(layout("(2,3,5):(1,10,100)"), layout("1099511627776:3")), "(2,549755813888):(11,100)"));
static_assert(is(composition(layout("(2,1000003,5):(1,10,7)"), layout("2048:3")), "(2,1024):(11,30)"));
static_assert(!composition(layout("(2,1000003,5):(1,10,7)"), layout("4096:3")).ok()); // past the limit
static_assert(!composition(layout("(7,4):(1,100)"), layout("5:3")).ok());             // carries at 3
static_assert(!composition(layout("(2,2,9):(0,1,1)"), layout("36:11")).ok());         // 3 fits until the digits repeat
// Modes that have a shape only together are the caller's to join.
static_assert(!composition(layout("(3,2):(1,10)"), layout("(2,3):(1,2)")).ok());
static_assert(is(composition(layout("(3,2):(1,10)"), coalesce(layout("(2,3):(1,2)"))), "(3,2):(1,10)"));
// The carries of two modes cancel out: 2 x 1 becomes 1, 2 x 1 becomes 3.
static_assert(is(composition(layout("(2,2,2):(1,1,3)"), layout("(2,2):(1,3)")), "(2,2):(1,2)"));

// Complement.
static_assert(is(complement(layout("4:1"), 24), "6:4"));
static_assert(is(complement(layout("6:4"), 24), "4:1"));
static_assert(is(complement(layout("(4,6):(1,4)"), 24), "1:0"));
static_assert(is(complement(layout("4:2"), 24), "(2,3):(1,8)"));
static_assert(is(complement(layout("(2,4):(1,6)"), 24), "3:2"));
static_assert(is(complement(layout("(2,2):(1,6)"), 24), "(3,2):(2,12)"));
static_assert(!complement(layout("(2,2):(1,1)"), 24).ok());
static_assert(!complement(layout("(4,2):(1,6)"), 24).ok());
static_assert(!complement(layout("(2,2,8):(3,8,9)"), 8).ok()); // 8 is needed for 7
static_assert(is(complement(layout("(2,2,8):(3,8,9)"), 6), "3:1"));

// Numbers near 2^63 are refused, not wrapped.
static_assert(is(coalesce(layout("(2,2):(4611686018427387904,1)")), "(2,2):(4611686018427387904,1)"));
static_assert(!complement(layout("2:4611686018427387904"), 24).ok());
static_assert(is(composition(layout("4:1"), layout("9223372036854775807:0")), "9223372036854775807:0"));
static_assert(is(composition(layout("(2,3):(0,1)"), layout("4611686018427387904:2")), "4611686018427387904:1"));
static_assert(!composition(layout("8:1152921504606846976"), layout("16:1")).ok());
static_assert(!composition(layout("2:4611686018427387904"), layout("2:4611686018427387904")).ok());
static_assert(!logical_product(layout("4611686018427387904:1"), layout("4:1")).ok());

// Division and product.
static_assert(is(logical_divide(layout("(4,2,3):(2,1,8)"), layout("4:2")), "((2,2),(2,3)):((4,1),(2,8))"));
constexpr array<strided_layout, 2> tilers{layout("3:3"), layout("(2,4):(1,8)")};
static_assert(is(logical_divide_modes(layout("(9,(4,8)):(59,(13,1))"), tilers),
                 "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))"));
static_assert(is(logical_product(layout("(2,2):(4,1)"), layout("6:1")), "((2,2),(2,3)):((4,1),(2,8))"));
static_assert(is(logical_product(layout("(2,2):(4,1)"), layout("(4,2):(2,1)")), "((2,2),(4,2)):((4,1),(8,2))"));
static_assert(is(blocked_product(layout("(2,5):(5,1)"), layout("(3,4):(1,3)")), "((2,3),(5,4)):((5,10),(1,30))"));
static_assert(is(raked_product(layout("(2,5):(5,1)"), layout("(3,4):(1,3)")), "((3,2),(4,5)):((10,5),(30,1))"));
// Modes above the bound that do not divide: 102 - 100 is the distance of the copies.
static_assert(!logical_product(layout("(2,2,2):(1,100,102)"), layout("2:1")).ok());
static_assert(is(logical_product(layout("(2,2,2):(1,100,110)"), layout("2:1")), "((2,2,2),2):((1,100,110),2)"));

// Inverses.
static_assert(is(right_inverse(layout("(4,8):(8,1)")), "(8,4):(4,1)"));
static_assert(is(right_inverse(layout("(4,8):(2,8)")), "1:0"));
static_assert(is(right_inverse(layout("(4,8):(1,16)")), "4:1"));
static_assert(is(left_inverse(layout("(4,8):(8,1)")), "(8,4):(4,1)"));
static_assert(!left_inverse(layout("(4,8):(1,0)")).ok());

} // namespace
