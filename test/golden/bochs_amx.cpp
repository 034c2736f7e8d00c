// Prints tile products of AMX that Bochs computes, whose source has the instructions' operation as others read Intel's
// manual. Built by hand, in the folder bochs/ of its repository:
//
//   ./configure --enable-cpu-level=6 --enable-x86-64 --enable-avx --enable-evex --enable-amx --with-nogui
//   g++ -std=c++17 -fpermissive -w -O1 -I. -Icpu -Icpu/avx -Icpu/softfloat3e/include -Iinstrument/stubs \
//     -Wl,--unresolved-symbols=ignore-all cpu/avx/amx.cc cpu/softfloat3e/*.cc TEGULA/test/golden/bochs_amx.cpp -o bochs_amx && ./bochs_amx > amx.json
//
// Elements of A and B, in the order of memory, are numbers of one generator, A first (README.md); C begins as zeros.

#define NEED_CPU_REG_SHORTCUTS 1
#include "bochs.h"
#include "cpu.h"

#include "amx.h"
#include "cpu/softfloat3e/include/softfloat.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

// The parts of the rest of Bochs that amx.cc needs. Products call no others.
alignas(64) unsigned char cpu_memory[sizeof(BX_CPU_C)] asm("bx_cpu");
softfloat_status_t prepare_ne_softfloat_status_helper(bool flushes)
{
    softfloat_status_t status = {};
    status.softfloat_roundingMode = softfloat_round_near_even;
    status.softfloat_exceptionMasks = softfloat_all_exceptions_mask;
    status.softfloat_denormals_are_zeros = flushes;
    status.softfloat_flush_underflow_to_zero = flushes;
    return status;
}
float32 convert_ne_fp16_to_fp32(float16 x)
{
    softfloat_status_t status = prepare_ne_softfloat_status_helper(false);
    return f16_to_f32(x, &status);
}

namespace {

unsigned generator = 1;

unsigned next_byte()
{
    generator = generator * 1664525u + 1013904223u;
    return generator >> 24;
}

enum class element { bf16, f16, s8, u8 };

unsigned bits_of(element type)
{
    const unsigned x = next_byte();
    if (type == element::u8)
        return x;
    if (type == element::s8) // Bochs takes the bytes of all four instructions for unsigned
        return x >> 1;
    const int value = static_cast<int>(x % 17) - 8;
    const float f = static_cast<float>(value);
    unsigned bits;
    std::memcpy(&bits, &f, sizeof(bits));
    if (type == element::bf16)
        return bits >> 16;
    softfloat_status_t status = prepare_ne_softfloat_status_helper(false);
    return f32_to_f16(bits, &status);
}

void fill(AMX::TILE& tile, element type)
{
    for (auto& row : tile.row)
        if (type == element::s8 || type == element::u8)
            for (int i = 0; i < 64; ++i)
                row.vmmubyte(i) = static_cast<Bit8u>(bits_of(type));
        else
            for (int i = 0; i < 32; ++i)
                row.vmm16u(i) = static_cast<Bit16u>(bits_of(type));
}

using handler = void (*)(bxInstruction_c*);

void print(const char* name, handler product, element a, element b, bool last = false)
{
    AMX& tiles = *bx_cpu.amx;
    tiles.palette_id = 1;
    for (int t = 0; t < 3; ++t) {
        tiles.tilecfg[t].rows = 16;
        tiles.tilecfg[t].bytes_per_row = 64;
    }
    generator = 1;
    tiles.tile[0].clear();
    fill(tiles.tile[1], a);
    fill(tiles.tile[2], b);
    bxInstruction_c i;
    std::memset(&i, 0, sizeof(i));
    i.setSrcReg(0, 0);
    i.setSrcReg(1, 1);
    i.setSrcReg(2, 2);
    product(&i);
    std::printf("{\"instruction\":\"%s\",\"C\":[", name);
    for (int row = 0; row < 16; ++row)
        for (int n = 0; n < 16; ++n) {
            Bit32s value = tiles.tile[0].row[row].vmm32s(n);
            if (a == element::bf16 || a == element::f16) {
                float f;
                std::memcpy(&f, &value, sizeof(f));
                value = static_cast<Bit32s>(f);
            }
            std::printf("%s%d", row + n > 0 ? "," : "", value);
        }
    std::printf("]}%s\n", last ? "" : ",");
}

} // namespace

int main()
{
    bx_cpu.amx = new AMX;
    std::printf("{\"records\": [\n");
    print("tdpbf16ps", &BX_CPU_C::TDPBF16PS_TnnnTrmTreg, element::bf16, element::bf16);
    print("tdpfp16ps", &BX_CPU_C::TDPFP16PS_TnnnTrmTreg, element::f16, element::f16);
    print("tdpbssd", &BX_CPU_C::TDPBSSD_TnnnTrmTreg, element::s8, element::s8);
    print("tdpbsud", &BX_CPU_C::TDPBSUD_TnnnTrmTreg, element::s8, element::u8);
    print("tdpbusd", &BX_CPU_C::TDPBUSD_TnnnTrmTreg, element::u8, element::s8);
    print("tdpbuud", &BX_CPU_C::TDPBUUD_TnnnTrmTreg, element::u8, element::u8, true);
    std::printf("]}\n");
}
