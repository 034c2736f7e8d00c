// Rows of CPUs: the vector instructions against the machine itself, one element of A and one of B at a time; those of
// AMX against the operation that Intel's manual states.

#include <tegula/block/packed/packed_loop.hpp>
#include <tegula/mma/table/instruction_table.hpp>
#include <tegula/mma/table/operand_layout.hpp>

#include "test/catch.hpp"

#include <cstring>
#include <vector>

TEGULA_X86_BEGIN(TEGULA_X86_AVX512_FP16)
static void multiply_halves(tegula::half* c, const tegula::half* a, const tegula::half* b)
{
    __m512i sum = _mm512_loadu_si512(c);
    tegula::x86::avx512_fp16::fma_f16::multiply(sum, _mm512_loadu_si512(a), _mm512_loadu_si512(b));
    _mm512_storeu_si512(c, sum);
}
TEGULA_X86_END()

namespace tegula::test {
namespace {

template <class T>
T one()
{
    if constexpr (std::is_same_v<T, bfloat16>)
        return bfloat16(1.0f);
    else
        return T{1};
}

/// Every pair of elements that the row's layouts put at the slots of A and B: the machine must add their product, where
/// they have the same k, at the slot of C that the layout has for it, and nowhere else.
template <class I>
void check_row(gpu_arch arch, const char* name)
{
    const instruction* const row = find_instruction(arch, name);
    REQUIRE(row != nullptr);
    if (!x86::host_features().contains(I::needed)) {
        WARN("not run: this machine lacks " << name);
        return;
    }
    using a_type = typename I::a_type;
    using b_type = typename I::b_type;
    using c_type = typename I::c_type;
    const operand_layout a = make_operand_layout(*row, operand::a), b = make_operand_layout(*row, operand::b),
                         c = make_operand_layout(*row, operand::c);
    REQUIRE(a.lanes * a.slots == I::per_word);
    REQUIRE(b.slots == I::per_word * I::columns);
    REQUIRE(c.slots == I::columns);
    constexpr int depth = 1, start = I::a_bias != 0 ? I::tile_columns : 0;
    long wrong = 0;
    for (int p = 0; p < a.slots; ++p)
        for (int q = 0; q < b.slots; ++q) {
            std::vector<a_type> left(2 * static_cast<std::size_t>(I::per_word)); // two rows; the second stays zero
            std::vector<b_type> right(static_cast<std::size_t>((start + I::tile_columns) * I::per_word));
            std::vector<c_type> sums(2 * I::tile_columns);
            left[static_cast<std::size_t>(p)] = one<a_type>();
            right[static_cast<std::size_t>(start * I::per_word + q)] = one<b_type>();
            const accumulators_in_memory<c_type> acc{sums.data(), I::tile_columns, 2, I::tile_columns, false};
            native_panels<I, depth>::multiply(acc, I::tile_columns, reinterpret_cast<std::byte*>(left.data()),
                                              reinterpret_cast<std::byte*>(right.data()), 1);
            const int k_of_a = a.element(0, p) % row->k, k_of_b = b.element(0, q) / row->n,
                      column = b.element(0, q) % row->n;
            for (int i = 0; i < 2 * I::tile_columns; ++i) {
                const bool here = i < I::columns && c.element(0, i) == column && k_of_a == k_of_b;
                wrong += sums[static_cast<std::size_t>(i)] != (here ? c_type{1} : c_type{});
            }
        }
    INFO(name);
    CHECK(wrong == 0);
}

TEST_CASE("vector instructions of x86 hold what their rows say", "[mma][x86]")
{
    check_row<x86::avx2::fma_f32>(gpu_arch::x86_avx2, "vfmadd231ps_ymm");
    check_row<x86::avx2::fma_f64>(gpu_arch::x86_avx2, "vfmadd231pd_ymm");
    check_row<x86::avx_vnni::dot_i8>(gpu_arch::x86_avx2, "vpdpbusd_ymm");
    check_row<x86::avx_vnni::dot_i16>(gpu_arch::x86_avx2, "vpdpwssd_ymm");
    check_row<x86::avx512::fma_f32>(gpu_arch::x86_avx512, "vfmadd231ps_zmm");
    check_row<x86::avx512::fma_f64>(gpu_arch::x86_avx512, "vfmadd231pd_zmm");
    check_row<x86::avx512_dot::dot_bf16>(gpu_arch::x86_avx512, "vdpbf16ps_zmm");
    check_row<x86::avx512_dot::dot_i8>(gpu_arch::x86_avx512, "vpdpbusd_zmm");
    check_row<x86::avx512_dot::dot_i16>(gpu_arch::x86_avx512, "vpdpwssd_zmm");
    // int16 as machines without vpdpwssd multiply it: the same layout.
    check_row<x86::avx2::madd_i16>(gpu_arch::x86_avx2, "vpdpwssd_ymm");
}

TEST_CASE("vfmadd231ph multiplies lane by lane", "[mma][x86]")
{
    const instruction* const row = find_instruction(gpu_arch::x86_avx512, "vfmadd231ph_zmm");
    REQUIRE(row != nullptr);
    const operand_layout b = make_operand_layout(*row, operand::b), c = make_operand_layout(*row, operand::c);
    REQUIRE(b.slots == 32);
    REQUIRE(c.slots == 32);
    for (int i = 0; i < 32; ++i) {
        CHECK(b.element(0, i) == i);
        CHECK(c.element(0, i) == i);
    }
    if (!x86::host_features().contains(x86::avx512_fp16::fma_f16::needed)) {
        WARN("not run: this machine lacks vfmadd231ph_zmm");
        return;
    }
    half a[32], x[32], sums[32];
    for (int i = 0; i < 32; ++i) {
        a[i] = half(3.0f);
        x[i] = half(static_cast<float>(i));
        sums[i] = half(0.5f);
    }
    multiply_halves(sums, a, x);
    for (int i = 0; i < 32; ++i)
        CHECK(static_cast<float>(sums[i]) == 3.0f * static_cast<float>(i) + 0.5f);
}

TEST_CASE("tiles of AMX hold what the manual's operation reads", "[mma][x86]")
{
    // As this project reads TDPBF16PS and TDPBSSD: dst.row[m].dword[n] += the products of src1.row[m].dword[k] with
    // src2.row[k].dword[n], element by element of the 32 bits. A row of a tile has 64 bytes.
    int rows = 0;
    for (const instruction& i : instruction_table()) {
        if (i.family != instruction_family::x86_tile)
            continue;
        ++rows;
        INFO(i.name);
        const int bits = info(i.a).bits, per_dword = 32 / bits, per_row = 512 / bits;
        const operand_layout a = make_operand_layout(i, operand::a), b = make_operand_layout(i, operand::b),
                             c = make_operand_layout(i, operand::c);
        int wrong = 0;
        for (int m = 0; m < 16; ++m)
            for (int k = 0; k < i.k; ++k)
                wrong += a.element(0, m * per_row + k) != m * i.k + k;
        for (int k = 0; k < i.k; ++k)
            for (int n = 0; n < 16; ++n)
                wrong += b.element(0, k / per_dword * per_row + n * per_dword + k % per_dword) != k * i.n + n;
        for (int m = 0; m < 16; ++m)
            for (int n = 0; n < 16; ++n)
                wrong += c.element(0, m * 16 + n) != m * 16 + n;
        CHECK(wrong == 0);
    }
    CHECK(rows == 6);
}

} // namespace
} // namespace tegula::test
