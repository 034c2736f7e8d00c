// Tile products of AMX against those that Bochs computes (test/golden/README.md): a layout that put one element elsewhere
// would change them.

#include "test/catch.hpp"

#include <tegula/mma/emulation/emulate_instruction.hpp>
#include <tegula/mma/table/instruction_table.hpp>
#include <tegula/mma/table/provenance.hpp>

#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

namespace tegula::test {
namespace {

/// The generator of README.md.
class golden_inputs
{
public:
    /// Slots of a tile: signed bytes from 0 to 127, unsigned ones to 255, and integers from -8 to 8 in bf16 and f16.
    std::vector<std::uint64_t> tile(element_kind kind)
    {
        const int bits = info(kind).bits;
        std::vector<std::uint64_t> slots(static_cast<std::size_t>(16 * 512 / bits));
        for (std::uint64_t& slot : slots) {
            const std::uint32_t x = next_byte();
            slot = kind == element_kind::u8   ? x
                   : kind == element_kind::i8 ? x >> 1
                                              : emulation::encode_slot(kind, bits, static_cast<int>(x % 17) - 8);
        }
        return slots;
    }

private:
    std::uint32_t next_byte()
    {
        state_ = state_ * 1664525u + 1013904223u;
        return state_ >> 24;
    }
    std::uint32_t state_ = 1;
};

TEST_CASE("tiles of AMX are multiplied as Bochs multiplies them", "[mma][x86][golden]")
{
    const auto file = nlohmann::json::parse(std::ifstream(TEGULA_SOURCE_DIR "/test/golden/amx.json"));
    int rows = 0;
    for (const auto& record : file["records"]) {
        const instruction* const row =
            find_instruction(gpu_arch::x86_amx, record["instruction"].get<std::string>().c_str());
        INFO(record["instruction"]);
        REQUIRE(row != nullptr);
        CHECK(std::string(layout_witness(*row)) == "Bochs");
        golden_inputs inputs;
        const auto a = inputs.tile(row->a), b = inputs.tile(row->b);
        std::vector<std::uint64_t> c(256);
        instruction_emulator(*row).multiply(a.data(), b.data(), c.data(), default_options(*row, gpu_arch::x86_amx));
        int wrong = 0;
        for (std::size_t i = 0; i < c.size(); ++i)
            wrong += emulation::decode_slot(row->c, 32, c[i]) != record["C"][i].get<double>();
        CHECK(wrong == 0);
        ++rows;
    }
    int tiles = 0;
    for (const instruction& i : instruction_table())
        tiles += i.family == instruction_family::x86_tile;
    CHECK(rows == tiles);
}

} // namespace
} // namespace tegula::test
