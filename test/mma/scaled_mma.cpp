// Products with a scale for each 32 of k against the definition, in doubles: every pair of formats, each byte of the
// scales.

#include "test/catch.hpp"

#include <tegula/arch/target.hpp>
#include <tegula/emulator/launch.hpp>
#include <tegula/host/random.hpp>
#include <tegula/mma/scaled_atom.hpp>

#include <cmath>
#include <vector>

namespace tegula::test {

namespace {

/// One operand of a wave: random patterns and scales by the element's place, and the registers that hold them by the
/// golden layouts of the table.
template <class Row, class T, operand Which>
struct scaled_input
{
    static constexpr int outer = Row::value.m, k = Row::value.k, bits = T::format::width;
    std::vector<double> value = std::vector<double>(outer * k);
    std::vector<std::vector<std::uint8_t>> registers = std::vector<std::vector<std::uint8_t>>(64);
    std::uint32_t scales[64];

    scaled_input(std::uint64_t seed, int byte)
    {
        const operand_layout layout = make_operand_layout(Row::value, Which);
        std::vector<float> random(static_cast<std::size_t>(outer * k));
        fill_integers<float>(random, seed, 0, (1 << bits) - 1);
        std::vector<double> block_scale(static_cast<std::size_t>(outer * k / 32));
        for (int lane = 0; lane < 64; ++lane) {
            // Lane l has the scale of row l % outer and block l / outer of 32 k.
            const int exponent = (lane * 7 + static_cast<int>(seed)) % 9 - 4;
            block_scale[static_cast<std::size_t>(lane)] = std::ldexp(1.0, exponent);
            scales[lane] = 0x7b3f9901u;
            scales[lane] &= ~(0xffu << 8 * byte);
            scales[lane] |= static_cast<std::uint32_t>(exponent + 127) << 8 * byte;
            registers[static_cast<std::size_t>(lane)].resize(static_cast<std::size_t>(4 * layout.registers));
        }
        for (int lane = 0; lane < 64; ++lane)
            for (int slot = 0; slot < layout.slots; ++slot) {
                const int at = layout.element(lane, slot);
                const int row = Which == operand::a ? at / k : at % outer;
                const int depth = Which == operand::a ? at % k : at / outer;
                auto pattern = static_cast<std::uint32_t>(random[static_cast<std::size_t>(at)]);
                while (!std::isfinite(static_cast<float>(T::from_bits(pattern))))
                    --pattern;
                for (int b = 0; b < bits; ++b)
                    registers[static_cast<std::size_t>(lane)][static_cast<std::size_t>((slot * bits + b) / 8)] |=
                        static_cast<std::uint8_t>((pattern >> b & 1u) << (slot * bits + b) % 8);
                value[static_cast<std::size_t>(row * k + depth)] =
                    static_cast<double>(static_cast<float>(T::from_bits(pattern))) *
                    block_scale[static_cast<std::size_t>(depth / 32 * outer + row)];
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

template <class A, class B, int M, int Byte>
void check_pair()
{
    using atom = scaled_mma_atom<arch::gfx950, A, B, M>;
    INFO(name_of(atom::row::value.variant) << " " << M << " byte " << Byte);
    constexpr int other = (Byte + 1) % 4;
    const scaled_input<typename atom::row, A, operand::a> a(1, Byte);
    const scaled_input<typename atom::row, B, operand::b> b(2, other);
    std::vector<float> c(M * M);
    const operand_layout result = make_operand_layout(atom::row::value, operand::c);
    emulator::launch_config config;
    config.chip = &chip::gfx950;
    config.block_threads = 64;
    config.cpu_threads = 1;
    const emulator::launch_result launched = emulator::launch(config, [&] {
        const int lane = emulator::lane_id();
        array<float, atom::c_count> sum{};
        for (int i = 0; i < atom::c_count; ++i)
            sum[i] = 1;
        atom::template multiply<Byte, other>(sum, a.template words<atom::a_count / 4>(lane),
                                             b.template words<atom::b_count / 4>(lane), a.scales[lane], b.scales[lane]);
        for (int i = 0; i < atom::c_count; ++i)
            c[static_cast<std::size_t>(result.element(lane, i))] = sum[i];
    });
    INFO(launched.report);
    REQUIRE(launched.status.ok());
    int wrong = 0;
    for (int i = 0; i < M; ++i)
        for (int j = 0; j < M; ++j) {
            double sum = 0;
            for (int k = 0; k < atom::k; ++k)
                sum += a.value[static_cast<std::size_t>(i * atom::k + k)] *
                       b.value[static_cast<std::size_t>(j * atom::k + k)];
            wrong += c[static_cast<std::size_t>(i * M + j)] != static_cast<float>(1 + sum);
        }
    CHECK(wrong == 0);
}

template <class A, int Byte>
void check_row_of_pairs()
{
    check_pair<A, float8_e4m3, 16, Byte>();
    check_pair<A, float8_e5m2, 16, Byte>();
    check_pair<A, float6_e2m3, 16, Byte>();
    check_pair<A, float6_e3m2, 16, Byte>();
    check_pair<A, float4_e2m1, 16, Byte>();
}

} // namespace

TEST_CASE("every pair of scaled formats multiplies as defined", "[mma][mx]")
{
    check_row_of_pairs<float8_e4m3, 0>();
    check_row_of_pairs<float8_e5m2, 1>();
    check_row_of_pairs<float6_e2m3, 2>();
    check_row_of_pairs<float6_e3m2, 3>();
    check_row_of_pairs<float4_e2m1, 0>();
    check_pair<float8_e4m3, float4_e2m1, 32, 1>();
    check_pair<float4_e2m1, float6_e3m2, 32, 2>();
}

} // namespace tegula::test
