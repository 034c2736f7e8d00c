// Prints the layouts that CuTe's MMA traits give instructions of which the published data have no record, in their
// form. Built by hand, with CUTLASS's headers, on the host:
//
//   g++ -std=c++17 -I CUTLASS/include -I CUDA/include/cccl -I CUDA/include test/golden/cute.cpp -o cute && ./cute >
//   cute.json

#include <cute/atom/mma_traits_sm80.hpp>
#include <cute/atom/mma_traits_sm89.hpp>
#include <cute/atom/mma_traits_sm90.hpp>

#include <cstdio>

namespace {

int records = 0;

/// Prints the operand: CuTe's layout of (thread, value) counts the outer dimension
/// (M of A and C, N of B) fastest.
template <class Layout>
void print_operand(char name, Layout layout, int outer, int inner, int bits, bool inner_is_row)
{
    const int threads = cute::size<0>(layout), values = cute::size<1>(layout);
    std::printf(",\"%c_bits\":%d,\"%c_elems_per_lane\":%d,\"%c_regs\":%d,\"%c_copies\":%d,\"values_%c\":[", name, bits,
                name, values, name, values * bits / 32, name, threads * values / (outer * inner), name);
    for (int t = 0; t < threads; ++t)
        for (int v = 0; v < values; ++v) {
            const int at = layout(t, v), o = at % outer, i = at / outer;
            std::printf("%s%d", t + v > 0 ? "," : "", inner_is_row ? i * outer + o : o * inner + i);
        }
    std::printf("]");
}

template <class Op>
void print(const char* arch, const char* instruction, const char* a, const char* b, const char* c)
{
    using traits = cute::MMA_Traits<Op>;
    constexpr int m = cute::size<0>(typename traits::Shape_MNK{}), n = cute::size<1>(typename traits::Shape_MNK{}),
                  k = cute::size<2>(typename traits::Shape_MNK{});
    std::printf("%s{\"kind\":\"mma\",\"arch\":\"%s\",\"instruction\":\"%s\",\"m\":%d,\"n\":%d,\"k\":%d,\"blocks\":1,"
                "\"wave\":32,\"a_type\":\"%s\",\"b_type\":\"%s\",\"c_type\":\"%s\"",
                records++ > 0 ? ",\n" : "", arch, instruction, m, n, k, a, b, c);
    print_operand('a', typename traits::ALayout{}, m, k, cute::sizeof_bits<typename traits::ValTypeA>::value, false);
    print_operand('b', typename traits::BLayout{}, n, k, cute::sizeof_bits<typename traits::ValTypeB>::value, true);
    print_operand('c', typename traits::CLayout{}, m, n, cute::sizeof_bits<typename traits::ValTypeC>::value, false);
    std::printf("}");
}

} // namespace

int main()
{
    using namespace cute;
    std::printf("{\"format\":1,\"layouts\":{},\"records\":[\n");
#define SM80(shape_, op, types, a, b, c)                                                                               \
    print<SM80_##op>("sm_80", "mma.sync.aligned." shape_ ".row.col." types, a, b, c)
    SM80("m16n8k8", 16x8x8_F32F16F16F32_TN, "f32.f16.f16.f32", "f16", "f16", "f32");
    SM80("m16n8k8", 16x8x8_F32BF16BF16F32_TN, "f32.bf16.bf16.f32", "bf16", "bf16", "f32");
    SM80("m16n8k4", 16x8x4_F32TF32TF32F32_TN, "f32.tf32.tf32.f32", "tf32", "tf32", "f32");
    SM80("m16n8k16", 16x8x16_S32S8S8S32_TN, "s32.s8.s8.s32", "i8", "i8", "i32");
    SM80("m16n8k16", 16x8x16_S32S8U8S32_TN, "s32.s8.u8.s32", "i8", "u8", "i32");
    SM80("m16n8k16", 16x8x16_S32U8S8S32_TN, "s32.u8.s8.s32", "u8", "i8", "i32");
    SM80("m16n8k16", 16x8x16_S32U8U8S32_TN, "s32.u8.u8.s32", "u8", "u8", "i32");
    SM80("m16n8k32", 16x8x32_S32S4S4S32_TN, "s32.s4.s4.s32", "i4", "i4", "i32");
    SM80("m16n8k32", 16x8x32_S32S4U4S32_TN, "s32.s4.u4.s32", "i4", "u4", "i32");
    SM80("m16n8k32", 16x8x32_S32U4S4S32_TN, "s32.u4.s4.s32", "u4", "i4", "i32");
    SM80("m16n8k32", 16x8x32_S32U4U4S32_TN, "s32.u4.u4.s32", "u4", "u4", "i32");
    SM80("m16n8k64", 16x8x64_S32S4S4S32_TN, "s32.s4.s4.s32", "i4", "i4", "i32");
    SM80("m16n8k64", 16x8x64_S32S4U4S32_TN, "s32.s4.u4.s32", "i4", "u4", "i32");
    SM80("m16n8k64", 16x8x64_S32U4S4S32_TN, "s32.u4.s4.s32", "u4", "i4", "i32");
    SM80("m16n8k64", 16x8x64_S32U4U4S32_TN, "s32.u4.u4.s32", "u4", "u4", "i32");
    SM80("m8n8k128", 8x8x128_S32U1U1S32_TN_ANDPOPC, "s32.b1.b1.s32.and.popc", "b1", "b1", "i32");
    SM80("m8n8k128", 8x8x128_S32U1U1S32_TN_XORPOPC, "s32.b1.b1.s32.xor.popc", "b1", "b1", "i32");
#define SM89(op, types, a, b) print<SM89_16x8x32_##op>("sm_89", "mma.sync.aligned.m16n8k32.row.col." types, a, b, "f16")
    SM89(F16E4M3E4M3F16_TN, "f16.e4m3.e4m3.f16", "f8e4m3", "f8e4m3");
    SM89(F16E4M3E5M2F16_TN, "f16.e4m3.e5m2.f16", "f8e4m3", "f8e5m2");
    SM89(F16E5M2E4M3F16_TN, "f16.e5m2.e4m3.f16", "f8e5m2", "f8e4m3");
    SM89(F16E5M2E5M2F16_TN, "f16.e5m2.e5m2.f16", "f8e5m2", "f8e5m2");
    print<SM90_16x8x4_F64F64F64F64_TN>("sm_90", "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64", "f64", "f64",
                                       "f64");
    std::printf("\n]}\n");
}
