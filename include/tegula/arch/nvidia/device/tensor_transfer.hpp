#pragma once

#include <tegula/chip/tensor_memory.hpp>
#include <tegula/core/array.hpp>

/// tcgen05.ld and tcgen05.st as PTX. Device code of sm_100a and sm_103a only.

namespace tegula::arch::nvidia::internal {

/// Inline PTX wants registers one by one, so that each number of them has its own lists: N their placeholders, O the
/// operands. Shapes and counts are text.
// clang-format off
#define TEGULA_TENSOR_N_1 "%0"
#define TEGULA_TENSOR_N_2 TEGULA_TENSOR_N_1 ", %1"
#define TEGULA_TENSOR_N_4 TEGULA_TENSOR_N_2 ", %2" ", %3"
#define TEGULA_TENSOR_N_8 TEGULA_TENSOR_N_4 ", %4" ", %5" ", %6" ", %7"
#define TEGULA_TENSOR_N_16 TEGULA_TENSOR_N_8 ", %8" ", %9" ", %10" ", %11" ", %12" ", %13" ", %14" ", %15"
#define TEGULA_TENSOR_N_32 TEGULA_TENSOR_N_16                                                                          \
    ", %16, %17, %18, %19, %20, %21, %22, %23"                                                                         \
    ", %24, %25, %26, %27, %28, %29, %30, %31"
#define TEGULA_TENSOR_N_64 TEGULA_TENSOR_N_32                                                                          \
    ", %32, %33, %34, %35, %36, %37, %38, %39"                                                                         \
    ", %40, %41, %42, %43, %44, %45, %46, %47"                                                                         \
    ", %48, %49, %50, %51, %52, %53, %54, %55"                                                                         \
    ", %56, %57, %58, %59, %60, %61, %62, %63"
#define TEGULA_TENSOR_N_128 TEGULA_TENSOR_N_64                                                                         \
    ", %64, %65, %66, %67, %68, %69, %70, %71"                                                                         \
    ", %72, %73, %74, %75, %76, %77, %78, %79"                                                                         \
    ", %80, %81, %82, %83, %84, %85, %86, %87"                                                                         \
    ", %88, %89, %90, %91, %92, %93, %94, %95"                                                                         \
    ", %96, %97, %98, %99, %100, %101, %102, %103"                                                                     \
    ", %104, %105, %106, %107, %108, %109, %110, %111"                                                                 \
    ", %112, %113, %114, %115, %116, %117, %118, %119"                                                                 \
    ", %120, %121, %122, %123, %124, %125, %126, %127"
#define TEGULA_TENSOR_O_1(kind) kind(r[0])
#define TEGULA_TENSOR_O_2(kind) TEGULA_TENSOR_O_1(kind), kind(r[1])
#define TEGULA_TENSOR_O_4(kind) TEGULA_TENSOR_O_2(kind), kind(r[2]), kind(r[3])
#define TEGULA_TENSOR_O_8(kind) TEGULA_TENSOR_O_4(kind), kind(r[4]), kind(r[5]), kind(r[6]), kind(r[7])
#define TEGULA_TENSOR_O_16(kind) TEGULA_TENSOR_O_8(kind),                                                              \
    kind(r[8]), kind(r[9]), kind(r[10]), kind(r[11]), kind(r[12]), kind(r[13]), kind(r[14]), kind(r[15])
#define TEGULA_TENSOR_O_32(kind) TEGULA_TENSOR_O_16(kind),                                                             \
    kind(r[16]), kind(r[17]), kind(r[18]), kind(r[19]), kind(r[20]), kind(r[21]), kind(r[22]), kind(r[23]),            \
    kind(r[24]), kind(r[25]), kind(r[26]), kind(r[27]), kind(r[28]), kind(r[29]), kind(r[30]), kind(r[31])
#define TEGULA_TENSOR_O_64(kind) TEGULA_TENSOR_O_32(kind),                                                             \
    kind(r[32]), kind(r[33]), kind(r[34]), kind(r[35]), kind(r[36]), kind(r[37]), kind(r[38]), kind(r[39]),            \
    kind(r[40]), kind(r[41]), kind(r[42]), kind(r[43]), kind(r[44]), kind(r[45]), kind(r[46]), kind(r[47]),            \
    kind(r[48]), kind(r[49]), kind(r[50]), kind(r[51]), kind(r[52]), kind(r[53]), kind(r[54]), kind(r[55]),            \
    kind(r[56]), kind(r[57]), kind(r[58]), kind(r[59]), kind(r[60]), kind(r[61]), kind(r[62]), kind(r[63])
#define TEGULA_TENSOR_O_128(kind) TEGULA_TENSOR_O_64(kind),                                                            \
    kind(r[64]), kind(r[65]), kind(r[66]), kind(r[67]), kind(r[68]), kind(r[69]), kind(r[70]), kind(r[71]),            \
    kind(r[72]), kind(r[73]), kind(r[74]), kind(r[75]), kind(r[76]), kind(r[77]), kind(r[78]), kind(r[79]),            \
    kind(r[80]), kind(r[81]), kind(r[82]), kind(r[83]), kind(r[84]), kind(r[85]), kind(r[86]), kind(r[87]),            \
    kind(r[88]), kind(r[89]), kind(r[90]), kind(r[91]), kind(r[92]), kind(r[93]), kind(r[94]), kind(r[95]),            \
    kind(r[96]), kind(r[97]), kind(r[98]), kind(r[99]), kind(r[100]), kind(r[101]), kind(r[102]), kind(r[103]),        \
    kind(r[104]), kind(r[105]), kind(r[106]), kind(r[107]), kind(r[108]), kind(r[109]), kind(r[110]), kind(r[111]),    \
    kind(r[112]), kind(r[113]), kind(r[114]), kind(r[115]), kind(r[116]), kind(r[117]), kind(r[118]), kind(r[119]),    \
    kind(r[120]), kind(r[121]), kind(r[122]), kind(r[123]), kind(r[124]), kind(r[125]), kind(r[126]), kind(r[127])

#define TEGULA_TENSOR_ACCESS(form, shape, count, registers)                                                            \
    if constexpr (Shape == tensor_access::form && Count == count) {                                                    \
        if constexpr (Stores)                                                                                          \
            asm volatile("tcgen05.st.sync.aligned." shape ".x" #count ".b32 [%" #registers "], {"                      \
                         TEGULA_TENSOR_N_##registers "};" ::TEGULA_TENSOR_O_##registers("r"), "r"(address) : "memory");\
        else                                                                                                           \
            asm volatile("tcgen05.ld.sync.aligned." shape ".x" #count ".b32 {" TEGULA_TENSOR_N_##registers             \
                         "}, [%" #registers "];" : TEGULA_TENSOR_O_##registers("=r") : "r"(address) : "memory");       \
    } else
#define TEGULA_TENSOR_ACCESS_TWO(count, next)                                                                              \
    if constexpr (Shape == tensor_access::lanes_16x32bx2 && Count == count) {                                          \
        if constexpr (Stores)                                                                                          \
            asm volatile("tcgen05.st.sync.aligned.16x32bx2.x" #count ".b32 [%" #count "], %" #next ", {"               \
                         TEGULA_TENSOR_N_##count "};" ::TEGULA_TENSOR_O_##count("r"), "r"(address),                    \
                         "n"(Second) : "memory");                                                             \
        else                                                                                                           \
            asm volatile("tcgen05.ld.sync.aligned.16x32bx2.x" #count ".b32 {" TEGULA_TENSOR_N_##count "}, [%" #count   \
                         "], %" #next ";" : TEGULA_TENSOR_O_##count("=r") : "r"(address), "n"(Second)         \
                         : "memory");                                                                                  \
    } else

/// The instruction: Count times the shape, from `address` on; Second is the immediate of lanes_16x32bx2.
template <bool Stores, tensor_access Shape, int Count, int Second, int Registers>
TEGULA_INLINE void tensor_transfer(array<std::uint32_t, Registers>& r, std::uint32_t address)
{
    static_assert(Registers == Count * registers_of(Shape));
    TEGULA_TENSOR_ACCESS(lanes_32x32b, "32x32b", 1, 1)
    TEGULA_TENSOR_ACCESS(lanes_32x32b, "32x32b", 2, 2)
    TEGULA_TENSOR_ACCESS(lanes_32x32b, "32x32b", 4, 4)
    TEGULA_TENSOR_ACCESS(lanes_32x32b, "32x32b", 8, 8)
    TEGULA_TENSOR_ACCESS(lanes_32x32b, "32x32b", 16, 16)
    TEGULA_TENSOR_ACCESS(lanes_32x32b, "32x32b", 32, 32)
    TEGULA_TENSOR_ACCESS(lanes_32x32b, "32x32b", 64, 64)
    TEGULA_TENSOR_ACCESS(lanes_32x32b, "32x32b", 128, 128)
    TEGULA_TENSOR_ACCESS(lanes_16x64b, "16x64b", 1, 1)
    TEGULA_TENSOR_ACCESS(lanes_16x64b, "16x64b", 2, 2)
    TEGULA_TENSOR_ACCESS(lanes_16x64b, "16x64b", 4, 4)
    TEGULA_TENSOR_ACCESS(lanes_16x64b, "16x64b", 8, 8)
    TEGULA_TENSOR_ACCESS(lanes_16x64b, "16x64b", 16, 16)
    TEGULA_TENSOR_ACCESS(lanes_16x64b, "16x64b", 32, 32)
    TEGULA_TENSOR_ACCESS(lanes_16x64b, "16x64b", 64, 64)
    TEGULA_TENSOR_ACCESS(lanes_16x64b, "16x64b", 128, 128)
    TEGULA_TENSOR_ACCESS(lanes_16x128b, "16x128b", 1, 2)
    TEGULA_TENSOR_ACCESS(lanes_16x128b, "16x128b", 2, 4)
    TEGULA_TENSOR_ACCESS(lanes_16x128b, "16x128b", 4, 8)
    TEGULA_TENSOR_ACCESS(lanes_16x128b, "16x128b", 8, 16)
    TEGULA_TENSOR_ACCESS(lanes_16x128b, "16x128b", 16, 32)
    TEGULA_TENSOR_ACCESS(lanes_16x128b, "16x128b", 32, 64)
    TEGULA_TENSOR_ACCESS(lanes_16x128b, "16x128b", 64, 128)
    TEGULA_TENSOR_ACCESS(lanes_16x256b, "16x256b", 1, 4)
    TEGULA_TENSOR_ACCESS(lanes_16x256b, "16x256b", 2, 8)
    TEGULA_TENSOR_ACCESS(lanes_16x256b, "16x256b", 4, 16)
    TEGULA_TENSOR_ACCESS(lanes_16x256b, "16x256b", 8, 32)
    TEGULA_TENSOR_ACCESS(lanes_16x256b, "16x256b", 16, 64)
    TEGULA_TENSOR_ACCESS(lanes_16x256b, "16x256b", 32, 128)
    TEGULA_TENSOR_ACCESS_TWO(1, 2)
    TEGULA_TENSOR_ACCESS_TWO(2, 3)
    TEGULA_TENSOR_ACCESS_TWO(4, 5)
    TEGULA_TENSOR_ACCESS_TWO(8, 9)
    TEGULA_TENSOR_ACCESS_TWO(16, 17)
    TEGULA_TENSOR_ACCESS_TWO(32, 33)
    TEGULA_TENSOR_ACCESS_TWO(64, 65)
    TEGULA_TENSOR_ACCESS_TWO(128, 129)
    static_assert(Count == 0, "tegula: tensor memory is accessed 1, 2, 4 ... times a shape, at most 128 registers a lane");
}
// clang-format on

#undef TEGULA_TENSOR_ACCESS
#undef TEGULA_TENSOR_ACCESS_TWO
#undef TEGULA_TENSOR_N_1
#undef TEGULA_TENSOR_O_1
#undef TEGULA_TENSOR_N_2
#undef TEGULA_TENSOR_O_2
#undef TEGULA_TENSOR_N_4
#undef TEGULA_TENSOR_O_4
#undef TEGULA_TENSOR_N_8
#undef TEGULA_TENSOR_O_8
#undef TEGULA_TENSOR_N_16
#undef TEGULA_TENSOR_O_16
#undef TEGULA_TENSOR_N_32
#undef TEGULA_TENSOR_O_32
#undef TEGULA_TENSOR_N_64
#undef TEGULA_TENSOR_O_64
#undef TEGULA_TENSOR_N_128
#undef TEGULA_TENSOR_O_128

} // namespace tegula::arch::nvidia::internal
