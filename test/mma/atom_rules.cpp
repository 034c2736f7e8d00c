// Guarantees of atoms beyond a right product.

#include "test/catch.hpp"
#include "test/mma/atom_checks.hpp"

#include <string>

namespace tegula::test {
namespace {

using arch::gfx1100;
using arch::gfx942;
using arch::sm_80;

consteval int number_of(gpu_arch arch, const char* name, int wave)
{
    int number = 0;
    while (detail::instructions[number].wave != wave || !available_on(detail::instructions[number], arch) ||
           !has_name(detail::instructions[number], name))
        ++number;
    return number;
}

/// An outer-product atom, packed as kernels use it.
template <class Target, class A, class C>
void check_fma()
{
    check_product<fma_atom<Target, A, A, C>>();
    check_product<vector_atom<fma_atom<Target, A, A, C>>>();
}

TEST_CASE("multiply-add atoms multiply", "[mma]")
{
    check_fma<sm_80, float, float>();
    check_fma<gfx1100, double, double>();
    check_fma<gfx942, tfloat32, float>();
    check_fma<gfx942, float8_e4m3, float>();
    check_fma<sm_80, half, float>();
    check_fma<sm_80, std::int8_t, std::int32_t>();
}

TEST_CASE("32-bit integer sums wrap", "[mma]")
{
    using atom = mma_atom<gfx942, std::int8_t, std::int8_t, std::int32_t, 16, 16, 32>;
    matrix a(16, 32), b(32, 16), c(16, 16);
    for (double& x : a.values)
        x = 127;
    for (double& x : b.values)
        x = 127;
    for (double& x : c.values)
        x = 0x7fffffff;
    operands<atom> o(a, b, c);
    REQUIRE(multiply_on_emulator<atom>(o).status.ok());
    CHECK(o.result().at(3, 5) == 0x7fffffff + 32. * 127 * 127 - 0x1p32);
}

TEST_CASE("sums go from zero in ascending k, rounded, and then to C", "[mma]")
{
    using atom = mma_atom<gfx942, half, half, float, 16, 16, 16>;
    matrix a(16, 16), b(16, 16), c(16, 16);
    a.at(0, 0) = 4096;
    b.at(0, 0) = 4096; // 2^24: a later 1 is lost, 1 + 1 before would not be
    for (int k = 1; k < 16; ++k) {
        a.at(0, k) = 1;
        b.at(k, 0) = 1;
    }
    c.at(0, 0) = 2;
    operands<atom> o(a, b, c);
    REQUIRE(multiply_on_emulator<atom>(o).status.ok());
    CHECK(o.result().at(0, 0) == 16777218.);
}

TEST_CASE("tf32 instructions do not look at the last 13 bits", "[mma]")
{
    using atom = mma_atom<sm_80, tfloat32, tfloat32, float, 16, 8, 8>;
    const matrix ones = random_matrix(16, 8, 1), zero(16, 8);
    operands<atom> o(ones, random_matrix(8, 8, 2), zero);
    operands<atom> with_bits = o;
    for (auto& lane : with_bits.a)
        for (tfloat32& x : lane)
            x.bits |= 0x1fff;
    REQUIRE(multiply_on_emulator<atom>(o).status.ok());
    REQUIRE(multiply_on_emulator<atom>(with_bits).status.ok());
    CHECK(o.result() == with_bits.result());
}

TEST_CASE("gfx1100 wants both half-waves to hold the same operands", "[mma]")
{
    using atom = mma_atom<gfx1100, half, half, float, 16, 16, 16>;
    const matrix m = random_matrix(16, 16, 1);
    operands<atom> o(m, m, m);
    o.b[17][4] = half(9.f);
    const emulator::launch_result result = multiply_on_emulator<atom>(o);
    CHECK_FALSE(result.status.ok());
    CHECK(std::string(result.report).find("different values") != std::string::npos);
}

TEST_CASE("rows that no kernel atom has: iu4 is signed as asked, and copies are checked", "[mma]")
{
    constexpr int number = number_of(gpu_arch::gfx1100, "v_wmma_i32_16x16x16_iu4", 32);
    static constexpr chip_info chip = gfx1100::chip();
    emulator::run_config config;
    config.chip = &chip;
    config.kernel_name = "multiply";
    config.block_threads = 32;
    // A is -1 or 15 everywhere, B 1.
    const auto first_sum = [&]<bool Signed>(std::bool_constant<Signed>, std::uint8_t b_of_lane_17) {
        using atom = instruction_atom<table_row<number>, Signed>;
        std::int32_t sum = 0;
        const emulator::launch_result result = emulator::launch(config, [&] {
            array<typename atom::a_type, atom::a_count> a;
            array<typename atom::b_type, atom::b_count> b;
            for (auto& x : a)
                x = 0xff;
            for (auto& x : b)
                x = emulator::lane_id() == 17 ? b_of_lane_17 : 0x11;
            array<std::int32_t, atom::c_count> c{};
            atom::multiply(c, a, b);
            if (emulator::lane_id() == 0)
                sum = c[0];
        });
        return result.status.ok() ? sum : 9999;
    };
    CHECK(first_sum(std::true_type{}, 0x11) == -16);
    CHECK(first_sum(std::false_type{}, 0x11) == 15 * 16);
    CHECK(first_sum(std::true_type{}, 0x12) == 9999);
}

TEST_CASE("the emulation reads every half and every byte as their values", "[mma]")
{
    const auto same = [](float x, float y) {
        return __builtin_bit_cast(std::uint32_t, x) == __builtin_bit_cast(std::uint32_t, y) || (x != x && y != y);
    };
    int wrong = 0;
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const half x = half::from_bits(bits);
        wrong += !same(emulation::detail::decode(x), static_cast<float>(x));
        const bfloat16 y = bfloat16::from_bits(bits);
        wrong += !same(emulation::detail::decode(y), static_cast<float>(y));
    }
    for (std::uint32_t bits = 0; bits < 0x100; ++bits) {
        const auto x = float8_e4m3_fnuz::from_bits(bits);
        wrong += !same(emulation::detail::decode(x), static_cast<float>(x));
    }
    CHECK(wrong == 0);
}

} // namespace
} // namespace tegula::test
