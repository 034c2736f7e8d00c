// sm_120a's mma.sync with block scales against the definition, in doubles: every pair of formats, every byte and lane that
// the selectors name. Scales lie where the golden records say.

#include "test/mma/table/golden.hpp"

#include "test/catch.hpp"

#include <tegula/arch/target.hpp>
#include <tegula/emulator/launch.hpp>
#include <tegula/mma/scaled_warp_atom.hpp>
#include <tegula/reference/random.hpp>

#include <cmath>
#include <cstring>
#include <vector>

namespace tegula::test {
namespace {

/// Which scale each byte of each lane holds under selectors of 0, -1 if none: row * S + s of A, s * 8 + column of B.
std::vector<int> golden_scales(const instruction& i, const char* operand_name)
{
    static const json file = json::parse(std::ifstream(TEGULA_SOURCE_DIR "/test/golden/tensor_memory.json"));
    for (const json& record : file["records"])
        if (record["kind"] == "mma" && record["k"] == i.k && record["sf_vec"] == scaled_block(i))
            return expand(record[operand_name]);
    FAIL("no golden record of " << i.name);
    return {};
}

/// One operand of a warp: random patterns and scales, and the registers that hold them.
struct scaled_registers
{
    std::vector<double> value; ///< [row or column][k], times its scale
    std::vector<std::uint32_t> words, scales = std::vector<std::uint32_t>(32);
    int words_of_lane;

    /// `first_lane`, `byte`: what the selectors add to the golden places.
    scaled_registers(const instruction& i, operand which, int first_lane, int byte, std::uint64_t seed)
    {
        const bool is_a = which == operand::a;
        const int outer = is_a ? i.m : i.n, per_row = i.k / scaled_block(i);
        const operand_layout layout = make_operand_layout(i, which);
        const element_kind kind = is_a ? i.a : i.b;
        words_of_lane = layout.registers;
        words.resize(static_cast<std::size_t>(32 * words_of_lane));
        value.resize(static_cast<std::size_t>(outer * i.k));

        std::vector<float> random(static_cast<std::size_t>(outer * per_row + 32));
        fill_integers<float>(random, seed, 0, 255);
        const bool powers = scaled_block(i) == 32;
        const auto scale_bits = [&](int row, int s) {
            const auto r = static_cast<std::uint32_t>(random[static_cast<std::size_t>(row * per_row + s)]);
            return powers ? 123 + r % 9 : r % 0x7f;
        };
        for (int lane = 0; lane < 32; ++lane)
            scales[static_cast<std::size_t>(lane)] =
                0x01010101u * static_cast<std::uint32_t>(random[static_cast<std::size_t>(outer * per_row + lane)]);
        const std::vector<int> places = golden_scales(i, is_a ? "SFA" : "SFB");
        for (int lane = 0; lane < 32; ++lane)
            for (int slot = 0; slot < per_row; ++slot)
                if (const int at = places[static_cast<std::size_t>(lane * per_row + slot)]; at >= 0) {
                    std::uint32_t& word = scales[static_cast<std::size_t>(lane + first_lane)];
                    const std::uint32_t bits =
                        is_a ? scale_bits(at / per_row, at % per_row) : scale_bits(at % 8, at / 8);
                    word = (word & ~(0xffu << 8 * (byte + slot))) | bits << 8 * (byte + slot);
                }
        std::vector<float> patterns(static_cast<std::size_t>(outer * i.k));
        fill_integers<float>(patterns, seed + 1, 0, 255);
        for (int lane = 0; lane < 32; ++lane)
            for (int slot = 0; slot < layout.slots; ++slot) {
                const int at = layout.element(lane, slot);
                const int row = is_a ? at / i.k : at % i.n, depth = is_a ? at % i.k : at / i.n;
                auto pattern = static_cast<std::uint32_t>(patterns[static_cast<std::size_t>(at)]) >>
                               (8 - info(kind).bits) << (kind == element_kind::f4e2m1 && layout.slot_bits == 8 ? 2 : 0);
                while (!std::isfinite(emulation::decode_slot(kind, layout.slot_bits, pattern)))
                    --pattern;
                const int bit = slot * layout.slot_bits;
                words[static_cast<std::size_t>(lane * words_of_lane + bit / 32)] |= pattern << bit % 32;
                const std::uint32_t s = scale_bits(row, depth / scaled_block(i));
                value[static_cast<std::size_t>(row * i.k + depth)] =
                    emulation::decode_slot(kind, layout.slot_bits, pattern) *
                    static_cast<double>(powers ? static_cast<float>(float8_e8m0::from_bits(s))
                                               : static_cast<float>(float8_ue4m3::from_bits(s)));
            }
    }
    template <int Words>
    array<std::uint32_t, Words> of(int lane) const
    {
        array<std::uint32_t, Words> result;
        std::memcpy(&result, words.data() + lane * Words, sizeof(result));
        return result;
    }
};

template <class FormatA, class FormatB, int Byte, int AThread, int BThread>
void check_pair()
{
    using atom = scaled_warp_atom<arch::sm_120a, FormatA, FormatB>;
    const instruction& row = atom::row::value;
    INFO(row.name << " byte " << Byte << ", lanes " << AThread << ", " << BThread);
    const scaled_registers a(row, operand::a, 2 * AThread, Byte, 1), b(row, operand::b, BThread, Byte, 3);
    std::vector<float> c(static_cast<std::size_t>(atom::m * atom::n));
    const operand_layout result = make_operand_layout(row, operand::c);
    emulator::run_config config;
    config.chip = &chip::sm_120a;
    config.block_threads = 32;
    config.cpu_threads = 1;
    const emulator::launch_result launched = emulator::launch(config, [&] {
        const int lane = emulator::lane_id();
        array<float, atom::c_count> sum{1, 1, 1, 1};
        atom::template multiply<Byte, AThread, BThread>(
            sum, a.of<atom::a_count / 4>(lane), b.of<atom::b_count / 4>(lane), a.scales[static_cast<std::size_t>(lane)],
            b.scales[static_cast<std::size_t>(lane)]);
        for (int i = 0; i < atom::c_count; ++i)
            c[static_cast<std::size_t>(result.element(lane, i))] = sum[i];
    });
    INFO(launched.report);
    REQUIRE(launched.status.ok());
    int wrong = 0;
    for (int i = 0; i < atom::m; ++i)
        for (int j = 0; j < atom::n; ++j) {
            double sum = 0;
            for (int k = 0; k < atom::k; ++k)
                sum += a.value[static_cast<std::size_t>(i * atom::k + k)] *
                       b.value[static_cast<std::size_t>(j * atom::k + k)];
            wrong += c[static_cast<std::size_t>(i * atom::n + j)] != static_cast<float>(1 + sum);
        }
    CHECK(wrong == 0);
}

template <class T>
using mx = mx_format<T>;

static_assert(has_scaled_warp_atom<arch::sm_120a, mx<float8_e4m3>, mx<float4_e2m1>>);
static_assert(!has_scaled_warp_atom<arch::sm_120a, nvfp4_format, mx<float4_e2m1>>); // scales of two kinds
static_assert(!has_scaled_warp_atom<arch::sm_100a, nvfp4_format, nvfp4_format>);    // tcgen05 has it
static_assert(!has_scaled_warp_atom<arch::sm_121, nvfp4_format, nvfp4_format>);     // no "a" architecture
static_assert(!has_scaled_warp_atom<arch::gfx950, mx<float8_e4m3>, mx<float8_e4m3>>);

template <class A, int Byte, int AThread>
void check_row_of_pairs()
{
    check_pair<mx<A>, mx<float8_e4m3>, Byte, AThread, 0>();
    check_pair<mx<A>, mx<float8_e5m2>, Byte, AThread, 1>();
    check_pair<mx<A>, mx<float6_e2m3>, Byte, AThread, 2>();
    check_pair<mx<A>, mx<float6_e3m2>, Byte, AThread, 3>();
    if constexpr (!std::is_same_v<A, float4_e2m1>)
        check_pair<mx<A>, mx<float4_e2m1>, Byte, AThread, 1>();
}

} // namespace

TEST_CASE("sm_120a: every pair of scaled formats multiplies as defined", "[mma][mx]")
{
    check_row_of_pairs<float8_e4m3, 0, 0>();
    check_row_of_pairs<float8_e5m2, 1, 1>();
    check_row_of_pairs<float6_e2m3, 2, 0>();
    check_row_of_pairs<float6_e3m2, 3, 1>();
    check_row_of_pairs<float4_e2m1, 0, 1>();
    check_pair<mx<float4_e2m1>, mx<float4_e2m1>, 0, 0, 3>();
    check_pair<mx<float4_e2m1>, mx<float4_e2m1>, 2, 1, 0>();
    check_pair<nvfp4_format, nvfp4_format, 0, 0, 1>();
    check_pair<nvfp4_format, nvfp4_format, 0, 1, 2>();
}

} // namespace tegula::test
