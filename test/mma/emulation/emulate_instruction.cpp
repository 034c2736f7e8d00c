// Every row of the table that multiplies in registers, with a kernel atom or without: exact products, and what the
// accumulation types promise. one_hot_*.cpp send a single 1 through each.

#include "test/catch.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/mma/atom.hpp>
#include <tegula/mma/emulation/emulate_instruction.hpp>
#include <tegula/mma/table/instruction_table.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace tegula::test {
namespace {

using slots = std::vector<std::uint64_t>;

/// The slots of an operand, and which of them hold each element of its matrix.
struct operand_slots
{
    operand_layout layout;
    element_kind kind;
    std::vector<std::vector<int>> holders;

    operand_slots(const instruction& i, operand which)
        : layout(make_operand_layout(i, which)), kind(which == operand::a   ? i.a
                                                      : which == operand::b ? i.b
                                                                            : i.c)
    {
        const int outer = which == operand::b ? i.k : i.m;
        const int inner = which == operand::a ? i.k : i.n;
        holders.resize(static_cast<std::size_t>(i.blocks * outer * inner));
        for (int s = 0; s < count(); ++s)
            if (const int at = layout.element(s / layout.slots, s % layout.slots); at >= 0)
                holders[static_cast<std::size_t>(at)].push_back(s);
    }

    int count() const { return layout.lanes * layout.slots; }
    slots empty(std::uint64_t value = 0) const { return slots(static_cast<std::size_t>(count()), value); }

    void set(slots& all, int element, double x) const
    {
        const std::uint64_t bits = emulation::encode_slot(kind, layout.slot_bits, x);
        for (int s : holders[static_cast<std::size_t>(element)])
            all[static_cast<std::size_t>(s)] = bits;
    }
    double get(const slots& all, int element) const
    {
        const int s = holders[static_cast<std::size_t>(element)].front();
        return emulation::decode_slot(kind, layout.slot_bits, all[static_cast<std::size_t>(s)]);
    }
};

struct machine
{
    instruction_emulator emulator;
    operand_slots a, b, c;
    bool counts_unequal;

    explicit machine(const instruction& i)
        : emulator(i), a(i, operand::a), b(i, operand::b), c(i, operand::c),
          counts_unequal(std::strstr(i.name, ".xor.popc") != nullptr)
    {}
    const instruction& row() const { return emulator.row(); }
    int at_a(int block, int m, int k) const { return (block * row().m + m) * row().k + k; }
    int at_b(int block, int k, int n) const { return (block * row().k + k) * row().n + n; }
    int at_c(int block, int m, int n) const { return (block * row().m + m) * row().n + n; }
    /// The term that one pair of elements adds.
    double term(double x, double y) const { return counts_unequal ? x != y : x * y; }
};

template <class F>
void for_each_row(F&& f)
{
    for (const instruction& i : instruction_table())
        if (kind_of(i) == instruction_kind::mma) {
            INFO(name_of(i).c_str() << " wave" << i.wave << " " << (name_of(i.variant) ? name_of(i.variant) : ""));
            f(machine(i));
        }
}

/// Small integers that every type holds: 0 and 1 for bits, 0 to 3 for unsigned integers, -2 to 2 for the rest.
struct random_numbers
{
    unsigned state = 1;
    double operator()(element_kind kind)
    {
        state = state * 1664525u + 1013904223u;
        const int x = static_cast<int>(state >> 16);
        if (kind == element_kind::b1)
            return x % 2;
        return kind == element_kind::u8 || kind == element_kind::u4 ? x % 4 : x % 5 - 2;
    }
};

int count_wrong_products(const machine& w)
{
    random_numbers random;
    const instruction& i = w.row();
    slots a = w.a.empty(), b = w.b.empty(), c = w.c.empty();
    std::vector<double> x(w.a.holders.size()), y(w.b.holders.size()), z(w.c.holders.size());
    for (std::size_t e = 0; e < x.size(); ++e)
        w.a.set(a, static_cast<int>(e), x[e] = random(i.a));
    for (std::size_t e = 0; e < y.size(); ++e)
        w.b.set(b, static_cast<int>(e), y[e] = random(i.b));
    for (std::size_t e = 0; e < z.size(); ++e)
        w.c.set(c, static_cast<int>(e), z[e] = random(i.c));
    w.emulator.multiply(a.data(), b.data(), c.data());
    int wrong = 0;
    for (int block = 0; block < i.blocks; ++block)
        for (int m = 0; m < i.m; ++m)
            for (int n = 0; n < i.n; ++n) {
                const auto at = static_cast<std::size_t>(w.at_c(block, m, n));
                for (int k = 0; k < i.k; ++k)
                    z[at] += w.term(x[static_cast<std::size_t>(w.at_a(block, m, k))],
                                    y[static_cast<std::size_t>(w.at_b(block, k, n))]);
                wrong += w.c.get(c, static_cast<int>(at)) != z[at];
            }
    return wrong;
}

TEST_CASE("every row multiplies small integers exactly", "[mma]")
{
    int rows = 0;
    for_each_row([&](const machine& w) {
        CHECK(count_wrong_products(w) == 0);
        ++rows;
    });
    CHECK(rows > 150);
}

template <class T>
std::uint64_t bits_of(T x)
{
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof(x));
    return bits;
}

/// The kernel's atom and the row give the same bits for equal registers, with numbers up to `largest`.
template <class Atom>
void check_same_as_atom(double largest = 32)
{
    std::uint64_t state = 7;
    const auto random = [&] {
        state = state * 6364136223846793005u + 1442695040888963407u;
        return static_cast<double>(static_cast<std::int64_t>(state) >> 40) * 0x1p-23 * largest;
    };
    std::vector<array<typename Atom::a_type, Atom::a_count>> a(Atom::wave_size);
    std::vector<array<typename Atom::b_type, Atom::b_count>> b(Atom::wave_size);
    std::vector<array<typename Atom::c_type, Atom::c_count>> c(Atom::wave_size);
    slots sa, sb, sc;
    const int distinct = emulation::distinct_lanes<typename Atom::a_encoding>;
    const auto fill = [&](auto& registers, slots& all, int different) {
        for (int lane = 0; lane < Atom::wave_size; ++lane)
            for (auto& x : registers[static_cast<std::size_t>(lane)]) {
                using element = std::remove_reference_t<decltype(x)>;
                x = static_cast<element>(random());
                if (lane >= different)
                    x = registers[static_cast<std::size_t>(lane % different)]
                                 [static_cast<int>(&x - registers[static_cast<std::size_t>(lane)].values)];
                all.push_back(bits_of(x));
            }
    };
    fill(a, sa, distinct);
    fill(b, sb, distinct);
    fill(c, sc, Atom::wave_size);
    std::vector<emulation::arguments<Atom>> arguments;
    for (std::size_t lane = 0; lane < Atom::wave_size; ++lane)
        arguments.push_back({&c[lane], &a[lane], &b[lane]});
    std::vector<emulation::arguments<Atom>*> lanes;
    for (auto& x : arguments)
        lanes.push_back(&x);

    emulation::emulate<Atom>(lanes.data());
    emulate_instruction(Atom::row::value, sa.data(), sb.data(), sc.data(),
                        default_options(Atom::row::value, arch_of<typename Atom::target>()));
    std::size_t at = 0;
    int wrong = 0;
    for (const auto& lane : c)
        for (const auto& x : lane)
            wrong += sc[at++] != bits_of(x);
    INFO(Atom::name.c_str());
    CHECK(wrong == 0);
}

TEST_CASE("rows and atoms round alike", "[mma]")
{
    check_same_as_atom<mma_atom<arch::gfx942, half, half, float, 32, 32, 8>>();
    check_same_as_atom<mma_atom<arch::gfx942, float8_e4m3_fnuz, float8_e5m2_fnuz, float, 16, 16, 32>>();
    check_same_as_atom<mma_atom<arch::gfx942, double, double, double, 16, 16, 4>>();
    for (double largest : {32., 0x1p-12}) // many subnormals in f16
        check_same_as_atom<mma_atom<arch::gfx90a, half, half, float, 16, 16, 16>>(largest);
    for (double largest : {32., 0x1p-62, 0x1p-124}) // sums, then inputs
        check_same_as_atom<mma_atom<arch::gfx90a, bfloat16, bfloat16, float, 32, 32, 8>>(largest);
    check_same_as_atom<mma_atom<arch::gfx1100, bfloat16, bfloat16, float, 16, 16, 16>>();
    check_same_as_atom<mma_atom<arch::sm_80, tfloat32, tfloat32, float, 16, 8, 8>>();
    check_same_as_atom<mma_atom<arch::sm_80, std::int8_t, std::uint8_t, std::int32_t, 16, 8, 32>>();
}

machine machine_of(gpu_arch arch, const char* name, int wave = 0,
                   instruction_variant variant = instruction_variant::none)
{
    return machine(*find_instruction(arch, name, wave, variant));
}

/// C at (0, 0) of A with `x` in its row 0, B with `y` in its column 0, and `start`.
double first_of(const machine& w, const std::vector<double>& x, const std::vector<double>& y, double start,
                const instruction_options& options = {})
{
    slots a = w.a.empty(), b = w.b.empty(), c = w.c.empty();
    for (std::size_t k = 0; k < x.size(); ++k) {
        w.a.set(a, w.at_a(0, 0, static_cast<int>(k)), x[k]);
        w.b.set(b, w.at_b(0, static_cast<int>(k), 0), y[k]);
    }
    w.c.set(c, 0, start);
    w.emulator.multiply(a.data(), b.data(), c.data(), options);
    return w.c.get(c, 0);
}

TEST_CASE("16-bit accumulators are rounded once", "[mma]")
{
    // 2048 + (1 + 2): f16 has steps of 2 there; added one by one the 1 would be lost to even.
    for (const char* name : {"v_wmma_f16_16x16x16_f16", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"})
        CHECK(first_of(machine_of(name[0] == 'v' ? gpu_arch::gfx1201 : gpu_arch::sm_80, name), {1, 2}, {1, 1}, 2048) ==
              2052);
    CHECK(first_of(machine_of(gpu_arch::gfx1100, "v_wmma_bf16_16x16x16_bf16", 64), {1, 2}, {1, 1}, 256) == 260);
}

TEST_CASE("a 16-bit result of gfx1100 leaves the other half of its registers alone", "[mma]")
{
    for (auto variant : {instruction_variant::none, instruction_variant::opsel_hi}) {
        const machine w = machine_of(gpu_arch::gfx1100, "v_wmma_f16_16x16x16_f16", 32, variant);
        const slots zero = w.a.empty();
        slots c = w.c.empty(0x1234);
        for (int e = 0; e < 256; ++e)
            w.c.set(c, e, 3);
        const slots before = c;
        w.emulator.multiply(zero.data(), zero.data(), c.data());
        CHECK(c == before);
        CHECK(std::count(c.begin(), c.end(), 0x1234u) == 256);
    }
}

TEST_CASE("32-bit integers wrap, and iu8 and iu4 are signed as asked", "[mma]")
{
    CHECK(first_of(machine_of(gpu_arch::gfx942, "v_mfma_i32_4x4x4_16b_i8"), {127}, {127}, 0x7fffffff) ==
          0x7fffffff + 127. * 127 - 0x1p32);
    const machine w = machine_of(gpu_arch::gfx1201, "v_wmma_i32_16x16x32_iu4", 64);
    CHECK(first_of(w, {-1, -8}, {1, 1}, 0) == -9);
    CHECK(first_of(w, {-1, -8}, {1, 1}, 0, {false, true}) == 23);
    CHECK(first_of(w, {1, 1}, {-1, -8}, 0, {true, false}) == 23);
}

TEST_CASE("gfx90a flushes subnormals of 16-bit inputs and their sums", "[mma]")
{
    const instruction& i = *find_instruction(gpu_arch::gfx90a, "v_mfma_f32_16x16x16f16");
    const machine w(i);
    const instruction_options flush = default_options(i, gpu_arch::gfx90a);
    CHECK(first_of(w, {0x1p-20}, {1}, 0) == 0x1p-20);
    CHECK(first_of(w, {0x1p-20}, {1}, 0, flush) == 0);
    CHECK(first_of(w, {0x1p-14}, {1}, 0, flush) == 0x1p-14);
    CHECK(first_of(w, {0}, {0}, 0x1p-130, flush) == 0);
    // The subnormal that C starts from is gone before the sum: 2^-127 + 2^-126 would be 1.5 * 2^-126.
    const machine of_bf16 = machine_of(gpu_arch::gfx90a, "v_mfma_f32_16x16x16bf16_1k");
    CHECK(first_of(of_bf16, {0x1p-63}, {0x1p-63}, 0x1p-127,
                   default_options(of_bf16.emulator.row(), gpu_arch::gfx90a)) == 0x1p-126);
    CHECK(default_options(i, gpu_arch::gfx908).least_input == 0);
    CHECK(default_options(*find_instruction(gpu_arch::gfx90a, "v_mfma_f32_16x16x4f32"), gpu_arch::gfx90a).least_input ==
          0);
}

TEST_CASE("narrow floats are read from their formats", "[mma]")
{
    using emulation::decode_slot, emulation::encode_slot;
    using enum element_kind;
    CHECK(decode_slot(f4e2m1, 4, 0x7) == 6);
    CHECK(decode_slot(f4e2m1, 4, 0x9) == -0.5);
    CHECK(decode_slot(f4e2m1, 8, 0x7 << 2) == 6);
    CHECK(decode_slot(f6e2m3, 6, 0x1f) == 7.5);
    CHECK(decode_slot(f6e2m3, 6, 0x01) == 0.125);
    CHECK(decode_slot(f6e3m2, 6, 0x1f) == 28);
    CHECK(decode_slot(f6e3m2, 6, 0x21) == -0.0625);
    for (element_kind kind : {f4e2m1, f6e2m3, f6e3m2})
        for (std::uint64_t bits = 1; bits < 1u << (info(kind).bits - 1); ++bits) {
            CHECK(encode_slot(kind, info(kind).bits, decode_slot(kind, info(kind).bits, bits)) == bits);
            CHECK(encode_slot(kind, 8, -decode_slot(kind, info(kind).bits, bits)) ==
                  (bits | 1u << (info(kind).bits - 1)) << (kind == f4e2m1 ? 2 : 0));
        }
    CHECK(encode_slot(f4e2m1, 4, 2.5) == 4);
    CHECK(encode_slot(f4e2m1, 4, 5.) == 6);
    CHECK(encode_slot(f4e2m1, 4, 100.) == 7);
}

} // namespace
} // namespace tegula::test
