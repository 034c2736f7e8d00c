// The page docs/instructions.md: every instruction of the table, and the kernels that use it.

#include "commands.hpp"
#include "output.hpp"

#include <tegula/arch/amd/targets.hpp>
#include <tegula/arch/nvidia/targets.hpp>
#include <tegula/layout/text.hpp>
#include <tegula/mma/choose.hpp>
#include <tegula/mma/instruction_table.hpp>
#include <tegula/mma/provenance.hpp>
#include <tegula/mma/wgmma.hpp>

#include <vector>

namespace inspect {

namespace {

using tegula::gpu_arch;
using tegula::instruction;
using tegula::instruction_family;
using tegula::instruction_kind;

/// A GEMM of this input type takes its atom from the row of this architecture.
struct kernel_use
{
    gpu_arch arch;
    instruction row;
    const char* type;
};

template <class Target, class Type>
void add_use(std::vector<kernel_use>& uses)
{
    using atom = tegula::default_atom<Target, Type>;
    if constexpr (atom::is_matrix_instruction)
        uses.push_back({tegula::arch_of<Target>(), atom::row::value, tegula::number_traits<Type>::name()});
}

template <class Target>
void add_uses(std::vector<kernel_use>& uses)
{
    add_use<Target, tegula::half>(uses);
    add_use<Target, tegula::bfloat16>(uses);
    add_use<Target, tegula::tfloat32>(uses);
    add_use<Target, float>(uses);
    add_use<Target, double>(uses);
    add_use<Target, std::int8_t>(uses);
    add_use<Target, std::uint8_t>(uses);
    add_use<Target, tegula::float8_e4m3>(uses);
    add_use<Target, tegula::float8_e5m2>(uses);
    add_use<Target, tegula::float8_e4m3_fnuz>(uses);
    add_use<Target, tegula::float8_e5m2_fnuz>(uses);
}

/// The same of the warp-specialised GEMM; the table names an instruction of any n by its least one.
template <class Type>
void add_warpgroup_use(std::vector<kernel_use>& uses)
{
    constexpr tegula::element_kind input = tegula::kind_of_type<Type>();
    constexpr tegula::element_kind result = tegula::kind_of_type<tegula::accumulator_of<Type>>();
    constexpr int least_n = 8;
    uses.push_back({gpu_arch::sm_90a, tegula::detail::find_wgmma(gpu_arch::sm_90a, input, input, result, least_n),
                    tegula::number_traits<Type>::name()});
}

void add_warpgroup_uses(std::vector<kernel_use>& uses)
{
    add_warpgroup_use<tegula::half>(uses);
    add_warpgroup_use<tegula::bfloat16>(uses);
    add_warpgroup_use<tegula::tfloat32>(uses);
    add_warpgroup_use<std::int8_t>(uses);
    add_warpgroup_use<tegula::float8_e4m3>(uses);
    add_warpgroup_use<tegula::float8_e5m2>(uses);
}

/// The targets that kernels are built for.
std::vector<kernel_use> find_uses()
{
    std::vector<kernel_use> uses;
    add_uses<tegula::arch::gfx90a>(uses);
    add_uses<tegula::arch::gfx942>(uses);
    add_uses<tegula::arch::gfx1100>(uses);
    add_uses<tegula::arch::gfx1201>(uses);
    add_uses<tegula::arch::sm_80>(uses);
    add_uses<tegula::arch::sm_90a>(uses);
    add_warpgroup_uses(uses);
    return uses;
}

bool is_same_row(const instruction& a, const instruction& b)
{
    return a.family == b.family && a.wave == b.wave && a.variant == b.variant && a.archs.bits == b.archs.bits &&
           has_name(a, name_of(b).c_str());
}

/// "GEMM f16 on gfx90a, gfx942; i8 on ..."; empty where no kernel uses the row.
std::string uses_of(const instruction& i, const std::vector<kernel_use>& uses)
{
    std::string text;
    const char* type = nullptr;
    for (const kernel_use& use : uses) {
        if (!is_same_row(use.row, i))
            continue;
        const bool same_type = type && std::string(type) == use.type;
        text += text.empty() ? "GEMM " : same_type ? ", " : "; ";
        text += same_type ? name_of(use.arch) : std::string(use.type) + " on " + name_of(use.arch);
        type = use.type;
    }
    return text;
}

std::string archs_of(const instruction& i)
{
    std::string text;
    for (int a = 0; a < tegula::num_gpu_archs; ++a)
        if (i.archs.contains(static_cast<gpu_arch>(a)))
            text += (text.empty() ? "" : ", ") + std::string(tegula::name_of(static_cast<gpu_arch>(a)));
    const bool stays = i.family == instruction_family::mma_sync || i.family == instruction_family::matrix_copy;
    return text + (stays && !i.archs.contains(gpu_arch::sm_120a) ? " and later" : "");
}

std::string shape_of(const instruction& i)
{
    if (kind_of(i) == instruction_kind::copy)
        return std::to_string(i.m / 8) + " x 8x8";
    const bool any_n = kind_of(i) == instruction_kind::wgmma;
    return std::to_string(i.m) + "x" + (any_n ? "n" : std::to_string(i.n)) + "x" + std::to_string(i.k) +
           (i.blocks > 1 ? ", " + std::to_string(i.blocks) + " blocks" : "");
}

std::string types_of(const instruction& i)
{
    if (kind_of(i) == instruction_kind::copy)
        return "16 bits";
    return std::string(info(i.a).name) + " x " + info(i.b).name + " -> " + info(i.c).name;
}

std::string page_name(const instruction& i)
{
    std::string text = i.name;
    if (const std::size_t at = text.find('#'); at != std::string::npos)
        text.replace(at, 1, "{n}");
    return "`" + text + "`" + (name_of(i.variant) ? std::string(" ") + name_of(i.variant) : "");
}

struct section
{
    instruction_family family;
    const char* text;
};

constexpr section sections[] = {
    {instruction_family::mfma, "## MFMA (CDNA)\n\nThe kernels' tiles are made of the 16x16 shapes.\n"},
    {instruction_family::wmma_gfx11, "## WMMA (RDNA 3)\n\nEvery group of 16 lanes holds the inputs. opsel_hi puts "
                                     "16-bit results into the upper halves of the registers.\n"},
    {instruction_family::wmma_gfx12, "## WMMA (RDNA 4)\n"},
    {instruction_family::mma_sync, "## mma.sync (NVIDIA warps)\n\nBlock scales of mxf4nvf4 are no operand "
                                   "of the table; the emulator takes them as 1.\n"},
    {instruction_family::wgmma, "## wgmma (NVIDIA warpgroups)\n\nn is 8 to 256 in steps of 8; for integers 8, 24 and "
                                "the multiples of 16. A comes from registers or shared memory, B from shared memory. "
                                "`wgmma_atom` issues and emulates them.\n"},
    {instruction_family::matrix_copy, "## Matrix copies\n\nBetween shared memory and the registers of a warp.\n"},
};

constexpr const char* introduction =
    "# Matrix instructions\n\n"
    "Written by `tegula-inspect mma --list --markdown` from the library's table; `tegula-inspect mma ARCH INSTRUCTION` "
    "shows which\nlane holds what.\n\n"
    "- **Compiler**: a release that builds the instruction; the tests compile every row of clang 19 and nvcc 13 for "
    "an\n"
    "  architecture that has it and find the instruction in the result. The rows that need clang 20 are there for the\n"
    "  emulator and the inspector only.\n"
    "- **Layout**: \"golden\" where reference data of the vendor's own tools confirms it, of this instruction or of "
    "one "
    "with the same\n  layout; \"rule\" where it follows from the rule of its family alone.\n"
    "- **Kernels**: the kernels that take their atom from this row, by input type and target.\n\n"
    "In code `mma_atom` finds a row by types and shape: those of one block with results of 32 or 64 bits. "
    "`instruction_atom`\ntakes any row that multiplies in registers.\n";

/// The rows of one family; of a wgmma one row for all n.
void write_rows(tegula::text_out<standard_output>& out, instruction_family family, const std::vector<kernel_use>& uses)
{
    out << "\n| Instruction | Shape | Types | Lanes | Architectures | Compiler | Layout | Kernels |\n"
        << "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
    const char* last = nullptr;
    for (const instruction& i : tegula::instruction_table()) {
        if (i.family != family || (kind_of(i) == instruction_kind::wgmma && i.name == last))
            continue;
        last = i.name;
        out << "| " << page_name(i).c_str() << " | " << shape_of(i).c_str() << " | " << types_of(i).c_str() << " | "
            << i.wave << " | " << archs_of(i).c_str() << " | " << compiler_of(i) << " | "
            << (confirmed_by_golden(i) ? "golden" : "rule") << " | " << uses_of(i, uses).c_str() << " |\n";
    }
}

} // namespace

void write_instruction_page()
{
    const std::vector<kernel_use> uses = find_uses();
    standard_output sink;
    tegula::text_out out(sink);
    out << introduction;
    for (const section& part : sections) {
        out << "\n" << part.text;
        write_rows(out, part.family, uses);
    }
    sink.finish();
}

} // namespace inspect
