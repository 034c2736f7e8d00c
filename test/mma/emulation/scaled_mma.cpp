// Products with a scale for each 32 of k against the definition, in doubles: every pair of formats, each byte of the
// scales.

#include "test/catch.hpp"

#include <tegula/arch/target.hpp>
#include <tegula/emulator/launch.hpp>
#include <tegula/mma/scaled_atom.hpp>
#include <tegula/reference/random.hpp>

#include <cmath>
#include <vector>

namespace tegula::test {

namespace {

/// One operand of a wave: random patterns and scales by the element's place, and the registers that hold them by the
/// golden layouts of the table. Part: of the registers of scales, which have others in the rest.
template <class Atom, class T, operand Which, int Part>
struct scaled_input
{
    using row = typename Atom::row;
    static constexpr int outer = Which == operand::a ? Atom::m : Atom::n, k = Atom::k, bits = T::format::width;
    std::vector<double> value = std::vector<double>(outer * k);
    std::vector<std::vector<std::uint8_t>> registers = std::vector<std::vector<std::uint8_t>>(64);
    std::uint32_t scales[64];

    explicit scaled_input(std::uint64_t seed)
    {
        const operand_layout layout = make_operand_layout(row::value, Which);
        std::vector<float> random(static_cast<std::size_t>(outer * k));
        fill_integers<float>(random, seed, 0, (1 << bits) - 1);
        for (int lane = 0; lane < Atom::wave_size; ++lane) {
            scales[lane] = 0x7b3f9901u;
            registers[static_cast<std::size_t>(lane)].resize(static_cast<std::size_t>(4 * layout.registers));
        }
        std::vector<double> block_scale(static_cast<std::size_t>(outer * k / 32));
        for (int i = 0; i < outer * k / 32; ++i) {
            const int exponent = (i * 7 + static_cast<int>(seed)) % 9 - 4;
            block_scale[static_cast<std::size_t>(i)] = std::ldexp(1.0, exponent);
            // gfx950: lane l has the scale of row l % outer and block l / outer of 32 k in byte Part; gfx1250: a row's lane
            // has those of all blocks.
            const bool along_k = Atom::wave_size == 32;
            const int lane = along_k ? Part * outer + i % outer : i, byte = along_k ? i / outer : Part;
            scales[lane] &= ~(0xffu << 8 * byte);
            scales[lane] |= static_cast<std::uint32_t>(exponent + 127) << 8 * byte;
        }
        for (int lane = 0; lane < Atom::wave_size; ++lane)
            for (int slot = 0; slot < layout.slots; ++slot) {
                const int at = layout.element(lane, slot);
                const int i = Which == operand::a ? at / k : at % outer;
                const int depth = Which == operand::a ? at % k : at / outer;
                auto pattern = static_cast<std::uint32_t>(random[static_cast<std::size_t>(at)]);
                while (!std::isfinite(static_cast<float>(T::from_bits(pattern))))
                    --pattern;
                for (int b = 0; b < bits; ++b)
                    registers[static_cast<std::size_t>(lane)][static_cast<std::size_t>((slot * bits + b) / 8)] |=
                        static_cast<std::uint8_t>((pattern >> b & 1u) << (slot * bits + b) % 8);
                value[static_cast<std::size_t>(i * k + depth)] =
                    static_cast<double>(static_cast<float>(T::from_bits(pattern))) *
                    block_scale[static_cast<std::size_t>(depth / 32 * outer + i)];
            }
    }
    template <int Words>
    array<std::uint32_t, Words> words(int lane) const
    {
        array<std::uint32_t, Words> result;
        std::memcpy(&result, registers[static_cast<std::size_t>(lane)].data(), sizeof(result));
        return result;
    }
};

template <class Target, class A, class B, int M, int PartA, int PartB>
void check_pair()
{
    using atom = scaled_mma_atom<Target, A, B, M>;
    constexpr int m = atom::m, n = atom::n;
    static constexpr chip_info chip = Target::chip();
    INFO(chip.name << " " << name_of(atom::row::value.variant) << " " << M << ", parts " << PartA << ", " << PartB);
    const scaled_input<atom, A, operand::a, PartA> a(1);
    const scaled_input<atom, B, operand::b, PartB> b(2);
    std::vector<float> c(m * n);
    const operand_layout result = make_operand_layout(atom::row::value, operand::c);
    emulator::run_config config;
    config.chip = &chip;
    config.block_threads = atom::wave_size;
    config.cpu_threads = 1;
    const emulator::launch_result launched = emulator::launch(config, [&] {
        const int lane = emulator::lane_id();
        array<float, atom::c_count> sum{};
        for (int i = 0; i < atom::c_count; ++i)
            sum[i] = 1;
        atom::template multiply<PartA, PartB>(sum, a.template words<atom::a_count / 4>(lane),
                                              b.template words<atom::b_count / 4>(lane), a.scales[lane],
                                              b.scales[lane]);
        for (int i = 0; i < atom::c_count; ++i)
            c[static_cast<std::size_t>(result.element(lane, i))] = sum[i];
    });
    INFO(launched.report);
    REQUIRE(launched.status.ok());
    int wrong = 0;
    for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double sum = 0;
            for (int k = 0; k < atom::k; ++k)
                sum += a.value[static_cast<std::size_t>(i * atom::k + k)] *
                       b.value[static_cast<std::size_t>(j * atom::k + k)];
            wrong += c[static_cast<std::size_t>(i * n + j)] != static_cast<float>(1 + sum);
        }
    CHECK(wrong == 0);
}

template <class Target, class A, int Part>
void check_row_of_pairs()
{
    constexpr int other = Target::wave_size == 32 ? 1 - Part : (Part + 1) % 4;
    check_pair<Target, A, float8_e4m3, 16, Part, other>();
    check_pair<Target, A, float8_e5m2, 16, Part, other>();
    check_pair<Target, A, float6_e2m3, 16, Part, other>();
    check_pair<Target, A, float6_e3m2, 16, Part, other>();
    check_pair<Target, A, float4_e2m1, 16, Part, other>();
}

} // namespace

TEST_CASE("gfx950: every pair of scaled formats multiplies as defined", "[mma][mx]")
{
    using target = arch::gfx950;
    check_row_of_pairs<target, float8_e4m3, 0>();
    check_row_of_pairs<target, float8_e5m2, 1>();
    check_row_of_pairs<target, float6_e2m3, 2>();
    check_row_of_pairs<target, float6_e3m2, 3>();
    check_row_of_pairs<target, float4_e2m1, 0>();
    check_pair<target, float8_e4m3, float4_e2m1, 32, 1, 2>();
    check_pair<target, float4_e2m1, float6_e3m2, 32, 2, 3>();
}

TEST_CASE("gfx1250: scaled formats, each in each operand, multiply as defined", "[mma][mx]")
{
    using target = arch::gfx1250;
    check_row_of_pairs<target, float8_e4m3, 1>();
    check_pair<target, float8_e5m2, float4_e2m1, 16, 0, 1>();
    check_pair<target, float6_e2m3, float8_e5m2, 16, 1, 1>();
    check_pair<target, float6_e3m2, float6_e3m2, 16, 0, 0>();
    check_pair<target, float4_e2m1, float6_e2m3, 16, 0, 1>();
    check_pair<target, float4_e2m1, float4_e2m1, 32, 0, 1>();
}

} // namespace tegula::test
