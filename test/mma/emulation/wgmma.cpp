// Products of wgmma on the emulator, which finds operands in shared memory from the bits of their descriptors: every
// swizzle, both majors, A from registers, every element type, several widths; and the figures of the descriptors.
#include "test/mma/atom_harness.hpp"
#include "wgmma_atom_of.hpp"

#include <tegula/arch/nvidia/mbarrier.hpp>

#include "test/catch.hpp"

namespace tegula::test {
namespace {

using arch::nvidia::wgmma_commit;
using arch::nvidia::wgmma_fence;
using arch::nvidia::wgmma_wait;
using target = arch::sm_90a;
constexpr operand_order k = operand_order::k_contiguous;
constexpr operand_order mn = operand_order::row_contiguous;
using enum swizzle_mode;

/// The matrix [mn, k] into the operand's tile, by its layout.
template <class Operand>
void write_tile(typename Operand::element_type* tile, const matrix& m)
{
    using element = typename Operand::element_type;
    for (int i = target::thread_id(); i < Operand::mn * Operand::k; i += 128) {
        const int row = i / Operand::k;
        const int k = i % Operand::k;
        target::store_shared(reinterpret_cast<raw_vector<sizeof(element)>*>(tile + Operand::offset(row, k)),
                             __builtin_bit_cast(raw_vector<sizeof(element)>, convert<element>(m.at(row, k))));
    }
}

template <class A, class B, class C, int N, operand_order OrderA, operand_order OrderB, swizzle_mode SwizzleA,
          swizzle_mode SwizzleB, bool ARegisters = false>
struct product
{
    using atom = wgmma_atom<target, A, B, C, N, OrderA, OrderB>;
    // Two instructions' worth of k or the swizzle's width, and the instruction's rows in the middle of more.
    static constexpr index_t k = 128 / static_cast<index_t>(sizeof(A));
    static constexpr index_t columns = OrderB == mn ? (N + 63) / 64 * 64 : N;
    using a_tile = wgmma_operand<A, 192, k, OrderA, SwizzleA>;
    using b_tile = wgmma_operand<B, columns, k, OrderB, SwizzleB>;
    static constexpr int steps = k / atom::k;

    matrix a = random_matrix(192, k, 1, !std::is_unsigned_v<A>);
    matrix b = random_matrix(columns, k, 2, !std::is_unsigned_v<B>);
    matrix c = random_matrix(64, N, 3);
    matrix result = matrix(64, N);

    /// Whether C + A B of rows 64 to 127 comes out.
    bool agrees()
    {
        emulator::run_config config;
        config.chip = &chip::sm_90a;
        config.block_threads = 128;
        config.shared_bytes = a_tile::bytes + b_tile::bytes + 1024;
        config.cpu_threads = 1;
        const auto launched = emulator::launch(config, [&] { kernel(); });
        INFO(launched.report << launched.status.message());
        CHECK(launched.status.ok());
        CHECK(launched.counters.mma_instructions == steps);
        matrix expected = c;
        for (int i = 0; i < 64; ++i)
            for (int j = 0; j < N; ++j)
                for (int kk = 0; kk < k; ++kk)
                    expected.at(i, j) += a.at(64 + i, kk) * b.at(j, kk);
        return result == expected;
    }

    void kernel()
    {
        auto* a_memory = reinterpret_cast<A*>(target::shared_memory());
        auto* b_memory = reinterpret_cast<B*>(target::shared_memory() + (a_tile::bytes + 1023) / 1024 * 1024);
        write_tile<a_tile>(a_memory, a);
        write_tile<b_tile>(b_memory, b);
        arch::nvidia::fence_proxy_async();
        target::block_barrier();

        static const auto where_c = positions(operand_encoding(atom::row::value, operand::c));
        static const auto where_a = positions(operand_encoding(atom::row::value, operand::a));
        const auto thread = static_cast<std::size_t>(target::thread_id());
        typename atom::accumulators acc;
        for (int i = 0; i < atom::c_count; ++i)
            acc[i] = convert<C>(c.at(where_c[thread][i].x0, where_c[thread][i].x1));
        array<typename atom::a_registers, steps> registers;
        for (int s = 0; s < steps; ++s)
            for (int i = 0; i < atom::a_count; ++i)
                registers[s][i] = convert<A>(a.at(64 + where_a[thread][i].x0, s * atom::k + where_a[thread][i].x1));

        const std::uint64_t a_descriptor = a_tile::descriptor(a_memory);
        const std::uint64_t b_descriptor = b_tile::descriptor(b_memory);
        wgmma_fence(acc);
        static_for<steps>([&](auto s) {
            constexpr index_t k0 = s * atom::k;
            if constexpr (ARegisters)
                atom::multiply(acc, registers[s], b_descriptor + b_tile::template part<0, k0>(), true);
            else
                atom::multiply(acc, a_descriptor + a_tile::template part<64, k0>(),
                               b_descriptor + b_tile::template part<0, k0>(), true);
        });
        wgmma_commit();
        wgmma_wait<0>(acc);
        for (int i = 0; i < atom::c_count; ++i)
            result.at(where_c[thread][i].x0, where_c[thread][i].x1) = static_cast<double>(acc[i]);
    }
};

template <class A, class B, class C, int N, operand_order OrderA, operand_order OrderB, swizzle_mode SwizzleA,
          swizzle_mode SwizzleB, bool ARegisters = false>
bool agrees()
{
    return product<A, B, C, N, OrderA, OrderB, SwizzleA, SwizzleB, ARegisters>{}.agrees();
}

TEST_CASE("wgmma multiplies operands of every swizzle, contiguous along k or along m and n")
{
    CHECK(agrees<bfloat16, bfloat16, float, 64, k, k, bytes_128, bytes_128>());
    CHECK(agrees<bfloat16, bfloat16, float, 32, k, k, bytes_64, bytes_32>());
    CHECK(agrees<bfloat16, bfloat16, float, 16, k, k, bytes_32, none>());
    CHECK(agrees<bfloat16, bfloat16, float, 8, k, k, none, bytes_64>());
    CHECK(agrees<half, half, float, 64, mn, mn, bytes_128, bytes_64>());
    CHECK(agrees<half, half, float, 128, mn, mn, bytes_64, bytes_128>());
    CHECK(agrees<half, half, float, 40, mn, k, bytes_32, bytes_128>());
    CHECK(agrees<half, half, float, 192, k, mn, bytes_128, bytes_32>());
    CHECK(agrees<half, half, float, 24, mn, mn, none, none>());
}

TEST_CASE("wgmma takes A from registers")
{
    CHECK(agrees<bfloat16, bfloat16, float, 64, k, k, bytes_128, bytes_128, true>());
    CHECK(agrees<half, half, half, 32, k, mn, bytes_128, bytes_64, true>());
    CHECK(agrees<tfloat32, tfloat32, float, 16, k, k, bytes_128, bytes_128, true>());
    CHECK(agrees<float8_e4m3, float8_e5m2, float, 16, k, k, bytes_128, bytes_128, true>());
}

TEST_CASE("wgmma multiplies every list of types of the table")
{
    static_for<wgmma_form_count>([](auto form) {
        using atom = wgmma_atom_of<decltype(form)::value, 24>;
        INFO(atom::name.c_str());
        CHECK(agrees<typename atom::a_type, typename atom::b_type, typename atom::c_type, 24, k, k, bytes_128,
                     bytes_32>());
        CHECK(agrees<typename atom::a_type, typename atom::b_type, typename atom::c_type, 24, k, k, bytes_128, bytes_32,
                     true>());
    });
}

TEST_CASE("wgmma multiplies element types at other widths")
{
    CHECK(agrees<half, half, half, 256, k, k, bytes_128, bytes_128>());
    CHECK(agrees<tfloat32, tfloat32, float, 72, k, k, bytes_128, bytes_64>());
    CHECK(agrees<float8_e4m3, float8_e4m3, float, 16, k, k, bytes_128, bytes_32>());
    CHECK(agrees<float8_e5m2, float8_e4m3, half, 24, k, k, bytes_64, none>());
    CHECK(agrees<std::int8_t, std::uint8_t, std::int32_t, 48, k, k, bytes_128, bytes_128>());
    CHECK(agrees<std::uint8_t, std::int8_t, std::int32_t, 24, k, k, bytes_32, bytes_64>());
}

// The figures that CUTLASS's canonical layouts and PTX ISA give for a bf16 operand of 128 rows and 64 k.
template <operand_order Order, swizzle_mode Swizzle>
using bf16_tile = wgmma_operand<bfloat16, 128, 64, Order, Swizzle>;

TEST_CASE("Tiles of wgmma lie as tensor copies leave them")
{
    for (int row = 0; row < 128; ++row)
        for (int column = 0; column < 64; ++column)
            REQUIRE(bf16_tile<k, bytes_128>::offset(row, column) * 2 ==
                    row * 128 + ((column / 8 ^ (row & 7)) << 4) + column % 8 * 2);
    CHECK(bf16_tile<k, bytes_32>::offset(4, 0) * 2 == 4 * 32 + 16);
    CHECK(bf16_tile<k, bytes_64>::offset(2, 0) * 2 == 2 * 64 + 16);
    CHECK(bf16_tile<k, none>::offset(5, 8) * 2 == 128 * 16 + 5 * 16);
    CHECK(bf16_tile<mn, bytes_128>::offset(64, 1) * 2 == 64 * 128 + 128 + 16);
}

TEST_CASE("Steps inside a tile of wgmma, in 16 bytes")
{
    STATIC_REQUIRE(bf16_tile<k, bytes_128>::part<0, 16>() == 2);
    STATIC_REQUIRE(bf16_tile<k, bytes_128>::part<64, 0>() == 8192 / 16);
    STATIC_REQUIRE(bf16_tile<mn, bytes_128>::part<0, 16>() == 2048 / 16);
    STATIC_REQUIRE(bf16_tile<mn, bytes_128>::part<64, 0>() == 8192 / 16);
    STATIC_REQUIRE(bf16_tile<k, bytes_32>::part<0, 16>() == 128 * 32 / 16);
    STATIC_REQUIRE(bf16_tile<k, none>::part<0, 16>() == 2 * 128);
}

TEST_CASE("A descriptor packs its fields where PTX ISA has them")
{
    constexpr matrix_descriptor d{0x1230, 0x4560, 1024, 5, bytes_128};
    STATIC_REQUIRE(d.pack() == (0x123u | 0x456ull << 16 | 64ull << 32 | 5ull << 49 | 1ull << 62));
    STATIC_REQUIRE(matrix_descriptor{0, 0, 0, 0, bytes_64}.pack() == 2ull << 62);
    STATIC_REQUIRE(matrix_descriptor{0, 0, 0, 0, bytes_32}.pack() == 3ull << 62);
    STATIC_REQUIRE(matrix_descriptor{0, 0, 0, 0, none}.pack() == 0);
    constexpr matrix_descriptor back = matrix_descriptor::unpack(d.pack());
    STATIC_REQUIRE((back.start == d.start && back.leading == d.leading && back.stride == d.stride &&
                    back.base_offset == d.base_offset && back.swizzle == d.swizzle));
}

TEST_CASE("wgmma exists for the widths and types of PTX ISA")
{
    STATIC_REQUIRE(has_wgmma<target, bfloat16, bfloat16, float, 256>);
    STATIC_REQUIRE(has_wgmma<target, half, half, half, 8>);
    STATIC_REQUIRE_FALSE(has_wgmma<target, bfloat16, bfloat16, bfloat16, 64>);
    STATIC_REQUIRE_FALSE(has_wgmma<target, bfloat16, half, float, 64>);
    STATIC_REQUIRE_FALSE(has_wgmma<target, half, half, float, 12>);
    STATIC_REQUIRE_FALSE(has_wgmma<target, half, half, float, 264>);
    STATIC_REQUIRE_FALSE(has_wgmma<target, std::int8_t, std::int8_t, std::int32_t, 40>);
    STATIC_REQUIRE_FALSE(has_wgmma<arch::sm_80, half, half, float, 64>);
}

} // namespace
} // namespace tegula::test
