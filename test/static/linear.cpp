// Linear layouts over F2 and swizzles: text, algebra, and the encodings and shape:stride layouts that say the same.

#include <tegula/chip/swizzle.hpp>
#include <tegula/notations.hpp>

namespace {

using namespace tegula;

template <class T>
consteval T value(const outcome<T>& o)
{
    if (!o.ok())
        throw o.error.message();
    return o.value;
}
consteval linear_layout layout(const char* text) { return value(parse_linear_layout(text)); }
consteval strided_layout strided(const char* text) { return value(parse_strided_layout(text)); }

constexpr bool same(const char* a, const char* b)
{
    while (*a != '\0' && *a == *b)
        ++a, ++b;
    return *a == *b;
}
template <class T>
constexpr bool prints(const T& l, const char* text)
{
    short_text out;
    write_text(out, l);
    return same(out.c_str(), text);
}
template <class T>
constexpr bool prints(const outcome<T>& l, const char* text)
{
    return l.ok() && prints(l.value, text);
}
template <class T>
constexpr bool says(const outcome<T>& l, const char* sentence)
{
    return !l.ok() && same(l.error.message(), sentence);
}
constexpr bool prints_json(const linear_layout& l, const char* text)
{
    short_text out;
    write_json(out, l);
    return same(out.c_str(), text);
}

// Two registers and four lanes over 4 x 2: the lower lane bit goes down a column.
constexpr linear_layout tile = layout("register[(0,1)] lane[(1,0) (2,0)] -> x0[4] x1[2]");
static_assert(prints(tile, "register[(0,1)] lane[(1,0) (2,0)] -> x0[4] x1[2]"));
static_assert(prints_json(tile,
                          R"({"bases":[["register",[[0,1]]],["lane",[[1,0],[2,0]]]],"out_dims":[["x0",4],["x1",2]]})"));
static_assert(apply(tile, {1, 3}) == linear_indices{3, 1});
static_assert(is_invertible(tile));
static_assert(prints(inverse(tile), "x0[(0,1) (0,2)] x1[(1,0)] -> register[2] lane[4]"));
static_assert(prints(compose(inverse(tile).value, tile), "register[(1,0)] lane[(0,1) (0,2)] -> register[2] lane[4]"));

static_assert(!parse_linear_layout("lane[(1) -> x[2]").ok());
static_assert(!parse_linear_layout("lane(1) -> x[2]").ok());
static_assert(!parse_linear_layout("lane[(1)]").ok());
static_assert(!parse_linear_layout("lane[(1,1)] -> x[2]").ok());
static_assert(!parse_linear_layout("lane[(1)] lane[] -> x[2]").ok());
static_assert(!parse_linear_layout("a_name_of_16_char[] -> x[2]").ok());
static_assert(says(parse_linear_layout("lane[(2)] -> x[2]"),
                   "index 2 in basis 0 is past dimension x, whose size is 2"));
static_assert(says(parse_linear_layout("lane[(2)] -> x[3]"),
                   "size 3 of x is no power of two; a linear layout maps bits"));

// Products repeat the left factor in the pattern of the right one; divisions take a factor away.
constexpr linear_layout repeated = layout("lane[(1,0)] wave[(0,1)] -> x0[2] x1[2]");
static_assert(prints(product(tile, repeated), "register[(0,1)] lane[(1,0) (2,0) (4,0)] wave[(0,2)] -> x0[8] x1[4]"));
static_assert(prints(divide_left(product(tile, repeated).value, tile),
                     "register[] lane[(1,0)] wave[(0,1)] -> x0[2] x1[2]"));
static_assert(prints(divide_right(product(tile, repeated).value, repeated),
                     "register[(0,1)] lane[(1,0) (2,0)] wave[] -> x0[4] x1[2]"));
static_assert(!divide_left(tile, repeated).ok());

// A replicated lane bit has many inverses; the pseudo-inverse takes the least. A gap has none.
constexpr linear_layout twice = layout("lane[(0) (1) (3)] -> x[4]");
static_assert(rank(twice) == 2 && is_surjective(twice) && !is_injective(twice));
static_assert(!inverse(twice).ok());
static_assert(prints(pseudo_inverse(twice), "x[(2) (6)] -> lane[8]"));
static_assert(says(inverse(layout("lane[(2)] -> x[4]")),
                   "the layout reaches 2^1 of 2^2 outputs; only its pseudo-inverse exists"));

// Which lane of `to` has what a lane of `from` has.
constexpr linear_layout to = layout("lane[(2) (1) (0)] -> x[4]");
static_assert(prints(invert_and_compose(layout("lane[(1) (2)] -> x[4]"), to), "lane[(2) (1)] -> lane[8]"));
static_assert(!invert_and_compose(layout("lane[(1) (2)] -> x[4]"), layout("lane[(1)] -> x[4]")).ok());

// Encodings. 2 x 2 lanes of 2 waves; 4 registers along the columns.
constexpr encoding_value made{{2},
                              {encoding_value::lengths_type{2, 2}, encoding_value::lengths_type{2, 4}},
                              {encoding_value::digits_type{rh_digit{0, 0}, rh_digit{1, 0}},
                               encoding_value::digits_type{rh_digit{1, 1}, rh_digit{2, 0}}},
                              {rh_digit{2, 1}}};
static_assert(prints(to_linear(made), "register[(0,1) (0,2)] lane[(0,4) (1,0)] wave[(2,0) (0,0)] -> x0[4] x1[8]"));
static_assert(to_encoding(to_linear(made).value).value == made);
static_assert(prints(to_strided(made), "((2,4,2),4):((16,1,0),4)"));
static_assert(to_encoding(to_strided(made).value, {4, 8}, 4).value == made);

constexpr encoding_value three{{},
                               {encoding_value::lengths_type{2}, encoding_value::lengths_type{3}},
                               {encoding_value::digits_type{rh_digit{2, 0}}},
                               {rh_digit{1, 0}}};
static_assert(says(to_linear(three),
                   "H length 3 of dimension 1, digit (2,0), is no power of two; a linear layout maps bits"));
static_assert(prints(to_strided(three), "(3,2):(2,1)"));

static_assert(says(to_encoding(layout("lane[(1) (3)] -> x[4]")),
                   "basis 1 of lane has 2 ones: an XOR; R/H/P/Y has unit bases only"));
static_assert(says(to_encoding(layout("register[(0) (1)] -> x[2]")),
                   "basis 0 of register is zero: the register repeats another; R/H/P/Y replicates over P only"));
static_assert(says(to_encoding(layout("register[(1)] lane[(2) (1)] -> x[4]")),
                   "basis 0 of register and basis 1 of lane are equal: their XOR is 0; in R/H/P/Y each bit of a tensor "
                   "dimension has one owner"));
static_assert(
    says(to_encoding(layout("lane[(1)] -> x[4]")),
         "bit 1 of x is in no basis: nobody holds the elements where it is set; R/H/P/Y holds every element"));

// More replication digits than an encoding keeps, in 26 lane bits; and a digit of more than 31 bits.
static_assert(!to_encoding(layout("lane[(0) (1) (0) (2) (0) (4) (0) (8) (0) (16) (0) (32) (0) (64) (0) (128) (0) (256) "
                                  "(0) (512) (0) (1024) (0) (2048) (0) (4096)] -> x[8192]"))
                   .ok());
static_assert(to_encoding(linear_layout{{linear_dim{"register", 40}}, {linear_dim{"x", 40}}, f2::identity(40)})
                  .value.hs[0] == encoding_value::lengths_type{1 << 10, 1 << 30});

// Shape:stride layouts. The fragment of an mma.sync m16n8 accumulator: 32 lanes, 4 values, column-major over 16 x 8.
constexpr strided_layout fragment = strided("((4,8),(2,2)):((32,1),(16,8))");
static_assert(prints(to_linear(fragment, {16, 8}),
                     "register[(0,1) (8,0)] lane[(0,2) (0,4) (1,0) (2,0) (4,0)] -> x0[16] x1[8]"));
static_assert(prints(to_strided(to_linear(fragment, {16, 8}).value), "((4,8),(2,2)):((32,1),(16,8))"));
static_assert(prints(to_strided(to_encoding(fragment, {16, 8}).value), "((4,8),(2,2)):((32,1),(16,8))"));
static_assert(to_encoding(fragment, {16, 8}).value == to_encoding(to_linear(fragment, {16, 8}).value).value);

static_assert(says(to_encoding(strided("(2,3):(1,0)"), {2}),
                   "mode 3:0 repeats an element over registers; R/H/P/Y replicates over threads only"));
static_assert(
    says(to_encoding(strided("(4,2):(1,2)"), {6}),
         "two modes meet in dimension 0: one steps by 2 where others already hold the first 4 indices; R/H/P/Y "
         "gives each digit one owner"));
static_assert(says(to_encoding(strided("(2,2):(1,4)"), {8}),
                   "nobody holds index 2 of dimension 0, whose length is 8; R/H/P/Y holds every element of the tile"));
static_assert(says(to_encoding(strided("(4,3):(1,4)"), {6, 2}),
                   "mode 3:4 crosses the border of dimension 0, of length 6, where it does not divide; cut it there"));
static_assert(says(to_encoding(strided("(6,1):(1,0)"), {6}, 4),
                   "a part of 6 threads above 1 others crosses the border of 4 lanes, where it does not divide; choose "
                   "other lanes"));
static_assert(says(to_encoding(strided("8:1"), {8}),
                   "the layout has 1 mode; a thread-value layout has two, (threads,values):(strides,strides)"));
static_assert(!to_encoding(strided("(8,2):(1,8)"), {8}).ok());
static_assert(!to_encoding(strided("(1,1)"), {2}).ok());
static_assert(!to_encoding(strided("(2,2):(1,1)"), {2}).ok());
static_assert(!to_encoding(strided("(2,2):(1,1)"), {3}).ok());
static_assert(!to_encoding(strided("(4294967297,2):(0,1)"), {2}).ok());
static_assert(!to_encoding(strided("(2,2)"), {4294967296, 4294967296}).ok());
static_assert(!to_linear(strided("(2,2)"), {4, 0}).ok());
static_assert(says(to_linear(strided("(4,3):(1,4)"), {16}),
                   "mode 3:4 has a length that is no power of two; a linear layout maps bits"));
static_assert(!to_linear(strided("(4,2):(1,3)"), {8}).ok());
static_assert(prints(to_linear(strided("(2,2):(3,4)"), {8}), "register[(4)] lane[(3)] -> x0[8]")); // 3 and 4 add as XOR
static_assert(says(to_strided(layout("lane[(1) (3)] -> x[4]")),
                   "basis 0 of lane and basis 1 of lane share a bit: their XOR is no sum; strides add up, they cannot "
                   "swizzle"));

// Swizzles.
constexpr xor_swizzle sw128{3, 4, 3};
static_assert(sw128(0b0000'0000) == 0 && sw128(0b1010'0000'00) == 0b1011'0100'00 && sw128(15) == 15);
static_assert(xor_swizzle{2, 1, -3}(0b00'0110) == 0b11'0110 && xor_swizzle{2, 1, -3}(0b11'0110) == 0b00'0110);
static_assert(prints(value(parse_swizzle("S<3,4,3>")), "Sw<3,4,3>"));
static_assert(prints(value(parse_swizzle(" Sw< 2 , 0 , -3 >")), "Sw<2,0,-3>"));
static_assert(!parse_swizzle("Sw<3,4,2>").ok() && !parse_swizzle("Sw<3,4>").ok() && !parse_swizzle("Sw<1,60,9>").ok());
static_assert(to_swizzle(to_matrix(sw128, 10)).value == sw128);
static_assert(to_swizzle(to_matrix({2, 1, -3}, 6)).value == xor_swizzle{2, 1, -3});
static_assert(to_swizzle(f2::identity(8)).value == xor_swizzle{});
static_assert(says(to_swizzle({0b01, 0b11, 0b111}),
                   "column 2 of the matrix is not bit 2 and at most one other: no swizzle <B,M,S>"));
static_assert(!to_swizzle({0b001, 0b011, 0b101}).ok());
static_assert(f2::product(to_matrix(sw128, 10), to_matrix(sw128, 10)) == f2::identity(10));

// The 128-byte mode of the hardware, on byte addresses.
constexpr bool is_mode(const xor_swizzle& s, swizzle_mode mode)
{
    for (std::uint32_t address = 0; address < 2048; address += 7)
        if (s(address) != swizzle(mode, address))
            return false;
    return true;
}
static_assert(is_mode({3, 4, 3}, swizzle_mode::bytes_128) && is_mode({2, 4, 3}, swizzle_mode::bytes_64) &&
              is_mode({1, 4, 3}, swizzle_mode::bytes_32) && is_mode({}, swizzle_mode::none));

constexpr swizzled_layout shared = value(parse_swizzled_layout("Sw<2,0,3> o (4,8):(1,4)"));
static_assert(prints(shared, "Sw<2,0,3> o 0 o (4,8):(1,4)"));
static_assert(offset(shared, 8) == 9 && size(shared) == 32);
static_assert(prints(to_linear(shared), "index[(1) (2) (4) (9) (18)] -> offset[32]"));
static_assert(to_swizzled(to_linear(shared).value).value == swizzled_layout{{2, 0, 3}, 0, strided("32:1")});
static_assert(!to_swizzled(layout("a[(1) (3) (7)] -> b[8]")).ok());
static_assert(!to_linear(value(parse_swizzled_layout("Sw<2,0,3> o 4 o (4,8):(1,4)"))).ok());

} // namespace
