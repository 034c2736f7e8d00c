// Cases of a single 1, and the launches that run them: compiled once for all tests that use them.

#include "test/mma/emulation/one_hot.hpp"

#include <tegula/emulator/launch.hpp>

#include <algorithm>
#include <cstring>

namespace tegula::test {

std::vector<one_hot> all_indices(const one_hot_shape& s)
{
    std::vector<one_hot> cases;
    for (int block = 0; block < s.blocks(); ++block)
        for (int i = 0; i < std::max({s.m, s.n, s.k}); ++i)
            for (int k : {i, i + s.k / 2})
                cases.push_back({block, i % s.m, i % s.n, k % s.k});
    return cases;
}

std::vector<one_hot> all_pairs(const one_hot_shape& s)
{
    std::vector<one_hot> cases;
    const int shortest = std::min({s.m, s.n, s.k});
    for (int block = 0; block < s.blocks(); ++block) {
        if (s.k == shortest)
            for (int m = 0; m < s.m; ++m)
                for (int n = 0; n < s.n; ++n)
                    cases.push_back({block, m, n, (m + n) % s.k});
        else if (s.n == shortest)
            for (int m = 0; m < s.m; ++m)
                for (int k = 0; k < s.k; ++k)
                    cases.push_back({block, m, (m + k) % s.n, k});
        else
            for (int n = 0; n < s.n; ++n)
                for (int k = 0; k < s.k; ++k)
                    cases.push_back({block, (n + k) % s.m, n, k});
    }
    return cases;
}

std::vector<one_hot> all_triples(const one_hot_shape& s)
{
    std::vector<one_hot> cases;
    for (int block = 0; block < s.blocks(); ++block)
        for (int m = 0; m < s.m; ++m)
            for (int n = 0; n < s.n; ++n)
                for (int k = 0; k < s.k; ++k)
                    cases.push_back({block, m, n, k});
    return cases;
}

namespace {

/// Sets element number `element` of a zeroed packed matrix to 1.
void put_one(std::uint8_t* matrix, const instruction& row, operand which, int element)
{
    const element_kind kind = which == operand::a ? row.a : which == operand::b ? row.b : row.c;
    const int bits = slot_bits(row, which);
    std::uint64_t value = emulation::encode_slot(kind, bits, 1) << element * bits % 8;
    for (std::uint8_t* at = matrix + element * bits / 8; value != 0; ++at, value >>= 8)
        *at |= static_cast<std::uint8_t>(value & 255);
}

/// The result of a case. Where unequal bits are counted, the 1s cancel at (m, n) and stand in the rest of row m and
/// column n.
void put_result(std::uint8_t* c, const one_hot_shape& s, const one_hot& at)
{
    const bool counts_unequal = std::strstr(s.row.name, ".xor.popc") != nullptr;
    for (int m = 0; m < s.m; ++m)
        for (int n = 0; n < s.n; ++n)
            if (counts_unequal ? (m == at.m) != (n == at.n) : m == at.m && n == at.n)
                put_one(c, s.row, operand::c, (at.block * s.m + m) * s.n + n);
}

} // namespace

std::size_t count_wrong(const one_hot_shape& s, const chip_info& chip, product_of_block product,
                        const std::vector<one_hot>& cases, const one_hot_block& block)
{
    constexpr std::size_t per_launch = 1024;
    const std::size_t na = s.a_bytes(), nb = s.b_bytes(), nc = s.c_bytes();
    std::size_t wrong = 0;
    for (std::size_t first = 0; first < cases.size(); first += per_launch) {
        const std::size_t count = std::min(per_launch, cases.size() - first);
        std::vector<std::uint8_t> a(count * na), b(count * nb), c(count * nc, 0xff), expected(count * nc);
        for (std::size_t i = 0; i < count; ++i) {
            const one_hot& at = cases[first + i];
            put_one(&a[i * na], s.row, operand::a, (at.block * s.m + at.m) * s.k + at.k);
            put_one(&b[i * nb], s.row, operand::b, (at.block * s.n + at.n) * s.k + at.k);
            put_result(&expected[i * nc], s, at);
        }
        emulator::run_config config;
        config.chip = &chip;
        config.kernel_name = s.row.name;
        config.grid = {static_cast<int>(count), 1, 1};
        config.block_threads = block.waves * chip.wave_size;
        config.shared_bytes = block.shared_bytes;
        config.checks = block.checks;
        config.memory.read(a.data(), a.size(), "A").read(b.data(), b.size(), "B").write(c.data(), c.size(), "C");
        const emulator::launch_result result = emulator::launch(config, [&] {
            const auto i = static_cast<std::size_t>(emulator::block_id().x);
            product(&a[i * na], &b[i * nb], &c[i * nc]);
        });
        INFO(result.report);
        CHECK(result.status.ok());
        for (std::size_t i = 0; i < count; ++i)
            wrong += !result.status.ok() || std::memcmp(&c[i * nc], &expected[i * nc], nc) != 0;
    }
    return wrong;
}

} // namespace tegula::test
