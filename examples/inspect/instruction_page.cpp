// The page docs/instructions.md: every instruction of the table, and the GEMMs that use it.

#include "commands.hpp"
#include "gemm_uses.hpp"
#include "output.hpp"
#include "tensor_core_rows.hpp"

#include <tegula/mma/table/instruction_table.hpp>
#include <tegula/mma/table/provenance.hpp>
#include <tegula/notation/text.hpp>

#include <vector>

namespace inspect {

namespace {

using tegula::gpu_arch;
using tegula::instruction;
using tegula::instruction_family;
using tegula::instruction_kind;

bool is_same_row(const instruction& a, const instruction& b)
{
    return a.family == b.family && a.wave == b.wave && a.variant == b.variant && a.archs.bits == b.archs.bits &&
           std::string(a.name) == b.name;
}

constexpr const char* name_of(use_kind k)
{
    return k == use_kind::shipped ? "shipped" : k == use_kind::tested ? "tested" : "possible";
}

/// "shipped: i8 (gfx1201); possible: i8 (gfx1200), i8 x u8 (gfx1200, gfx1201)"; empty where no GEMM takes the row.
std::string uses_of(const instruction& i, const std::vector<gemm_use>& uses)
{
    std::string text;
    const gemm_use* last = nullptr;
    for (const gemm_use& use : uses) {
        if (!is_same_row(use.row, i))
            continue;
        const bool same_kind = last && last->kind == use.kind;
        const bool same_types = same_kind && last->a == use.a && last->b == use.b;
        if (!same_kind)
            text += std::string(last ? "); " : "") + name_of(use.kind) + ": ";
        else if (!same_types)
            text += "), ";
        if (!same_types)
            text += std::string(use.a) + (use.a == use.b ? "" : " x " + std::string(use.b));
        text += std::string(same_types ? ", " : " (") + tegula::name_of(use.arch);
        last = &use;
    }
    return text + (last ? ")" : "");
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

/// "clang 19", or "clang 19, gfx950: clang 20" where the architectures differ.
std::string compilers_of(const instruction& i)
{
    std::string text;
    const char* first = nullptr;
    for (int a = 0; a < tegula::num_gpu_archs; ++a) {
        const auto arch = static_cast<gpu_arch>(a);
        if (!i.archs.contains(arch))
            continue;
        const char* const compiler = tegula::compiler_of(arch);
        if (!first)
            text = first = compiler;
        else if (std::string(compiler) != first)
            text += std::string(", ") + tegula::name_of(arch) + ": " + compiler;
    }
    return text;
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
    {instruction_family::mfma,
     "## MFMA (CDNA)\n\nThe tiles of GEMM are made of the 16x16 shapes; attention multiplies by the 32x32 shape of the "
     "largest k that the target has\nfor its type, as 32x32x8 on gfx942, but in the latent form.\n"},
    {instruction_family::wmma_gfx11, "## WMMA (RDNA 3)\n\nEvery group of 16 lanes holds the inputs. opsel_hi puts "
                                     "16-bit results into the upper halves of the registers.\n"},
    {instruction_family::wmma_gfx12, "## WMMA (RDNA 4)\n"},
    {instruction_family::wmma_gfx1250,
     "## WMMA (CDNA 5)\n\nThe scales of the scaled forms are no operand here: byte i of a word of lane l is that of "
     "row "
     "(column) l % 16\nand the i-th 32 of k; lanes below 16 are read, of 32 rows all.\n"},
    {instruction_family::mma_sync, "## mma.sync (NVIDIA warps)\n\nBlock scales are no operand of the table: "
                                   "`scaled_warp_atom` has them, `instruction_atom` takes them as 1.\n"},
    {instruction_family::wgmma, "## wgmma (NVIDIA warpgroups)\n\nn is 8 to 256 in steps of 8; for integers 8, 24 and "
                                "the multiples of 16. A comes from registers or shared memory, B from shared memory. "
                                "`wgmma_atom` issues and emulates them.\n"},
    {instruction_family::x86_vector,
     "## x86 vectors\n\nOne row of A, a word repeated in every element, by a register of "
     "columns of B; a wave has one lane. `cpu_gemm` multiplies with them "
     "([cpu.md](cpu.md)). The machine itself is the witness: the tests set one element "
     "of each operand and run the instruction.\n"},
    {instruction_family::x86_tile,
     "## x86 tiles (AMX)\n\nThe tests run the kernels' machine code with a handler of SIGILL "
     "that does what Intel's manual\nsays of each instruction, and compare the rows' products with "
     "those that Bochs computes; a Xeon has run those of bf16 and int8.\n"},
    {instruction_family::matrix_copy, "## Matrix copies\n\nBetween shared memory and the registers of a warp.\n"},
};

constexpr const char* introduction =
    "# Matrix instructions\n\n"
    "Written by `tegula-inspect mma --list --markdown` from the library's table; `tegula-inspect mma ARCH INSTRUCTION` "
    "shows which\nlane holds what.\n\n"
    "- **Compiler**: a release that builds the instruction. The tests compile every row of clang 19 and nvcc 13 for "
    "an\n"
    "  architecture that has it and find the instruction in the result. Rows that need a later clang are compiled "
    "where clang\n"
    "  22 is.\n"
    "- **Layout**: the outside source that confirms every element of this instruction's layout, or of one with an "
    "equal layout:\n  AMD's Matrix Instruction Calculator; CuTe, part of CUTLASS; for gfx950 and gfx1250, which the "
    "calculator does\n  not know, AMD's emulator rocjitsu with the tables of IREE or Composable Kernel; for AMX the "
    "emulator Bochs.\n"
    "- **GEMM**: the inputs A x B (one type where both have it) whose tiles take this row, and the targets they take "
    "it on.\n"
    "  - \"shipped\": the program `gemm` has kernels of them, and so have the code objects of AMD's targets but "
    "gfx1250.\n"
    "  - \"tested\": not shipped; tests multiply them on the emulator, some in `./dev test --full` alone.\n"
    "  - \"possible\": neither. A tile of 64 x 64 and whole steps of k compiles (`gemm_tile`; for wgmma a\n"
    "    `warp_specialized_tile`), which is all that is checked. The tiles of `gemm_tiles` may refuse them.\n\n"
    "  These rows are what `default_atom` and `pair_atom` choose. A `gemm_tile` may be given another `mma_atom`, such "
    "as "
    "one of\n  32x32. The two largest tiles of fp8 on gfx950 have 32x32x64; nothing else that is shipped or tested has "
    "one.\n\n"
    "In code `mma_atom` finds a row by types and shape: those of one block with results of 32 or 64 bits. "
    "`instruction_atom`\ntakes any row that multiplies in registers.\n";

/// The rows of one family; of a wgmma one row for all n.
void write_rows(tegula::text_out<standard_output>& out, instruction_family family, const std::vector<gemm_use>& uses)
{
    out << "\n| Instruction | Shape | Types | Lanes | Architectures | Compiler | Layout | GEMM |\n"
        << "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
    const char* last = nullptr;
    for (const instruction& i : tegula::instruction_table()) {
        if (i.family != family || (kind_of(i) == instruction_kind::wgmma && i.name == last))
            continue;
        last = i.name;
        out << "| " << page_name(i).c_str() << " | " << shape_of(i).c_str() << " | " << types_of(i).c_str() << " | "
            << i.wave << " | " << archs_of(i).c_str() << " | " << compilers_of(i).c_str() << " | " << layout_witness(i)
            << " | " << uses_of(i, uses).c_str() << " |\n";
    }
}

} // namespace

void write_instruction_page()
{
    const std::vector<gemm_use> uses = find_gemm_uses();
    standard_output sink;
    tegula::text_out out(sink);
    out << introduction;
    for (const section& part : sections) {
        out << "\n" << part.text;
        write_rows(out, part.family, uses);
        if (part.family == instruction_family::wgmma)
            write_tensor_core_section(sink);
    }
    sink.finish();
}

} // namespace inspect
