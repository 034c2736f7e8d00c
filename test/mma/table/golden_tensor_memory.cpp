// Where things lie in tensor memory, against the golden layouts: accumulators, loads, copies, scales; and the bits of
// instruction descriptors.

#include "test/mma/table/golden.hpp"

#include <tegula/arch/target.hpp>
#include <tegula/chip/tensor_memory.hpp>
#include <tegula/core/block_scale.hpp>
#include <tegula/mma/tcgen05_scaled.hpp>

#include "test/catch.hpp"

#include <map>

namespace tegula::test {
namespace {

std::vector<json> records_of(const std::string& kind)
{
    static const json file = json::parse(std::ifstream(TEGULA_SOURCE_DIR "/test/golden/tensor_memory.json"));
    std::vector<json> found;
    for (const json& record : file["records"])
        if (record["kind"] == kind)
            found.push_back(record);
    return found;
}

TEST_CASE("accumulators lie in tensor memory as the golden records say", "[mma][golden]")
{
    const std::vector<json> records = records_of("tmem_d");
    CHECK(records.size() >= 11);
    for (const json& record : records) {
        INFO(record["id"].get<std::string>());
        const bool ws = record["instruction"].get<std::string>().find(".ws") != std::string::npos;
        const tensor_product_shape shape = {record["cta_group"], record["m"], record["n"], ws};
        const int columns = record["tmem_cols"];
        CHECK(shape.columns() == columns);
        for (int block = 0; block < shape.blocks; ++block) {
            std::vector<int> mine(static_cast<std::size_t>(tensor_memory_lanes * columns), -1);
            for (int row = block * shape.rows(); row < (block + 1) * shape.rows(); ++row)
                for (int column = 0; column < shape.n; ++column) {
                    const tensor_memory_place at = shape.place(row, column);
                    mine[static_cast<std::size_t>(at.lane * columns + at.column)] = row * shape.n + column;
                }
            CHECK(mine == expand(record[block == 0 ? "D0" : "D1"]));
        }
    }
}

TEST_CASE("loads and copies move the words that the golden records say", "[mma][golden]")
{
    using enum tensor_access;
    const std::map<std::string, tensor_access> shapes = {{"32x32b", lanes_32x32b},
                                                         {"16x64b", lanes_16x64b},
                                                         {"16x128b", lanes_16x128b},
                                                         {"16x256b", lanes_16x256b},
                                                         {"16x32bx2", lanes_16x32bx2}};
    int checked = 0;
    for (const json& record : records_of("tmem_ld")) {
        const std::string name = record["instruction"];
        if (record["elem_bits"] != 32)
            continue; // .pack::16b, which is not made
        INFO(name);
        const std::size_t begin = std::string("tcgen05.ld.sync.aligned.").size();
        const tensor_access shape = shapes.at(name.substr(begin, name.find('.', begin) - begin));
        const int columns = record["tmem_cols"];
        std::vector<int> mine;
        for (int t = 0; t < 32; ++t)
            for (int i = 0; i < record["regs"].get<int>(); ++i) {
                const tensor_memory_place at = accessed_place(shape, t, i, columns / 2);
                mine.push_back(at.lane * columns + at.column);
            }
        CHECK(mine == expand(record["R"]));
        ++checked;
    }
    CHECK(checked >= 12);
    const std::map<std::string, tensor_copy> copies = {{"128x256b", tensor_copy::rows_128x256b},
                                                       {"128x128b", tensor_copy::rows_128x128b},
                                                       {"64x128b.warpx2::02_13", tensor_copy::rows_64x128b_02_13},
                                                       {"64x128b.warpx2::01_23", tensor_copy::rows_64x128b_01_23}};
    for (const json& record : records_of("tmem_cp")) {
        const std::string name = record["instruction"];
        const tensor_copy shape = copies.at(name.substr(std::string("tcgen05.cp.cta_group::1.").size()));
        CHECK(rows_of(shape) == record["rows"].get<int>());
        CHECK(columns_of(shape) == record["words"].get<int>());
        std::vector<int> mine;
        for (int lane = 0; lane < tensor_memory_lanes; ++lane)
            for (int c = 0; c < columns_of(shape); ++c)
                mine.push_back(copied_row(shape, lane) * columns_of(shape) + c);
        CHECK(mine == expand(record["T"]));
    }
}

TEST_CASE("scales lie in their atom, and the atom in tensor memory, as the golden records say", "[mma][golden]")
{
    for (const json& record : records_of("sf_atom")) {
        std::vector<int> mine(512);
        for (int row = 0; row < 128; ++row)
            for (int s = 0; s < 4; ++s)
                mine[static_cast<std::size_t>(scale_atom_offset(row, s, 4))] = 4 * row + s;
        CHECK(mine == expand(record["S"]));
    }
    for (const json& record : records_of("tmem_sf")) {
        INFO(record["id"].get<std::string>());
        const int lanes = record["tmem_lanes"], slots = record["slots"], mn = record["mn"];
        const int scales = record["scales_per_row"];
        if (slots != mn / 8)
            continue; // the form of a pair's 128 rows, which is not made
        // One 32x128b copy an atom: 512 bytes are 32 rows of 16, each in the same lane of every warp.
        std::vector<int> mine(static_cast<std::size_t>(lanes * slots), -1);
        for (int row = 0; row < mn; ++row)
            for (int s = 0; s < scales; ++s)
                for (int lane = 0; lane < lanes; ++lane) {
                    const auto offset = static_cast<int>(scale_atom_offset(row % 128, s, 4));
                    if (copied_row(tensor_copy::rows_32x128b_x4, lane) == offset / 16)
                        mine[static_cast<std::size_t>(lane * slots + row / 128 * 16 + offset % 16)] = row * scales + s;
                }
        CHECK(mine == expand(record["S"]));
    }
}

TEST_CASE("instruction descriptors have the golden records' bits", "[mma][golden]")
{
    constexpr operand_order k = operand_order::k_contiguous, mn = operand_order::row_contiguous;
    const std::map<std::string, tcgen05_instruction> mine = {
        {"kind::f16 bf16xbf16->f32 128x256 K/K", {1, 1, 1, k, k, 128, 256}},
        {"kind::f16 bf16xbf16->f32 256x256 K/K", {1, 1, 1, k, k, 256, 256}},
        {"kind::f16 f16xf16->f32 64x64 K/MN", {1, 0, 0, k, mn, 64, 64}},
        {"kind::tf32 128x128 K/K", {1, 2, 2, k, k, 128, 128}},
        {"kind::f8f6f4 e4m3xe5m2->f32 128x256 K/K", {1, 0, 1, k, k, 128, 256}}};
    using mxfp8 = mx_format<float8_e4m3>;
    using mxfp4 = mx_format<float4_e2m1>;
    using target = arch::sm_100a;
    const std::map<std::string, std::uint32_t> block_scaled = {
        {"kind::mxf8f6f4 e4m3xe4m3 ue8m0 128x128 K/K",
         tcgen05_scaled_atom<target, mxfp8, mxfp8, 128, 128>::descriptor(0)},
        {"kind::mxf8f6f4 e4m3xe4m3 ue8m0 256x256 K/K",
         tcgen05_scaled_atom<target, mxfp8, mxfp8, 256, 256, 2>::descriptor(0)},
        {"kind::mxf4 e2m1 ue8m0 128x128", tcgen05_scaled_atom<target, mxfp4, mxfp4, 128, 128>::descriptor(0)}};
    std::size_t checked = 0;
    for (const json& record : records_of("idesc")) {
        const std::string id = record["id"];
        const auto found = mine.find(id.substr(std::string("sm_100a/idesc ").size()));
        const auto found_scaled = block_scaled.find(id.substr(std::string("sm_100a/idesc ").size()));
        INFO(id);
        REQUIRE((found != mine.end() || found_scaled != block_scaled.end()));
        CHECK((found != mine.end() ? found->second.pack() : found_scaled->second) ==
              std::stoul(record["value"].get<std::string>(), nullptr, 16));
        ++checked;
    }
    CHECK(checked == mine.size() + block_scaled.size());
    // NVFP4 as CuTe has it, and where the ids of scales are (PTX ISA 9.0, table 44).
    using nvfp4 = tcgen05_scaled_atom<target, nvfp4_format, nvfp4_format, 256, 256, 2>;
    CHECK(nvfp4::descriptor(0) == 0x10400480);
    CHECK(tcgen05_scaled_atom<target, mxfp8, mxfp8, 128, 128>::descriptor(3) == (0x08a00000u | 3u << 29 | 3u << 4));
    // Two more that CuTe's make_instr_desc gives: f16 results with A transposed, and integers.
    CHECK(tcgen05_instruction{0, 0, 0, mn, k, 128, 128}.pack() == 0x08208000);
    CHECK(tcgen05_instruction{2, 1, 0, k, k, 128, 128}.pack() == 0x082000a0);
}

} // namespace
} // namespace tegula::test
