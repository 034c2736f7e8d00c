// The instruction table against the golden layouts: every record equals the encoding derived from its row, and every
// row has the witness that it names.

#include "test/mma/table/golden.hpp"
#include "test/catch.hpp"

#include <tegula/mma/table/instruction_table.hpp>
#include <tegula/mma/table/operand_layout.hpp>
#include <tegula/mma/table/provenance.hpp>

#include <map>
#include <set>

namespace tegula::test {
namespace {

std::string text_or(const json& value, const char* otherwise) { return value.is_null() ? otherwise : value; }

const instruction* find_row(const json& record)
{
    gpu_arch arch{};
    if (!find_arch(record["arch"].get<std::string>().c_str(), arch))
        return nullptr;
    auto variant = instruction_variant::none;
    find_variant(text_or(record["variant"], "").c_str(), variant);
    return find_instruction(arch, record["instruction"].get<std::string>().c_str(), record["wave"], variant);
}

/// Every integer of a row but those of the operands.
void check_scalars(const instruction& i, const json& record)
{
    CHECK(name_of(kind_of(i)) == record["kind"].get<std::string>());
    CHECK(i.wave == record["wave"].get<int>());
    if (kind_of(i) == instruction_kind::copy) {
        CHECK(i.m == 8 * record["matrices"].get<int>());
        CHECK(i.transposes == record["trans"].get<bool>());
        return;
    }
    CHECK(i.m == record["m"].get<int>());
    CHECK(i.n == record["n"].get<int>());
    CHECK(i.k == record["k"].get<int>());
    CHECK(i.blocks == record["blocks"].get<int>());
    CHECK(info(i.a).name == record["a_type"].get<std::string>());
    CHECK(info(i.b).name == record["b_type"].get<std::string>());
    CHECK(info(i.c).name == record["c_type"].get<std::string>());
}

void check_elements(const operand_layout& layout, const std::vector<int>& golden)
{
    REQUIRE(golden.size() == static_cast<std::size_t>(layout.lanes * layout.slots));
    int wrong = 0;
    for (int lane = 0; lane < layout.lanes; ++lane)
        for (int slot = 0; slot < layout.slots; ++slot)
            wrong += layout.element(lane, slot) != golden[lane * layout.slots + slot];
    CHECK(wrong == 0);
}

void check_operand(const instruction& i, operand which, const json& record)
{
    const std::string prefix(1, "abc"[static_cast<int>(which)]);
    const json& key = record[std::string(1, "ABC"[static_cast<int>(which)])];
    REQUIRE(in_registers(i, which) == !key.is_null());
    if (key.is_null())
        return;
    REQUIRE(validate(operand_encoding(i, which)).empty());
    const operand_layout layout = make_operand_layout(i, which);
    CHECK(layout.slot_bits == record[prefix + "_bits"].get<int>());
    CHECK(layout.slots == record[prefix + "_elems_per_lane"].get<int>());
    CHECK(layout.registers == record[prefix + "_regs"].get<int>());
    CHECK(layout.copies == record[prefix + "_copies"].get<int>());
    const json unused = record.value(prefix + "_unused_slots", json());
    CHECK(layout.unused_slots == (unused.is_null() ? 0 : unused.get<int>()));
    check_elements(layout, expand(golden_file()["layouts"][key.get<std::string>()]));
}

void check_copy(const instruction& i, const json& record)
{
    const operand_layout layout = make_copy_layout(i);
    CHECK(layout.slot_bits == record["elem_bits"].get<int>());
    CHECK(layout.slots == record["elems_per_lane"].get<int>());
    CHECK(layout.registers == record["regs"].get<int>());
    check_elements(layout, expand(golden_file()["layouts"][record["R"].get<std::string>()]));
}

std::string identity(const std::string& arch, const std::string& name, int wave, const std::string& variant)
{
    return arch + "/" + name + "/w" + std::to_string(wave) + (variant.empty() ? "" : "/" + variant);
}

std::string identity(const json& record)
{
    return identity(record["arch"], record["instruction"], record["wave"], text_or(record["variant"], ""));
}

std::string identity(const instruction& i, gpu_arch arch)
{
    const char* variant = name_of(i.variant);
    return identity(name_of(arch), name_of(i).c_str(), i.wave, variant ? variant : "");
}

/// The properties that determine a row's layouts: two rows with the same key have the same layouts. A wgmma's width
/// only says how often a group of 8 columns is repeated.
std::string layout_key(const instruction& i)
{
    std::string key;
    const int n = kind_of(i) == instruction_kind::wgmma ? 0 : i.n;
    // The variant of MFMA and of gfx1250's WMMA says types, whose bits are below.
    const bool says_types = i.family == instruction_family::mfma || i.family == instruction_family::wmma_gfx1250;
    const int variant = says_types ? 0 : static_cast<int>(i.variant);
    for (int value : {static_cast<int>(i.family), i.m, n, i.k, i.blocks, i.wave, variant,
                      static_cast<int>(i.transposes), info(i.c).bits})
        key += std::to_string(value) + " ";
    if (kind_of(i) != instruction_kind::copy)
        key += std::to_string(slot_bits(i, operand::a)) + " " + std::to_string(slot_bits(i, operand::b));
    return key;
}

TEST_CASE("every golden record equals the encodings of its row", "[mma][golden]")
{
    int seen = 0;
    for (const json& record : read_records(golden_file()["records"])) {
        INFO(identity(record));
        const instruction* row = find_row(record);
        REQUIRE(row != nullptr);
        check_scalars(*row, record);
        if (kind_of(*row) == instruction_kind::copy) {
            check_copy(*row, record);
        } else {
            CHECK(info(row->a).family == text_or(record["family"], info(row->a).family));
            for (operand which : {operand::a, operand::b, operand::c})
                check_operand(*row, which, record);
        }
        ++seen;
    }
    CHECK(seen == 521);
}

/// The properties that determine the layout of A or B of an f8f6f4 instruction. The other operand does not matter.
std::string input_key(const instruction& i, operand which)
{
    return std::to_string(static_cast<int>(i.family)) + " " + std::to_string(static_cast<int>(which)) + " " +
           std::to_string(i.m) + " " + std::to_string(slot_bits(i, which));
}

/// The source of a record's layouts, as layout_witness() names it.
std::string witness_of(const json& record)
{
    const std::string source = record["source"];
    return source == "amd" || source == "calculator" ? "AMD calculator" : source == "amd_new" ? "rocjitsu" : "CuTe";
}

TEST_CASE("the table has every listed instruction, and each row the witness that it names", "[mma][golden]")
{
    std::set<std::string> listed;
    for (const json& record : read_records(golden_file()["instructions"])) {
        INFO(identity(record));
        listed.insert(identity(record));
        const instruction* row = find_row(record);
        REQUIRE(row != nullptr);
        check_scalars(*row, record);
    }
    CHECK(listed.size() == 642);

    std::map<std::string, std::set<std::string>> witnesses, input_witnesses;
    for (const json& record : read_records(golden_file()["records"])) {
        const instruction& row = *find_row(record);
        witnesses[layout_key(row)].insert(witness_of(record));
        if (is_f8f6f4(row))
            for (operand which : {operand::a, operand::b})
                input_witnesses[input_key(row, which)].insert(witness_of(record));
    }

    for (const instruction& i : instruction_table())
        for (int a = 0; a < num_gpu_archs; ++a) {
            const auto arch = static_cast<gpu_arch>(a);
            if (!i.archs.contains(arch))
                continue;
            INFO(identity(i, arch));
            if (is_x86(arch))
                continue; // their witness is the machine: x86.cpp
            // gfx1201 has what gfx1200 has; no list of gfx950 or gfx1250 is golden, and of sm_120a's scaled forms one.
            const bool is_listed = arch != gpu_arch::gfx1201 && arch != gpu_arch::gfx950 && arch != gpu_arch::gfx1250;
            if (is_listed && !(arch == gpu_arch::sm_120a && i.block_scaled))
                CHECK(listed.count(identity(i, arch)) == 1);
            if (is_f8f6f4(i))
                for (operand which : {operand::a, operand::b})
                    CHECK(input_witnesses[input_key(i, which)].count(layout_witness(i)) == 1);
            else
                CHECK(witnesses[layout_key(i)].count(layout_witness(i)) == 1);
        }
}

TEST_CASE("gfx1201 has the instructions of gfx1200, and NVIDIA's stay in later architectures", "[mma]")
{
    for (const instruction& i : instruction_table()) {
        CHECK(available_on(i, gpu_arch::gfx1201) == available_on(i, gpu_arch::gfx1200));
        if (i.family == instruction_family::mma_sync && i.archs.contains(gpu_arch::sm_80))
            CHECK(available_on(i, gpu_arch::sm_90a));
        if (i.family == instruction_family::wgmma)
            CHECK_FALSE(available_on(i, gpu_arch::sm_120a));
    }
}

} // namespace
} // namespace tegula::test
