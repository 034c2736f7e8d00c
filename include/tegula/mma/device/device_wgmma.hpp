#pragma once

#include <tegula/arch/nvidia/pass.hpp>
#include <tegula/core/array.hpp>
#include <tegula/mma/table/instruction.hpp>
#include <tegula/mma/wgmma_operand.hpp>

#include <utility>

/// wgmma as PTX. Device code of sm_90a only.

#if TEGULA_SPECIFIC_PASS == 900

namespace tegula::detail {

consteval int text_length(const char* text)
{
    int length = 0;
    while (text[length] != '\0')
        ++length;
    return length;
}

/// The mnemonic of a row, as a text that asm statements insert. Name has it as `value`.
template <class Name, class Positions = std::make_integer_sequence<int, text_length(Name::value.text)>>
struct wgmma_mnemonic;
template <class Name, int... Positions>
struct wgmma_mnemonic<Name, std::integer_sequence<int, Positions...>>
{
    static constexpr char mnemonic[] = {Name::value.text[Positions]..., '\0'};
};
template <class Row>
struct wgmma_name
{
    static constexpr instruction_name value = name_of(Row::value);
};

/// The operands after the predicate. Integers have none. Floats have the signs of A and B; 16-bit types also say
/// whether each operand in shared memory is transposed.
template <int... Immediates>
struct wgmma_modifiers;
template <>
struct wgmma_modifiers<>
{
    static constexpr char modifiers[] = {'\0'};
};
template <>
struct wgmma_modifiers<1, 1>
{
    static constexpr char modifiers[] = {',', '1', ',', '1', '\0'};
};
template <int B>
struct wgmma_modifiers<1, 1, B>
{
    static constexpr char modifiers[] = {',', '1', ',', '1', ',', '0' + B, '\0'};
};
template <int A, int B>
struct wgmma_modifiers<1, 1, A, B>
{
    static constexpr char modifiers[] = {',', '1', ',', '1', ',', '0' + A, ',', '0' + B, '\0'};
};

template <class Atom, bool AInShared>
consteval auto choose_wgmma_modifiers()
{
    constexpr int a = Atom::order_a == operand_order::row_contiguous;
    constexpr int b = Atom::order_b == operand_order::row_contiguous;
    if constexpr (std::is_integral_v<typename Atom::a_type>)
        return wgmma_modifiers<>{};
    else if constexpr (sizeof(typename Atom::a_type) != 2)
        return wgmma_modifiers<1, 1>{};
    else if constexpr (AInShared)
        return wgmma_modifiers<1, 1, a, b>{};
    else
        return wgmma_modifiers<1, 1, b>{};
}

/// The text of an atom's instruction around its operands.
template <class Atom, bool AInShared>
struct wgmma_text : wgmma_mnemonic<wgmma_name<typename Atom::row>>, decltype(choose_wgmma_modifiers<Atom, AInShared>())
{};

/// Inline PTX takes operands one by one, so each number of accumulator registers has its own lists: D has their
/// placeholders, O the operands. "C" operands insert the other text of an instruction.
// clang-format off
#define TEGULA_WGMMA_D_2 "%0, %1"
#define TEGULA_WGMMA_D_4 TEGULA_WGMMA_D_2 ", %2, %3"
#define TEGULA_WGMMA_D_6 TEGULA_WGMMA_D_4 ", %4, %5"
#define TEGULA_WGMMA_D_8 TEGULA_WGMMA_D_6 ", %6, %7"
#define TEGULA_WGMMA_D_10 TEGULA_WGMMA_D_8 ", %8, %9"
#define TEGULA_WGMMA_D_12 TEGULA_WGMMA_D_10 ", %10, %11"
#define TEGULA_WGMMA_D_14 TEGULA_WGMMA_D_12 ", %12, %13"
#define TEGULA_WGMMA_D_16 TEGULA_WGMMA_D_14 ", %14, %15"
#define TEGULA_WGMMA_D_18 TEGULA_WGMMA_D_16 ", %16, %17"
#define TEGULA_WGMMA_D_20 TEGULA_WGMMA_D_18 ", %18, %19"
#define TEGULA_WGMMA_D_22 TEGULA_WGMMA_D_20 ", %20, %21"
#define TEGULA_WGMMA_D_24 TEGULA_WGMMA_D_22 ", %22, %23"
#define TEGULA_WGMMA_D_26 TEGULA_WGMMA_D_24 ", %24, %25"
#define TEGULA_WGMMA_D_28 TEGULA_WGMMA_D_26 ", %26, %27"
#define TEGULA_WGMMA_D_30 TEGULA_WGMMA_D_28 ", %28, %29"
#define TEGULA_WGMMA_D_32 TEGULA_WGMMA_D_30 ", %30, %31"
#define TEGULA_WGMMA_D_34 TEGULA_WGMMA_D_32 ", %32, %33"
#define TEGULA_WGMMA_D_36 TEGULA_WGMMA_D_34 ", %34, %35"
#define TEGULA_WGMMA_D_38 TEGULA_WGMMA_D_36 ", %36, %37"
#define TEGULA_WGMMA_D_40 TEGULA_WGMMA_D_38 ", %38, %39"
#define TEGULA_WGMMA_D_42 TEGULA_WGMMA_D_40 ", %40, %41"
#define TEGULA_WGMMA_D_44 TEGULA_WGMMA_D_42 ", %42, %43"
#define TEGULA_WGMMA_D_46 TEGULA_WGMMA_D_44 ", %44, %45"
#define TEGULA_WGMMA_D_48 TEGULA_WGMMA_D_46 ", %46, %47"
#define TEGULA_WGMMA_D_50 TEGULA_WGMMA_D_48 ", %48, %49"
#define TEGULA_WGMMA_D_52 TEGULA_WGMMA_D_50 ", %50, %51"
#define TEGULA_WGMMA_D_54 TEGULA_WGMMA_D_52 ", %52, %53"
#define TEGULA_WGMMA_D_56 TEGULA_WGMMA_D_54 ", %54, %55"
#define TEGULA_WGMMA_D_58 TEGULA_WGMMA_D_56 ", %56, %57"
#define TEGULA_WGMMA_D_60 TEGULA_WGMMA_D_58 ", %58, %59"
#define TEGULA_WGMMA_D_62 TEGULA_WGMMA_D_60 ", %60, %61"
#define TEGULA_WGMMA_D_64 TEGULA_WGMMA_D_62 ", %62, %63"
#define TEGULA_WGMMA_D_68 TEGULA_WGMMA_D_64 ", %64, %65, %66, %67"
#define TEGULA_WGMMA_D_72 TEGULA_WGMMA_D_68 ", %68, %69, %70, %71"
#define TEGULA_WGMMA_D_76 TEGULA_WGMMA_D_72 ", %72, %73, %74, %75"
#define TEGULA_WGMMA_D_80 TEGULA_WGMMA_D_76 ", %76, %77, %78, %79"
#define TEGULA_WGMMA_D_84 TEGULA_WGMMA_D_80 ", %80, %81, %82, %83"
#define TEGULA_WGMMA_D_88 TEGULA_WGMMA_D_84 ", %84, %85, %86, %87"
#define TEGULA_WGMMA_D_92 TEGULA_WGMMA_D_88 ", %88, %89, %90, %91"
#define TEGULA_WGMMA_D_96 TEGULA_WGMMA_D_92 ", %92, %93, %94, %95"
#define TEGULA_WGMMA_D_100 TEGULA_WGMMA_D_96 ", %96, %97, %98, %99"
#define TEGULA_WGMMA_D_104 TEGULA_WGMMA_D_100 ", %100, %101, %102, %103"
#define TEGULA_WGMMA_D_108 TEGULA_WGMMA_D_104 ", %104, %105, %106, %107"
#define TEGULA_WGMMA_D_112 TEGULA_WGMMA_D_108 ", %108, %109, %110, %111"
#define TEGULA_WGMMA_D_116 TEGULA_WGMMA_D_112 ", %112, %113, %114, %115"
#define TEGULA_WGMMA_D_120 TEGULA_WGMMA_D_116 ", %116, %117, %118, %119"
#define TEGULA_WGMMA_D_124 TEGULA_WGMMA_D_120 ", %120, %121, %122, %123"
#define TEGULA_WGMMA_D_128 TEGULA_WGMMA_D_124 ", %124, %125, %126, %127"
#define TEGULA_WGMMA_O_2(kind) kind(d[0]), kind(d[1])
#define TEGULA_WGMMA_O_4(kind) TEGULA_WGMMA_O_2(kind), kind(d[2]), kind(d[3])
#define TEGULA_WGMMA_O_6(kind) TEGULA_WGMMA_O_4(kind), kind(d[4]), kind(d[5])
#define TEGULA_WGMMA_O_8(kind) TEGULA_WGMMA_O_6(kind), kind(d[6]), kind(d[7])
#define TEGULA_WGMMA_O_10(kind) TEGULA_WGMMA_O_8(kind), kind(d[8]), kind(d[9])
#define TEGULA_WGMMA_O_12(kind) TEGULA_WGMMA_O_10(kind), kind(d[10]), kind(d[11])
#define TEGULA_WGMMA_O_14(kind) TEGULA_WGMMA_O_12(kind), kind(d[12]), kind(d[13])
#define TEGULA_WGMMA_O_16(kind) TEGULA_WGMMA_O_14(kind), kind(d[14]), kind(d[15])
#define TEGULA_WGMMA_O_18(kind) TEGULA_WGMMA_O_16(kind), kind(d[16]), kind(d[17])
#define TEGULA_WGMMA_O_20(kind) TEGULA_WGMMA_O_18(kind), kind(d[18]), kind(d[19])
#define TEGULA_WGMMA_O_22(kind) TEGULA_WGMMA_O_20(kind), kind(d[20]), kind(d[21])
#define TEGULA_WGMMA_O_24(kind) TEGULA_WGMMA_O_22(kind), kind(d[22]), kind(d[23])
#define TEGULA_WGMMA_O_26(kind) TEGULA_WGMMA_O_24(kind), kind(d[24]), kind(d[25])
#define TEGULA_WGMMA_O_28(kind) TEGULA_WGMMA_O_26(kind), kind(d[26]), kind(d[27])
#define TEGULA_WGMMA_O_30(kind) TEGULA_WGMMA_O_28(kind), kind(d[28]), kind(d[29])
#define TEGULA_WGMMA_O_32(kind) TEGULA_WGMMA_O_30(kind), kind(d[30]), kind(d[31])
#define TEGULA_WGMMA_O_34(kind) TEGULA_WGMMA_O_32(kind), kind(d[32]), kind(d[33])
#define TEGULA_WGMMA_O_36(kind) TEGULA_WGMMA_O_34(kind), kind(d[34]), kind(d[35])
#define TEGULA_WGMMA_O_38(kind) TEGULA_WGMMA_O_36(kind), kind(d[36]), kind(d[37])
#define TEGULA_WGMMA_O_40(kind) TEGULA_WGMMA_O_38(kind), kind(d[38]), kind(d[39])
#define TEGULA_WGMMA_O_42(kind) TEGULA_WGMMA_O_40(kind), kind(d[40]), kind(d[41])
#define TEGULA_WGMMA_O_44(kind) TEGULA_WGMMA_O_42(kind), kind(d[42]), kind(d[43])
#define TEGULA_WGMMA_O_46(kind) TEGULA_WGMMA_O_44(kind), kind(d[44]), kind(d[45])
#define TEGULA_WGMMA_O_48(kind) TEGULA_WGMMA_O_46(kind), kind(d[46]), kind(d[47])
#define TEGULA_WGMMA_O_50(kind) TEGULA_WGMMA_O_48(kind), kind(d[48]), kind(d[49])
#define TEGULA_WGMMA_O_52(kind) TEGULA_WGMMA_O_50(kind), kind(d[50]), kind(d[51])
#define TEGULA_WGMMA_O_54(kind) TEGULA_WGMMA_O_52(kind), kind(d[52]), kind(d[53])
#define TEGULA_WGMMA_O_56(kind) TEGULA_WGMMA_O_54(kind), kind(d[54]), kind(d[55])
#define TEGULA_WGMMA_O_58(kind) TEGULA_WGMMA_O_56(kind), kind(d[56]), kind(d[57])
#define TEGULA_WGMMA_O_60(kind) TEGULA_WGMMA_O_58(kind), kind(d[58]), kind(d[59])
#define TEGULA_WGMMA_O_62(kind) TEGULA_WGMMA_O_60(kind), kind(d[60]), kind(d[61])
#define TEGULA_WGMMA_O_64(kind) TEGULA_WGMMA_O_62(kind), kind(d[62]), kind(d[63])
#define TEGULA_WGMMA_O_68(kind) TEGULA_WGMMA_O_64(kind), kind(d[64]), kind(d[65]), kind(d[66]), kind(d[67])
#define TEGULA_WGMMA_O_72(kind) TEGULA_WGMMA_O_68(kind), kind(d[68]), kind(d[69]), kind(d[70]), kind(d[71])
#define TEGULA_WGMMA_O_76(kind) TEGULA_WGMMA_O_72(kind), kind(d[72]), kind(d[73]), kind(d[74]), kind(d[75])
#define TEGULA_WGMMA_O_80(kind) TEGULA_WGMMA_O_76(kind), kind(d[76]), kind(d[77]), kind(d[78]), kind(d[79])
#define TEGULA_WGMMA_O_84(kind) TEGULA_WGMMA_O_80(kind), kind(d[80]), kind(d[81]), kind(d[82]), kind(d[83])
#define TEGULA_WGMMA_O_88(kind) TEGULA_WGMMA_O_84(kind), kind(d[84]), kind(d[85]), kind(d[86]), kind(d[87])
#define TEGULA_WGMMA_O_92(kind) TEGULA_WGMMA_O_88(kind), kind(d[88]), kind(d[89]), kind(d[90]), kind(d[91])
#define TEGULA_WGMMA_O_96(kind) TEGULA_WGMMA_O_92(kind), kind(d[92]), kind(d[93]), kind(d[94]), kind(d[95])
#define TEGULA_WGMMA_O_100(kind) TEGULA_WGMMA_O_96(kind), kind(d[96]), kind(d[97]), kind(d[98]), kind(d[99])
#define TEGULA_WGMMA_O_104(kind) TEGULA_WGMMA_O_100(kind), kind(d[100]), kind(d[101]), kind(d[102]), kind(d[103])
#define TEGULA_WGMMA_O_108(kind) TEGULA_WGMMA_O_104(kind), kind(d[104]), kind(d[105]), kind(d[106]), kind(d[107])
#define TEGULA_WGMMA_O_112(kind) TEGULA_WGMMA_O_108(kind), kind(d[108]), kind(d[109]), kind(d[110]), kind(d[111])
#define TEGULA_WGMMA_O_116(kind) TEGULA_WGMMA_O_112(kind), kind(d[112]), kind(d[113]), kind(d[114]), kind(d[115])
#define TEGULA_WGMMA_O_120(kind) TEGULA_WGMMA_O_116(kind), kind(d[116]), kind(d[117]), kind(d[118]), kind(d[119])
#define TEGULA_WGMMA_O_124(kind) TEGULA_WGMMA_O_120(kind), kind(d[120]), kind(d[121]), kind(d[122]), kind(d[123])
#define TEGULA_WGMMA_O_128(kind) TEGULA_WGMMA_O_124(kind), kind(d[124]), kind(d[125]), kind(d[126]), kind(d[127])
// clang-format on

/// The instructions with that number of accumulator registers per lane.
template <int Registers>
struct wgmma_of;

/// d = a b, added to d if `accumulate` is not 0. Text holds the mnemonic and the operands after the predicate; A is a
/// descriptor of shared memory, or four registers. n0 to n7 are the numbers of the operands after the accumulators.
#define TEGULA_WGMMA_TYPE(type, kind, count, n0, n1, n2, n3, n4, n5, n6, n7)                                           \
    template <class Text>                                                                                              \
    static TEGULA_INLINE void issue(array<type, count>& d, std::uint64_t a, std::uint64_t b, int accumulate)           \
    {                                                                                                                  \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #n2 ", 0;\n%" #n3 " {" TEGULA_WGMMA_D_##count                \
                     "}, %" #n0 ", %" #n1 ", p%" #n4 ";\n}"                                                            \
                     : TEGULA_WGMMA_O_##count(kind)                                                                    \
                     : "l"(a), "l"(b), "r"(accumulate), "C"(Text::mnemonic), "C"(Text::modifiers));                    \
    }                                                                                                                  \
    template <class Text>                                                                                              \
    static TEGULA_INLINE void issue(array<type, count>& d, const array<std::uint32_t, 4>& a, std::uint64_t b,          \
                                    int accumulate)                                                                    \
    {                                                                                                                  \
        asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #n5 ", 0;\n%" #n6 " {" TEGULA_WGMMA_D_##count                \
                     "}, {%" #n0 ", %" #n1 ", %" #n2 ", %" #n3 "}, %" #n4 ", p%" #n7 ";\n}"                            \
                     : TEGULA_WGMMA_O_##count(kind)                                                                    \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(accumulate), "C"(Text::mnemonic),       \
                       "C"(Text::modifiers));                                                                          \
    }
#define TEGULA_WGMMA(count, ...)                                                                                       \
    template <>                                                                                                        \
    struct wgmma_of<count>                                                                                             \
    {                                                                                                                  \
        TEGULA_WGMMA_TYPE(float, "+f", count, __VA_ARGS__)                                                             \
        TEGULA_WGMMA_TYPE(std::uint32_t, "+r", count, __VA_ARGS__)                                                     \
    };

// clang-format off
TEGULA_WGMMA(2, 2, 3, 4, 5, 6, 7, 8, 9)
TEGULA_WGMMA(4, 4, 5, 6, 7, 8, 9, 10, 11)
TEGULA_WGMMA(6, 6, 7, 8, 9, 10, 11, 12, 13)
TEGULA_WGMMA(8, 8, 9, 10, 11, 12, 13, 14, 15)
TEGULA_WGMMA(10, 10, 11, 12, 13, 14, 15, 16, 17)
TEGULA_WGMMA(12, 12, 13, 14, 15, 16, 17, 18, 19)
TEGULA_WGMMA(14, 14, 15, 16, 17, 18, 19, 20, 21)
TEGULA_WGMMA(16, 16, 17, 18, 19, 20, 21, 22, 23)
TEGULA_WGMMA(18, 18, 19, 20, 21, 22, 23, 24, 25)
TEGULA_WGMMA(20, 20, 21, 22, 23, 24, 25, 26, 27)
TEGULA_WGMMA(22, 22, 23, 24, 25, 26, 27, 28, 29)
TEGULA_WGMMA(24, 24, 25, 26, 27, 28, 29, 30, 31)
TEGULA_WGMMA(26, 26, 27, 28, 29, 30, 31, 32, 33)
TEGULA_WGMMA(28, 28, 29, 30, 31, 32, 33, 34, 35)
TEGULA_WGMMA(30, 30, 31, 32, 33, 34, 35, 36, 37)
TEGULA_WGMMA(32, 32, 33, 34, 35, 36, 37, 38, 39)
TEGULA_WGMMA(34, 34, 35, 36, 37, 38, 39, 40, 41)
TEGULA_WGMMA(36, 36, 37, 38, 39, 40, 41, 42, 43)
TEGULA_WGMMA(38, 38, 39, 40, 41, 42, 43, 44, 45)
TEGULA_WGMMA(40, 40, 41, 42, 43, 44, 45, 46, 47)
TEGULA_WGMMA(42, 42, 43, 44, 45, 46, 47, 48, 49)
TEGULA_WGMMA(44, 44, 45, 46, 47, 48, 49, 50, 51)
TEGULA_WGMMA(46, 46, 47, 48, 49, 50, 51, 52, 53)
TEGULA_WGMMA(48, 48, 49, 50, 51, 52, 53, 54, 55)
TEGULA_WGMMA(50, 50, 51, 52, 53, 54, 55, 56, 57)
TEGULA_WGMMA(52, 52, 53, 54, 55, 56, 57, 58, 59)
TEGULA_WGMMA(54, 54, 55, 56, 57, 58, 59, 60, 61)
TEGULA_WGMMA(56, 56, 57, 58, 59, 60, 61, 62, 63)
TEGULA_WGMMA(58, 58, 59, 60, 61, 62, 63, 64, 65)
TEGULA_WGMMA(60, 60, 61, 62, 63, 64, 65, 66, 67)
TEGULA_WGMMA(62, 62, 63, 64, 65, 66, 67, 68, 69)
TEGULA_WGMMA(64, 64, 65, 66, 67, 68, 69, 70, 71)
TEGULA_WGMMA(68, 68, 69, 70, 71, 72, 73, 74, 75)
TEGULA_WGMMA(72, 72, 73, 74, 75, 76, 77, 78, 79)
TEGULA_WGMMA(76, 76, 77, 78, 79, 80, 81, 82, 83)
TEGULA_WGMMA(80, 80, 81, 82, 83, 84, 85, 86, 87)
TEGULA_WGMMA(84, 84, 85, 86, 87, 88, 89, 90, 91)
TEGULA_WGMMA(88, 88, 89, 90, 91, 92, 93, 94, 95)
TEGULA_WGMMA(92, 92, 93, 94, 95, 96, 97, 98, 99)
TEGULA_WGMMA(96, 96, 97, 98, 99, 100, 101, 102, 103)
TEGULA_WGMMA(100, 100, 101, 102, 103, 104, 105, 106, 107)
TEGULA_WGMMA(104, 104, 105, 106, 107, 108, 109, 110, 111)
TEGULA_WGMMA(108, 108, 109, 110, 111, 112, 113, 114, 115)
TEGULA_WGMMA(112, 112, 113, 114, 115, 116, 117, 118, 119)
TEGULA_WGMMA(116, 116, 117, 118, 119, 120, 121, 122, 123)
TEGULA_WGMMA(120, 120, 121, 122, 123, 124, 125, 126, 127)
TEGULA_WGMMA(124, 124, 125, 126, 127, 128, 129, 130, 131)
TEGULA_WGMMA(128, 128, 129, 130, 131, 132, 133, 134, 135)
// clang-format on

#undef TEGULA_WGMMA
#undef TEGULA_WGMMA_TYPE

} // namespace tegula::detail

/// Names that other folders use.
namespace tegula::internal {
using tegula::detail::wgmma_of;
using tegula::detail::wgmma_text;
} // namespace tegula::internal

#endif
